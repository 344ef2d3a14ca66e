package drover.opsagent.selfupgrade;

import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.time.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Successors without processes; what was done with them is remembered. */
public final class SimulatedSuccessorAgents implements SuccessorAgents {
    private final Set<AgentVersionNumber> running = new TreeSet<>();
    private final List<String> done = new ArrayList<>();
    private boolean startable = true;

    /** From now on none can be started. */
    public synchronized void refuseStarts() {
        startable = false;
    }

    /** It ends by itself. */
    public synchronized void crash(AgentVersionNumber version) {
        running.remove(version);
    }

    /** What was started and stopped, in order. */
    public synchronized List<String> recordedCalls() {
        return List.copyOf(done);
    }

    @Override
    public synchronized void startUnlessRunning(AgentVersionNumber version, Deadline deadline) {
        if (!startable) {
            throw new ActionFailed(ReasonCode.SUCCESSOR_FAILED, "It cannot be started.");
        }
        if (running.add(version)) {
            done.add("start " + version);
        }
    }

    @Override
    public synchronized boolean isAlive(AgentVersionNumber version) {
        return running.contains(version);
    }

    @Override
    public synchronized void stopUnlessSelf(AgentVersionNumber version, Deadline deadline) {
        if (running.remove(version)) {
            done.add("stop " + version);
        }
    }
}
