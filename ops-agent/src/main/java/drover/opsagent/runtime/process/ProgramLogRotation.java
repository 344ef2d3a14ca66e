package drover.opsagent.runtime.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** The file that a program's output goes to. It never grows far beyond {@link #LARGEST} bytes. */
final class ProgramLogRotation {
    /** With its one predecessor a program's output takes at most twice this. */
    static final long LARGEST = 8L << 20;

    private ProgramLogRotation() {}

    /** Moves a large log aside before a start. */
    static void rotateIfLarge(Path log) throws IOException {
        if (isLarge(log)) {
            Files.move(log, rotatedFile(log), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /**
     * Empties a large log under a running program, after copying it aside. Programs append, so
     * their next line lands at its new end; a line written during the copy may be lost.
     */
    static void truncateIfLarge(Path log) throws IOException {
        if (isLarge(log)) {
            Files.copy(log, rotatedFile(log), StandardCopyOption.REPLACE_EXISTING);
            try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
                channel.truncate(0);
            }
        }
    }

    private static boolean isLarge(Path log) throws IOException {
        return Files.exists(log) && Files.size(log) > LARGEST;
    }

    private static Path rotatedFile(Path log) {
        return log.resolveSibling(log.getFileName() + ".1");
    }
}
