package drover.opsagent.runtime.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Bound of the file that a program's output goes to. With the end of earlier output next to it, a
 * program's output has at most twice {@link #LARGEST} bytes, and what it writes between two checks.
 */
final class ProgramLogTrimmer {
    static final long LARGEST = 8L << 20;

    private ProgramLogTrimmer() {}

    /**
     * Copies the end of a large file to {@code output.log.1} and empties the file, also under a
     * running program. Programs append, so their next line lands at its new end; a line written
     * during the copy may be lost. A copy that fails does not keep the file large.
     *
     * @param written the file, or a descriptor of it if it was deleted
     * @param log its name
     */
    static void trimIfLarge(Path written, Path log) throws IOException {
        if (!Files.exists(written) || Files.size(written) <= LARGEST) {
            return;
        }
        try (FileChannel from =
                FileChannel.open(written, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            try {
                copyEnd(from, log.resolveSibling(log.getFileName() + ".1"));
            } finally {
                from.truncate(0);
            }
        }
    }

    private static void copyEnd(FileChannel from, Path to) throws IOException {
        Files.deleteIfExists(to); // frees its space first
        try (FileChannel copy =
                FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            long end = from.size();
            long position = Math.max(0, end - LARGEST);
            while (position < end) { // ends: each turn copies something or finds the file shorter
                long copied = from.transferTo(position, end - position, copy);
                if (copied <= 0) {
                    return;
                }
                position += copied;
            }
        }
    }
}
