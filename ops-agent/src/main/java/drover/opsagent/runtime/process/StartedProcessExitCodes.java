package drover.opsagent.runtime.process;

import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.time.AgentStopping;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The latest processes that this agent started, for their exit codes. */
final class StartedProcessExitCodes {
    private static final int KEPT = 64; // three starts of each of 20 programs, rounded up

    private final Map<Pid, Process> latest =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Pid, Process> eldest) {
                    return size() > KEPT;
                }
            };

    synchronized void add(Pid pid, Process process) {
        latest.put(pid, process);
    }

    private synchronized @Nullable Process process(Pid pid) {
        return latest.get(pid);
    }

    /**
     * Exit code of a process that has ended; empty if it runs or is not known. The JDK learns of an
     * end a moment after {@code /proc} shows it.
     */
    OptionalInt exitCode(Pid pid) {
        Process process = process(pid);
        try {
            return process == null || !process.waitFor(Duration.ofSeconds(1))
                    ? OptionalInt.empty()
                    : OptionalInt.of(process.exitValue());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AgentStopping(e);
        }
    }
}
