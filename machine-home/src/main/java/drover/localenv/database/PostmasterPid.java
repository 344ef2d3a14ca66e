package drover.localenv.database;

import drover.localenv.UserFacingError;
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
    private static final Path PROC = Path.of("/proc");

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
    static Optional<PostmasterPid> findLive(Path files) {
        return findLive(files, PROC);
    }

    /**
     * @param proc what the kernel says of processes
     */
    static Optional<PostmasterPid> findLive(Path files, Path proc) {
        Path file = files.resolve("postmaster.pid");
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return parse(Files.readAllLines(file, StandardCharsets.UTF_8))
                    .filter(found -> found.isAlive(proc) && found.isServerOf(files, proc));
        } catch (IOException e) {
            throw new UserFacingError(file + " cannot be read; check the disk.", e);
        }
    }

    /** The port that the server of these files listens on: the fourth line. */
    static Optional<Integer> readPort(Path files) {
        try {
            return Files.readAllLines(files.resolve("postmaster.pid"), StandardCharsets.UTF_8)
                    .stream()
                    .skip(3)
                    .findFirst()
                    .map(String::strip)
                    .filter(line -> line.matches("[0-9]{1,5}"))
                    .map(Integer::parseInt);
        } catch (IOException e) {
            return Optional.empty(); // it has just ended
        }
    }

    private boolean isServerOf(Path files, Path proc) {
        try {
            List<String> command =
                    List.of(Files.readString(proc.resolve(pid + "/cmdline")).split("\0"));
            return command.getFirst().endsWith("postgres") && command.contains(files.toString());
        } catch (IOException e) {
            return false; // no such process
        }
    }

    /** True until the server has ended. */
    boolean isAlive() {
        return isAlive(PROC);
    }

    /** A process that has ended keeps its pid until its parent asks: such a zombie is no server. */
    boolean isAlive(Path proc) {
        try {
            String stat =
                    Files.readString(proc.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
            int name = stat.lastIndexOf(')'); // the name itself may hold spaces and brackets
            String state = stat.substring(name + 1).strip();
            return !state.startsWith("Z") && !state.startsWith("X");
        } catch (IOException e) {
            return false; // no such process
        }
    }
}
