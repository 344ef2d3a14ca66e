package drover.opsagent.fetch;

import drover.opsagent.policy.OwnerCheckingFileReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reads files that this node was given by its owner. One that anybody but root and the agent's own
 * user may change is refused; one that holds a secret also when others may read it.
 */
final class ProtectedFileReader {
    private static final int LARGEST = 64 * 1024;
    private static final int LONGEST_SECRET = 8 * 1024; // the longest header that servers take
    private static final List<String> OWNERS =
            Stream.of("root", System.getProperty("user.name")).distinct().toList();

    private ProtectedFileReader() {}

    /**
     * A file that others may read.
     *
     * @throws IllegalArgumentException with one sentence that says what to change
     */
    static byte[] read(Path file) {
        return read(file, false);
    }

    /**
     * A file for the agent's eyes.
     *
     * @throws IllegalArgumentException with one sentence that says what to change
     */
    static byte[] readPrivate(Path file) {
        return read(file, true);
    }

    /**
     * The one line of a private file, of characters that a header may carry. It is never part of a
     * message (H14).
     */
    static String readSecret(Path file) {
        String line = new String(readPrivate(file), StandardCharsets.UTF_8).strip();
        boolean carried = line.chars().allMatch(c -> c >= ' ' && c <= '~');
        if (line.isEmpty() || line.length() > LONGEST_SECRET || !carried) {
            throw new IllegalArgumentException(
                    file + " must hold one line of printable ASCII: write the secret alone in it.");
        }
        return line;
    }

    private static byte[] read(Path file, boolean secret) {
        if (!file.isAbsolute()) {
            throw new IllegalArgumentException(file + " is no absolute path: write it in full.");
        }
        return new OwnerCheckingFileReader(file, OWNERS, secret).read(LARGEST);
    }
}
