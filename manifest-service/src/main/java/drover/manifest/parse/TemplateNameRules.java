package drover.manifest.parse;

import java.util.regex.Pattern;

/** The grammar of template file names: one name, never a path (invariant H11). */
public final class TemplateNameRules {
    private static final Pattern GRAMMAR = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,149}");

    private TemplateNameRules() {}

    /**
     * The name itself.
     *
     * @throws IllegalArgumentException with one sentence when it is none
     */
    public static String requireValid(String name) {
        if (!GRAMMAR.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'"
                            + FieldReader.shorten(name)
                            + "' is no template name: use letters, digits, dots, hyphens and"
                            + " underscores, without a folder.");
        }
        return name;
    }
}
