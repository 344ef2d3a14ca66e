/**
 * The manifest-service: what may be installed.
 *
 * <p>Start with {@link drover.manifest.ManifestService}, which assembles {@code source} (files),
 * {@code catalog} (files in memory) and {@code api} (gRPC). The decisions are in {@code document},
 * {@code parse} and {@code render}. Calls no other service and has no database.
 */
@NullMarked
package drover.manifest;

import org.jspecify.annotations.NullMarked;
