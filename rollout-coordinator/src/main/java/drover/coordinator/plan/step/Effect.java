package drover.coordinator.plan.step;

import drover.model.Digest;
import drover.model.NodeId;

/**
 * Something the world should be brought to know. Effects are a set, not a queue: a state that still
 * needs its effect asks again at every tick, and receivers are idempotent by the node's attempt
 * number.
 */
public sealed interface Effect {
    /** The node concerned. */
    NodeId node();

    /** The agent shall have this attempt's command. */
    record Command(NodeId node, long attempt) implements Effect {}

    /** Attempts up to this one that have not begun shall never begin. */
    record Withdraw(NodeId node, long through) implements Effect {}

    /**
     * A status is committed; the agent may forget it.
     *
     * @param successorSeen whether it is committed too that the agent's successor was heard
     */
    record Acknowledge(NodeId node, long attempt, long sequence, boolean successorSeen)
            implements Effect {
        /** Of an attempt in which no agent is replaced. */
        public Acknowledge(NodeId node, long attempt, long sequence) {
            this(node, attempt, sequence, false);
        }
    }

    /** The old agent of a self-upgrade shall go: its successor was heard (seed 001). */
    record StopOldAgent(NodeId node, long attempt, String successorVersion, Digest successorDigest)
            implements Effect {}

    /** The health-evaluator shall watch the node. */
    record Watch(NodeId node, long attempt, String runId, Digest digest, Digest config)
            implements Effect {}

    /**
     * The health-evaluator that is asked hears nothing of the node: its rollout shall ask another
     * one, if there is one that may hear it (decision 0086).
     */
    record SwitchHealthEvaluator(NodeId node, long attempt) implements Effect {}
}
