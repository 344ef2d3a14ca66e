package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.StepDraft;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Gives the nodes of the batch in flight their work. */
final class DispatchPlanner {
    private DispatchPlanner() {}

    /**
     * Assigns what may be assigned now; nodes that cannot be are skipped, deferred, or waited for.
     * One pass over the batch: what it pulls forward has its turn in the next step.
     *
     * @param dispatchable nodes that the health of the targets allows to assign
     */
    static void dispatch(StepDraft draft, Batch batch, Predicate<NodeUpgrade> dispatchable) {
        if (batch.canary()) {
            replaceHeld(draft, batch);
        }
        deferOrSkipOfflineNodes(draft, batch);
        int capacity = draft.inFlightCapacity(batch);
        for (NodeUpgrade node : pendingNodes(draft, batch)) {
            if (capacity <= 0) {
                return;
            }
            if (dispatchable.test(node)) {
                assignOrSkipIfPresent(draft, batch, node);
            }
            if (draft.node(node.id()).state().isInFlight()) {
                capacity--;
            }
        }
    }

    /** A held canary node gives its place away, if there is a node to take it. */
    private static void replaceHeld(StepDraft draft, Batch canary) {
        List<NodeUpgrade> held =
                draft.nodesInBatch(canary.index())
                        .filter(node -> node.state() instanceof NodeState.Held)
                        .toList();
        for (NodeUpgrade node : held) {
            if (addConnectedToCanary(draft, canary)) {
                draft.moveToBatch(
                        node,
                        findOrAppendBatch(draft, canary),
                        new Cause("DEFERRED", "An operator holds it; its turn comes later."));
            }
        }
    }

    static List<NodeUpgrade> pendingNodes(StepDraft draft, Batch batch) {
        return draft.nodesInBatch(batch.index())
                .filter(node -> node.state() instanceof NodeState.Pending)
                .sorted(NodeUpgrade.ORDER)
                .toList();
    }

    private static void deferOrSkipOfflineNodes(StepDraft draft, Batch batch) {
        OnlineNodesWork others = findRemainingWork(draft);
        for (NodeUpgrade node : pendingNodes(draft, batch)) {
            if (draft.fleet.node(node.id()) instanceof NodeView.Absent) {
                deferOrSkipOffline(draft, batch, node, others);
            }
        }
    }

    private static void assignOrSkipIfPresent(StepDraft draft, Batch batch, NodeUpgrade node) {
        switch (draft.fleet.node(node.id())) {
            case NodeView.Unknown unknown -> {} // nothing may be concluded yet
            case NodeView.Absent absent -> {} // its turn comes later
            case NodeView.Present present ->
                    NodeSkipRules.findSkip(draft, node, present)
                            .ifPresentOrElse(
                                    skipped -> skip(draft, batch, node, skipped),
                                    () -> assign(draft, node));
        }
    }

    private static void assign(StepDraft draft, NodeUpgrade node) {
        long attempt = draft.assignAttempt(node, 0);
        NodeState.Pending pending = (NodeState.Pending) node.state();
        draft.moveNode(
                draft.node(node.id()),
                pending.assign(attempt, draft.now),
                new Cause("DISPATCHED", "Its turn has come in batch " + (node.batch() + 1) + "."));
    }

    private static void skip(
            StepDraft draft, Batch batch, NodeUpgrade node, NodeState.Skipped skipped) {
        draft.moveNode(node, skipped, new Cause(skipped.reason().name(), skipped.detail()));
        if (batch.canary()) {
            addConnectedToCanary(draft, batch);
        }
    }

