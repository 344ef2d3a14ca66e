/**
 * Where files come from: the configuration directory on disk, and YAML text turned into located
 * trees.
 *
 * <p>Start with {@link drover.manifest.source.ConfigDirectory} and {@link
 * drover.manifest.source.YamlReader}. May depend on {@code document} and the YAML parser; knows
 * nothing of gRPC.
 */
@NullMarked
package drover.manifest.source;

import org.jspecify.annotations.NullMarked;
