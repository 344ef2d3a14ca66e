package drover.localenv.database;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Runs one of PostgreSQL's small programs to its end; no shell is used (invariant H15). */
final class PostgresTool {
    private PostgresTool() {}

    /**
     * How it ended.
     *
     * @param exitCode 0 is well; 127 when it could not be started
     * @param output what it printed
     */
    record Result(int exitCode, String output) {}

    static Result run(List<String> command, Duration limit) {
        try {
            // Output goes to a file: a server that a tool leaves behind would keep a pipe open.
            Path output = Files.createTempFile("drover-tool", ".log");
            try {
                Process process =
                        new ProcessBuilder(command)
                                .redirectErrorStream(true)
                                .redirectOutput(output.toFile())
                                .start();
                process.getOutputStream().close();
                if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                    process.destroyForcibly();
                    return new Result(124, "it took longer than " + limit.toSeconds() + " s");
                }
                return new Result(
                        process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
            } finally {
                Files.deleteIfExists(output);
            }
        } catch (IOException e) {
            return new Result(127, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Result(130, "interrupted");
        }
    }

    /** True when a program of this name is on the PATH. */
    static boolean isOnPath(String program) {
        return Pattern.compile(Pattern.quote(File.pathSeparator))
                .splitAsStream(String.valueOf(System.getenv("PATH")))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }
}
