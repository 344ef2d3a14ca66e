package drover.opsagent.runtime.process;

import drover.opsagent.runtime.Processes.Pid;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/** The latest processes that this agent started, for their exit codes. */
final class StartedProcesses {
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

    /** Exit code of a process that has ended; empty if it runs or is not known. */
    synchronized OptionalInt exitCode(Pid pid) {
        Process process = latest.get(pid);
        return process == null || process.isAlive()
                ? OptionalInt.empty()
                : OptionalInt.of(process.exitValue());
    }
}
