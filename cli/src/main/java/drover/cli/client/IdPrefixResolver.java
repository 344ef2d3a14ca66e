package drover.cli.client;

import drover.cli.terminal.CommandFailed;
import java.util.List;
import java.util.function.Supplier;

/** Resolves the start of an id that an operator typed. */
public final class IdPrefixResolver {
    private static final int MIN_LENGTH = 4;
    private static final int ID_LENGTH = 36; // a UUID is complete

    private IdPrefixResolver() {}

    /**
     * Returns the id that starts with the given text. Without a match it returns the text, so that
     * the server rejects it.
     *
     * @param kind plural of what the id names, such as {@code rollouts}
     * @param ids reads the known ids; not called for a complete id
     * @throws CommandFailed when several ids start with the text
     */
    public static String resolve(String given, String kind, Supplier<List<String>> ids) {
        if (given.length() >= ID_LENGTH || given.length() < MIN_LENGTH) {
            return given;
        }
        List<String> matches = ids.get().stream().filter(id -> id.startsWith(given)).toList();
        if (matches.contains(given) || matches.isEmpty()) {
            return given;
        }
        if (matches.size() > 1) {
            throw CommandFailed.refused(
                    "%d %s begin with '%s': %s. Write more of the id."
                            .formatted(matches.size(), kind, given, String.join(", ", matches)));
        }
        return matches.getFirst();
    }
}
