package drover.standalone.fleet;

import drover.localenv.UserFacingError;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Collects what is wrong with a file, so that a person hears of everything at once. */
final class NodesFileProblemCollector {
    private static final int SHOWN = 20; // more would scroll the first away

    private final String file;
    private final List<String> found = new ArrayList<>();

    NodesFileProblemCollector(String file) {
        this.file = file;
    }

    /**
     * @param line from 1; 0 when the whole file is meant
     * @param path where in the document, for example {@code nodes[2].name}; empty for the top
     */
    void add(int line, String path, String sentence) {
        found.add(
                file
                        + (line > 0 ? ":" + line : "")
                        + ": "
                        + (path.isEmpty() ? "" : path + ": ")
                        + sentence);
    }

    /**
     * Does nothing when all is well.
     *
     * @throws UserFacingError with all problems
     */
    void throwIfAny() {
        if (found.isEmpty()) {
            return;
        }
        String listed =
                found.stream()
                        .distinct()
                        .limit(SHOWN)
                        .collect(Collectors.joining("\n  ", "\n  ", ""));
        String more = found.size() > SHOWN ? "\n  and " + (found.size() - SHOWN) + " more" : "";
        throw new UserFacingError("The nodes file has to be corrected first:" + listed + more);
    }
}
