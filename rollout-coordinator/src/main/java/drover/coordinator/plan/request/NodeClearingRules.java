package drover.coordinator.plan.request;

import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.observed.NodeView;
import drover.model.NodeId;
import drover.model.RefusalCode;

/**
 * Decides whether a node may be cleared now. A clear is an attempt like any other: it gets the next
 * number of the node, so that nothing else is under way meanwhile (rule R1, invariant A4).
 */
public final class NodeClearingRules {
    private NodeClearingRules() {}

    /** What becomes of the request. */
    public sealed interface Outcome {
        /** Nothing can be said yet; look again. */
        record Wait() implements Outcome {}

        /** Its agent shall clear it under this number, higher than any it or the database knows. */
        record AssignClearAttempt(long attempt) implements Outcome {}

        /** The rules say no. */
        record Refuse(RefusalCode code, String sentence) implements Outcome {}
    }

    /** Decides. A clear that was allotted is never decided again: its agent answers. */
    public static Outcome decide(NodeId node, NodeAttemptsAndReservation guard, NodeView view) {
        if (guard.openFor() != null) {
            return new Outcome.Refuse(
                    RefusalCode.NODE_IN_FLIGHT,
                    "Node "
                            + node
                            + " has work open; wait until its agent is heard, or retire the node"
                            + " if it will not come back.");
        }
        return switch (view) {
            case NodeView.Unknown unknown -> new Outcome.Wait();
            case NodeView.Absent absent ->
                    new Outcome.Refuse(
                            RefusalCode.NODE_OFFLINE,
                            "The agent of node "
                                    + node
                                    + " is not connected and cannot look at what runs; start it"
                                    + " first, or retire the node.");
            case NodeView.Present present -> decideConnected(node, guard, present.attemptFloor());
        };
    }

    /**
     * Explains that the agent did not clear its node.
     *
     * @param outcome of the clear
     * @param detail sentence of the agent; empty if it sent none
     */
    public static String refusalSentence(NodeId node, String outcome, String detail) {
        return "Node "
                + node
                + " is not cleared: "
                + (detail.isEmpty()
                        ? "its agent reports "
                                + outcome
                                + ". Read the agent's log, then clear the node again."
                        : detail);
    }

    /** A floor that differs from ours is a mark as well: nobody gives such a node work. */
    private static Outcome decideConnected(
            NodeId node, NodeAttemptsAndReservation guard, long floor) {
        return guard.failedRollback() || floor != guard.lastAttempt()
                ? new Outcome.AssignClearAttempt(Math.max(floor, guard.lastAttempt()) + 1)
                : new Outcome.Refuse(
                        RefusalCode.NOTHING_TO_CLEAR,
                        "Node " + node + " has no mark: rollouts may use it as it is.");
    }
}
