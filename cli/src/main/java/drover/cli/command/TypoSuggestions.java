package drover.cli.command;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** What somebody probably meant to type. */
public final class TypoSuggestions {
    private TypoSuggestions() {}

    /** One sentence about a word that a command does not know. */
    public static String describeUnknown(String written, CommandSpec command) {
        boolean option = written.startsWith("-");
        Collection<String> known =
                option ? command.optionsMap().keySet() : command.subcommands().keySet();
        if (!option && known.isEmpty()) {
            return "'" + command.qualifiedName() + "' takes no '" + written + "' as well.";
        }
        String kind = option ? "option" : "command";
        return nearest(written.replaceFirst("=.*", ""), known)
                .map(
                        near ->
                                "'%s' has no %s '%s'; did you mean '%s'?"
                                        .formatted(command.qualifiedName(), kind, written, near))
                .orElse("'%s' has no %s '%s'.".formatted(command.qualifiedName(), kind, written));
    }

    /** A message of the parser as one sentence. */
    public static String toSentence(String message) {
        String line = message.lines().findFirst().orElse("");
        return line.endsWith(".") ? line : line + ".";
    }

    private static Optional<String> nearest(String written, Collection<String> known) {
        Stream<String> close =
                known.stream()
                        .filter(
                                name ->
                                        name.startsWith(written)
                                                || distance(written, name)
                                                        <= Math.max(2, name.length() / 3));
        return close.min(
                Comparator.<String>comparingInt(name -> distance(written, name))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** The number of letters to change, add or leave out. */
    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int changed = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }
}