    /**
     * An offline node is deferred while there is a later batch, and skipped when everything else is
     * done (A7).
     */
    private static void deferOrSkipOffline(
            StepDraft draft, Batch batch, NodeUpgrade node, OnlineNodesWork others) {
        if (!draft.isOfflineBeyondGrace(node.id())) {
            return;
        }
        if (batch.canary() && addConnectedToCanary(draft, batch)) {
            draft.moveToBatch(node, findOrAppendBatch(draft, batch), deferredCause());
        } else if (!batch.canary()
                && others == OnlineNodesWork.WAITING
                && batch.index() < draft.batches().size() - 1) {
            draft.moveToBatch(node, findOrAppendBatch(draft, batch), deferredCause());
        } else if (draft.canJudgeDeadlines() && others == OnlineNodesWork.NONE) {
            NodeState.Pending pending = (NodeState.Pending) node.state();
            Cause cause =
                    new Cause(
                            "OFFLINE",
                            "Its agent was not connected when everything else was done.");
            draft.moveNode(
                    node, pending.skip(SkipReason.OFFLINE, cause.sentence(), draft.now), cause);
        }
    }

    private static Cause deferredCause() {
        return new Cause("DEFERRED", "Its agent is not connected; its turn comes later.");
    }

    /** What there is to do beside the nodes that are offline. */
    private enum OnlineNodesWork {
        /** A node that is not offline has not had its turn. */
        WAITING,
        /** Nothing but work that is under way. */
        IN_FLIGHT,
        /** Nothing. */
        NONE
    }

    /**
     * Offline nodes are put behind others only while there are others: behind one another they
     * would go round for ever.
     */
    private static OnlineNodesWork findRemainingWork(StepDraft draft) {
        boolean inFlight = false;
        for (NodeUpgrade node : draft.nodes()) {
            if (node.state() instanceof NodeState.Pending
                    && !draft.isOfflineBeyondGrace(node.id())) {
                return OnlineNodesWork.WAITING;
            }
            inFlight |= node.state().isInFlight();
        }
        return inFlight ? OnlineNodesWork.IN_FLIGHT : OnlineNodesWork.NONE;
    }

    /**
     * The last batch while it has room; otherwise a new one, so that no batch grows beyond its
     * size.
     */
    private static int findOrAppendBatch(StepDraft draft, Batch from) {
        int last = draft.batches().size() - 1;
        boolean hasCapacity =
                last > from.index() && draft.batchSize(last) < draft.spec.strategy().batchSize();
        return hasCapacity ? last : draft.appendBatch();
    }

    /** The nodes of a canary that were not left alone. */
    static List<NodeUpgrade> nodesNotSkipped(StepDraft draft, Batch canary) {
        return draft.nodesInBatch(canary.index())
                .filter(node -> !(node.state() instanceof NodeState.Skipped))
                .toList();
    }

    /**
     * Pulls nodes forward for those of a canary that were left alone after their turn: refused by
     * their agents, or skipped by an operator. The fleet must not follow what nobody tried.
     *
     * @return whether there is somebody to try
     */
    static boolean fillCanary(StepDraft draft, Batch batch) {
        if (!batch.canary() || !(draft.spec.strategy() instanceof Strategy.Canary strategy)) {
            return false;
        }
        boolean filled = false;
        for (int missing = strategy.canarySize() - nodesNotSkipped(draft, batch).size();
                missing > 0;
                missing--) {
            filled |= addConnectedToCanary(draft, batch) || addToCanary(draft, batch, _ -> true);
        }
        return filled;
    }

    /**
     * Pulls a connected node forward, so that the canary is never empty while there is a node to
     * try.
     */
    private static boolean addConnectedToCanary(StepDraft draft, Batch canary) {
        return addToCanary(
                draft, canary, node -> draft.fleet.node(node.id()) instanceof NodeView.Present);
    }

    private static boolean addToCanary(
            StepDraft draft, Batch canary, Predicate<NodeUpgrade> acceptable) {
        Optional<NodeUpgrade> replacement =
                draft.nodes().stream()
                        .filter(node -> node.batch() > canary.index())
                        .filter(node -> node.state() instanceof NodeState.Pending)
                        .filter(acceptable)
                        .min(NodeUpgrade.ORDER);
        replacement.ifPresent(
                node ->
                        draft.moveToBatch(
                                node,
                                canary.index(),
                                new Cause(
                                        "CANARY_REPLACEMENT",
                                        "It takes the place of a canary node that cannot be tried.")));
        return replacement.isPresent();
    }
}
