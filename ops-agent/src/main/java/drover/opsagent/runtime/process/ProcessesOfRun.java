package drover.opsagent.runtime.process;

import drover.model.program.StopSignal;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Supplier;

/** The processes of one run: whether it is up, and how all of them are ended. */
final class ProcessesOfRun {
    private static final Duration POLL = Duration.ofMillis(50);

    private final Processes processes;
    private final Ticker ticker;

    ProcessesOfRun(Processes processes, Ticker ticker) {
        this.processes = processes;
        this.ticker = ticker;
    }

    boolean isUp(RunRecord run) {
        return run.bootId().equals(processes.bootId()) && processes.isAlive(run.first());
    }

    boolean hasProcesses(RunRecord run) {
        return !members(run).isEmpty();
    }

    /**
     * Sends the signal to the processes of a run, kills them after the grace, and returns how many
     * are left at the deadline.
     */
    int terminateAndCountRemaining(
            RunRecord run, StopSignal signal, Deadline grace, Deadline deadline) {
        return terminateAndCountRemaining(() -> members(run), signal, grace, deadline);
    }

    /** The same for processes that are found in another way. */
    int terminateAndCountRemaining(
            Supplier<Set<Pid>> found, StopSignal signal, Deadline grace, Deadline deadline) {
        Set<Pid> known = new LinkedHashSet<>();
        Set<Pid> requested = new HashSet<>();
        while (true) {
            // Seen once is known for good: a child that shed the marker is a stranger as soon as
            // the leader of its session has ended.
            known.addAll(found.get());
            known.removeIf(pid -> !processes.isAlive(pid));
            if (known.isEmpty() || deadline.hasPassed()) {
                return known.size();
            }
            for (Pid pid : known) {
                if (grace.hasPassed()) {
                    processes.kill(pid);
                } else if (requested.add(pid)) {
                    processes.terminate(pid, signal);
                }
            }
            ticker.pause(POLL);
        }
    }

    private Set<Pid> members(RunRecord run) {
        Pid first = run.bootId().equals(processes.bootId()) ? run.first() : Pid.NONE;
        Set<Pid> members = new LinkedHashSet<>(processes.findRunProcesses(run.marker(), first));
        if (isUp(run)) {
            members.add(first);
        }
        return members;
    }
}
