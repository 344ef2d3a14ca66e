/**
 * Tests of the parsers and of the rules for manifests. Start with {@link
 * drover.manifest.parse.ManifestParserTest} and {@link drover.manifest.parse.ProfileParserTest};
 * {@link drover.manifest.parse.ManifestSamples} has valid files for tests of other packages.
 */
@NullMarked
package drover.manifest.parse;

import org.jspecify.annotations.NullMarked;
