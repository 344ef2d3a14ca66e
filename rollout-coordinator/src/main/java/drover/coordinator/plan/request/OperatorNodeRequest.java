package drover.coordinator.plan.request;

import drover.model.OptionalEnumParser;

/** What an operator asks of a node, whatever rollouts there are. */
public enum OperatorNodeRequest {
    /**
     * Take its mark off once its agent has looked at what runs (invariant D14). Leads towards more
     * risk: the next rollout may touch the node.
     */
    CLEAR,
    /** It will not come back: close its attempt as lost (rule R1). */
    RETIRE,
    /**
     * Nobody speaks for it any more. The gateways have done that before it is written down, so that
     * nothing is left for a leader to decide.
     */
    REVOKE,
    /** What a later version of a coordinator wrote down; nothing here knows what it means. */
    UNKNOWN;

    /** What a word in the table of requests asks for. */
    public static OperatorNodeRequest of(String word) {
        return OptionalEnumParser.byLowerCaseName(OperatorNodeRequest.class, word).orElse(UNKNOWN);
    }
}
