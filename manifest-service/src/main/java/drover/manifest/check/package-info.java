/**
 * Decides what may be installed: manifests, chain profiles and rendered configuration.
 *
 * <p>Start with {@link drover.manifest.check.ManifestParser}, then {@link
 * drover.manifest.check.ManifestRules} and {@link drover.manifest.check.ConfigRenderer}. Everything
 * here works on a located tree ({@link drover.manifest.check.Node}) that was built outside.
 *
 * <p>Pure: depends on {@code java.*} without io, net, files, clocks and threads, on {@code
 * drover.model} and jspecify.
 */
@NullMarked
package drover.manifest.check;

import org.jspecify.annotations.NullMarked;
