package drover.manifest.check;

/** Good files for tests of other packages. */
public final class ManifestSamples {
    public static final String GOOD = ManifestCheckTest.GOOD;
    public static final String PROFILE = ProfileParserTest.GOOD;
    public static final String SHA = ManifestCheckTest.SHA;

    private ManifestSamples() {}
}
