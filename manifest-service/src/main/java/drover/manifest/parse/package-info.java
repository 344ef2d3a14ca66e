/**
 * Manifests and chain profiles: how they are parsed, and the rules that decide what may be
 * installed.
 *
 * <p>Start with {@link drover.manifest.parse.ManifestParser}, then {@link
 * drover.manifest.parse.ManifestRules} and {@link drover.manifest.parse.ProfileParser}. Each parser
 * reads a tree ({@link drover.manifest.document.YamlNode}) that {@code source} built.
 *
 * <p>Pure: no I/O, clocks and threads. Depends on {@code document}, {@code render.template}, {@code
 * drover.model} and {@code drover.trust}; must not depend on {@code render}.
 */
@NullMarked
package drover.manifest.parse;

import org.jspecify.annotations.NullMarked;
