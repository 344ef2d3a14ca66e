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
import java.util.function.IntConsumer;
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
     *
     * @param onKill receives how many processes are killed, before they are
     */
    int terminateAndCountRemaining(
            RunRecord run,
            StopSignal signal,
            Deadline grace,
            Deadline deadline,
            IntConsumer onKill) {
        return terminateAndCountRemaining(() -> members(run), signal, grace, deadline, onKill);
    }

    /** Kills the processes of a run and returns how many are left at the deadline. */
    int killAndCountRemaining(Supplier<Set<Pid>> found, Deadline deadline) {
        Deadline now = ticker.deadlineIn(Duration.ZERO);
        return terminateAndCountRemaining(found, StopSignal.TERM, now, deadline, _ -> {});
    }

    /** The same for a run by its record. */
    int killAndCountRemaining(RunRecord run, Deadline deadline) {
        return killAndCountRemaining(() -> members(run), deadline);
    }

    private int terminateAndCountRemaining(
            Supplier<Set<Pid>> found,
            StopSignal signal,
            Deadline grace,
            Deadline deadline,
            IntConsumer onKill) {
        boolean killing = false;
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
            if (!killing && grace.hasPassed()) {
                killing = true;
                onKill.accept(known.size());
            }
            for (Pid pid : known) {
                if (killing) {
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
