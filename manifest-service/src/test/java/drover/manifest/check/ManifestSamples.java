package drover.manifest.check;

/** Good files for tests of other packages. */
public final class ManifestSamples {
    public static final String GOOD = ManifestCheckTest.GOOD;
    public static final String PROFILE = ProfileParserTest.GOOD;
    public static final String SHA = ManifestCheckTest.SHA;

    private ManifestSamples() {}

    /** The manifest that a good text is. */
    public static Manifest parsed(String text) {
        return switch (ManifestCheckTest.parse(text)) {
            case Parsed.Good<Manifest>(Manifest manifest) -> manifest;
            case Parsed.Bad<Manifest> bad -> throw new AssertionError(bad.problems().toString());
        };
    }
}
