package drover.opsagent.systemd;

import drover.opsagent.systemd.SystemdUnits.SystemdCallFailed;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Deadline;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Runs one program with a list of arguments, never a shell (H15). It ends at its deadline, and of
 * what it says only the end is kept.
 */
final class BoundedCommand {
    /** Of output: a journal's 200 lines, and far more than what a unit's properties take. */
    private static final int MAX_OUTPUT_BYTES = 256 * 1024;

    private static final Duration OUTPUT_DRAIN_TIMEOUT =
            Duration.ofSeconds(1); // to read what an ended program left in its pipe

    /** How the bus is found; nothing else of the agent's environment is passed on. */
    private static final Set<String> INHERITED_VARIABLES =
            Set.of("PATH", "DBUS_SYSTEM_BUS_ADDRESS");

    private BoundedCommand() {}

    /** How a program ended, and the end of what it said. */
    record Result(int exit, String output) {
        /** Its last line, for people. */
        String lastLine() {
            List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
            return lines.isEmpty() ? "exit code " + exit : lines.getLast().strip();
        }
    }

    /**
     * Runs it to its end.
     *
     * @throws SystemdCallFailed when it cannot be run, or is not done at the deadline
     */
    static Result run(List<String> command, Deadline deadline) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().retainAll(INHERITED_VARIABLES);
        builder.environment().put("LC_ALL", "C");
        builder.redirectErrorStream(true);
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new SystemdCallFailed(commandName(command) + " cannot be run", e);
        }
        try {
            return awaitResult(process, command, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AgentStopping(e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static Result awaitResult(Process process, List<String> command, Deadline deadline)
            throws InterruptedException {
        Tail tail = new Tail(process.getInputStream());
        Thread reader = Thread.ofVirtual().name("agent-command").start(tail);
        if (!process.waitFor(deadline.left().toNanos(), TimeUnit.NANOSECONDS)) {
            throw new SystemdCallFailed(commandName(command) + " did not end in time");
        }
        reader.join(OUTPUT_DRAIN_TIMEOUT);
        return new Result(process.exitValue(), tail.text());
    }

    private static String commandName(List<String> command) {
        Path file = Path.of(command.getFirst()).getFileName();
        return file + " " + command.get(1);
    }

    /** Keeps the end of a stream. */
    private static final class Tail implements Runnable {
        private final InputStream in;
        private byte[] kept = {};

        Tail(InputStream in) {
            this.in = in;
        }

        @Override
        public void run() {
            byte[] buffer = new byte[8 * 1024];
            try {
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    append(buffer, n);
                }
            } catch (IOException _) {
                // The program was ended: what it said before counts.
            }
        }

        private synchronized void append(byte[] bytes, int length) {
            int dropped = Math.max(0, kept.length + length - MAX_OUTPUT_BYTES);
            int rest = kept.length - Math.min(dropped, kept.length);
            byte[] next = Arrays.copyOfRange(kept, kept.length - rest, kept.length + length);
            System.arraycopy(bytes, 0, next, rest, length);
            kept = next;
        }

        synchronized String text() {
            return new String(kept, StandardCharsets.UTF_8);
        }
    }
}
