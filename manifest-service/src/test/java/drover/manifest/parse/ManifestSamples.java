package drover.manifest.parse;

import drover.manifest.document.ParseResult;

/** Good files for tests of other packages. */
public final class ManifestSamples {
    public static final String GOOD = ManifestParserTest.GOOD;
    public static final String PROFILE = ProfileParserTest.GOOD;
    public static final String SHA = ManifestParserTest.SHA;

    private ManifestSamples() {}

    /** The manifest that a good text is. */
    public static Manifest parsed(String text) {
        return switch (ManifestParserTest.parse(text)) {
            case ParseResult.Valid<Manifest>(Manifest manifest) -> manifest;
            case ParseResult.Invalid<Manifest> bad ->
                    throw new AssertionError(bad.problems().toString());
        };
    }
}
