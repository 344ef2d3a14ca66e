package drover.coordinator.plan;

import java.util.List;
import java.util.Optional;

/** Gives the nodes of the batch in flight their work. */
final class Dispatcher {
    private Dispatcher() {}

    /**
     * Assigns what may be assigned now; nodes that cannot be are skipped, deferred, or waited for.
     */
    static void dispatch(PlanDraft draft, Batch batch) {
        if (draft.fleet.completeSince() == null) {
            return; // blind: nothing is dispatched (rule R3)
        }
        Optional<NodeUpgrade> next = nextPending(draft, batch);
        while (next.isPresent() && draft.inFlight().count() < draft.spec.maxInFlight()) {
            consider(draft, batch, next.get());
            next = nextPending(draft, batch, next.get());
        }
    }

    private static Optional<NodeUpgrade> nextPending(PlanDraft draft, Batch batch) {
        return pending(draft, batch).stream().findFirst();
    }

    private static Optional<NodeUpgrade> nextPending(
            PlanDraft draft, Batch batch, NodeUpgrade after) {
        return pending(draft, batch).stream()
                .filter(node -> node.id().compareTo(after.id()) > 0)
                .findFirst();
    }

    static List<NodeUpgrade> pending(PlanDraft draft, Batch batch) {
        return draft.inBatch(batch.index())
                .filter(node -> node.state() instanceof NodeState.Pending)
                .toList();
    }

    private static void consider(PlanDraft draft, Batch batch, NodeUpgrade node) {
        switch (draft.fleet.node(node.id())) {
            case NodeView.Unknown unknown -> {} // nothing may be concluded yet
            case NodeView.Absent absent -> offline(draft, batch, node);
            case NodeView.Present present ->
                    Eligibility.objection(draft, node, present)
                            .ifPresentOrElse(
                                    skipped -> skip(draft, batch, node, skipped),
                                    () -> assign(draft, node));
        }
    }

    private static void assign(PlanDraft draft, NodeUpgrade node) {
        long attempt = draft.allot(node, 0);
        NodeState.Pending pending = (NodeState.Pending) node.state();
        draft.moveNode(
                draft.node(node.id()),
                pending.assign(attempt, draft.now),
                new Cause("DISPATCHED", "Its turn has come in batch " + (node.batch() + 1) + "."));
    }

    private static void skip(
            PlanDraft draft, Batch batch, NodeUpgrade node, NodeState.Skipped skipped) {
        draft.moveNode(node, skipped, new Cause(skipped.reason().name(), skipped.detail()));
        if (batch.canary()) {
            replaceCanary(draft, batch);
        }
    }

    /**
     * An offline node is deferred while there is a later batch, and skipped when everything else is
     * done (A7).
     */
    private static void offline(PlanDraft draft, Batch batch, NodeUpgrade node) {
        if (!draft.isOffline(node.id())) {
            return;
        }
        if (batch.canary() && replaceCanary(draft, batch)) {
            draft.rebatch(node, laterBatch(draft, batch), deferred());
        } else if (!batch.canary() && batch.index() < draft.batches().size() - 1) {
            draft.rebatch(node, laterBatch(draft, batch), deferred());
        } else if (draft.mayJudge() && isLastOpen(draft)) {
            NodeState.Pending pending = (NodeState.Pending) node.state();
            Cause cause =
                    new Cause(
                            "OFFLINE",
                            "Its agent was not connected when everything else was done.");
            draft.moveNode(
                    node, pending.skip(SkipReason.OFFLINE, cause.sentence(), draft.now), cause);
        }
    }

    private static Cause deferred() {
        return new Cause("DEFERRED", "Its agent is not connected; its turn comes later.");
    }

    /** Whether only offline nodes are left to do. */
    private static boolean isLastOpen(PlanDraft draft) {
        return draft.nodes().stream()
                .noneMatch(
                        node ->
                                node.state().isInFlight()
                                        || (node.state() instanceof NodeState.Pending
                                                && !draft.isOffline(node.id())));
    }

    /**
     * The last batch while it has room; otherwise a new one, so that no batch grows beyond its
     * size.
     */
    private static int laterBatch(PlanDraft draft, Batch from) {
        int last = draft.batches().size() - 1;
        boolean room =
                last > from.index()
                        && draft.inBatch(last).count() < draft.spec.strategy().batchSize();
        return room ? last : draft.appendBatch();
    }

    /**
     * Pulls a connected node forward, so that the canary is never empty while there is a node to
     * try.
     */
    private static boolean replaceCanary(PlanDraft draft, Batch canary) {
        Optional<NodeUpgrade> replacement =
                draft.nodes().stream()
                        .filter(node -> node.batch() > canary.index())
                        .filter(node -> node.state() instanceof NodeState.Pending)
                        .filter(node -> draft.fleet.node(node.id()) instanceof NodeView.Present)
                        .findFirst();
        replacement.ifPresent(
                node ->
                        draft.rebatch(
                                node,
                                canary.index(),
                                new Cause(
                                        "CANARY_REPLACEMENT",
                                        "It takes the place of a canary node that cannot be tried.")));
        return replacement.isPresent();
    }
}
