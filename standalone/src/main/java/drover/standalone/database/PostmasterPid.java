package drover.standalone.database;

import drover.standalone.home.Unusable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The server that {@code postmaster.pid} speaks of. It outlives a {@code kill -9} of the process
 * that started it.
 *
 * @param pid process of the server
 * @param directory the files it serves
 */
record PostmasterPid(long pid, String directory) {
    /** What a {@code postmaster.pid} says; nothing for a file that is no such. */
    static Optional<PostmasterPid> parse(List<String> lines) {
        if (lines.size() < 2 || !lines.get(0).strip().matches("-?[0-9]{1,18}")) {
            return Optional.empty();
        }
        long pid = Math.abs(Long.parseLong(lines.get(0).strip())); // negative: single-user mode
        return Optional.of(new PostmasterPid(pid, lines.get(1).strip()));
    }

    /**
     * The server that runs on these files now. A pid may belong to another program since: only a
     * process that was started as PostgreSQL on this very directory counts.
     */
    static Optional<PostmasterPid> live(Path files) {
        Path file = files.resolve("postmaster.pid");
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return parse(Files.readAllLines(file, StandardCharsets.UTF_8))
                    .filter(found -> found.serves(files));
        } catch (IOException e) {
            throw new Unusable(file + " cannot be read; check the disk.", e);
        }
    }

    private boolean serves(Path files) {
        try {
            List<String> command =
                    List.of(Files.readString(Path.of("/proc", pid + "", "cmdline")).split("\0"));
            return command.getFirst().endsWith("postgres") && command.contains(files.toString());
        } catch (IOException e) {
            return false; // no such process
        }
    }

    /** True until the server has ended. */
    boolean isAlive() {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
