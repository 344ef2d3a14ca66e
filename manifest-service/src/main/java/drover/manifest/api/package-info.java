/**
 * The gRPC doors: parse, call, render. Generated types stop here.
 *
 * <p>Start with {@code ManifestGrpcService} and {@code ProfileRenderGrpcService}; {@code
 * ManifestProtos} and {@code ProfileProtos} convert. May depend on everything of this service but
 * its root.
 */
@NullMarked
package drover.manifest.api;

import org.jspecify.annotations.NullMarked;
