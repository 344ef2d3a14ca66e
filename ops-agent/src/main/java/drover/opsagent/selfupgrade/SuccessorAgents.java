package drover.opsagent.selfupgrade;

import drover.opsagent.time.Deadline;

/**
 * Other agents of this node, started beside this one. Each works on the version that it is told,
 * and none ever ends this very process.
 */
public interface SuccessorAgents {
    /**
     * Lets the agent of this version run, unless it does.
     *
     * @throws drover.opsagent.runtime.ActionFailed when it cannot be started
     */
    void startUnlessRunning(AgentVersionNumber version, Deadline deadline);

    /** Whether it runs now, so that the node could be left to it. */
    boolean isAlive(AgentVersionNumber version);

    /**
     * Ends it, and does not let it be started again, unless it is this process.
     *
     * @throws drover.opsagent.runtime.ActionFailed when it does not go
     */
    void stopUnlessSelf(AgentVersionNumber version, Deadline deadline);
}
