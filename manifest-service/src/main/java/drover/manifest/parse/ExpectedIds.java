package drover.manifest.parse;

/**
 * What the place of a manifest says its ids are.
 *
 * @param chain name of the folder; empty when it is not to be checked
 * @param upgradeId name of the file without its ending; empty when it is not to be checked
 */
public record ExpectedIds(String chain, String upgradeId) {
    /** For a text that is in no file. */
    public static final ExpectedIds ANY = new ExpectedIds("", "");
}
