package drover.localenv;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Request to leave the programs of nodes running when their deployment stops: a file in the data
 * directory with the process id of that deployment. For another process it has no effect.
 */
public final class KeepProgramsRequestFile {
    private KeepProgramsRequestFile() {}

    /** Requests it from the process of a deployment. */
    public static void write(DataDirectory data, long pid) {
        AtomicFileWriter.write(file(data), pid + "\n");
    }

    /** Whether this process leaves programs running. */
    public static boolean isForThisProcess(DataDirectory data) {
        try {
            String pid = Long.toString(ProcessHandle.current().pid());
            return Files.exists(file(data)) && Files.readString(file(data)).strip().equals(pid);
        } catch (IOException e) {
            throw new UserFacingError(file(data) + " cannot be read; check the disk.", e);
        }
    }

    /** Withdraws a request. */
    public static void delete(DataDirectory data) {
        try {
            Files.deleteIfExists(file(data));
        } catch (IOException e) {
            throw new UserFacingError(file(data) + " cannot be deleted; check the disk.", e);
        }
    }

    private static Path file(DataDirectory data) {
        return data.root().resolve("keep-programs");
    }
}
