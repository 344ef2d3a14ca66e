package drover.coordinator.plan;

/** What an operator asks of a node, whatever rollouts there are. */
public enum NodeRequest {
    /**
     * Take its mark off once its agent has looked at what runs (invariant D14). Leads towards more
     * risk: the next rollout may touch the node.
     */
    CLEAR,
    /** It will not come back: close its attempt as lost (rule R1). */
    RETIRE
}
