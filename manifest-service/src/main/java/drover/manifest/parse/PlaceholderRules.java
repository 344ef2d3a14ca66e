package drover.manifest.parse;

import java.util.Optional;

/**
 * The placeholders {@code {root}} and {@code {path}} of launch specifications. Agents replace them
 * in arguments and environment. Other texts are final when they are rendered, because their digests
 * are: there a placeholder is an error, where it cannot be a word of another language.
 */
public final class PlaceholderRules {
    private static final String ROOT = "{root}";
    private static final String PATH = "{path}";

    private PlaceholderRules() {}

    /**
     * Why a text cannot be part of a configuration file. {@code {path}} can: Caddy, for example,
     * has a placeholder of that name.
     */
    public static Optional<String> problemInFile(String text) {
        return text.contains(ROOT) ? Optional.of(sentence(ROOT)) : Optional.empty();
    }

    /** Why a word cannot be part of the command of a probe. */
    public static Optional<String> problemInProbe(String word) {
        return word.contains(PATH) ? Optional.of(sentence(PATH)) : problemInFile(word);
    }

    private static String sentence(String placeholder) {
        return placeholder
                + " is replaced in arguments and environment alone: write the path as the node has"
                + " it, or a variable from a label of the node.";
    }
}
