package drover.coordinator.engine;

import drover.coordinator.peers.CommandBodies;
import drover.coordinator.peers.GatewayLink.ReportedNode;
import drover.coordinator.plan.AttemptReport;
import drover.coordinator.plan.NodeTarget;
import drover.coordinator.plan.NodeUpgrade;
import drover.coordinator.plan.PhaseChanges;
import drover.coordinator.plan.Rollout;
import drover.coordinator.plan.Step;
import drover.coordinator.plan.Transition;
import drover.coordinator.store.Commit;
import drover.coordinator.store.HistoryRow;
import drover.coordinator.store.LeaderStore;
import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What is written of a step of one rollout beside the rollout itself: its history, its attempts
 * with the bodies that their nodes will be sent, and the statuses it took in.
 */
final class StepRecords {
    private final RolloutId id;
    private final long epoch;
    private final LeaderStore store;

    StepRecords(RolloutId id, long epoch, LeaderStore store) {
        this.id = id;
        this.epoch = epoch;
        this.store = store;
    }

    /** The history of a step, as whoever made it wrote it. */
    List<HistoryRow> rows(List<Transition> transitions, Instant now, String actor) {
        return transitions.stream().map(t -> HistoryRow.of(t, now, epoch, actor)).toList();
    }

    /** The history of a step and of the phases that it changes. */
    List<HistoryRow> rows(Rollout before, Step step, Instant now, String actor) {
        List<Transition> all = new ArrayList<>(step.transitions());
        all.addAll(PhaseChanges.between(before, step.next()));
        return rows(all, now, actor);
    }

    /** Bodies are serialized once, here, from what was frozen at creation. */
    List<Commit.NewAttempt> attempts(Step step) {
        List<NodeId> upgrades =
                step.allotted().stream()
                        .filter(allotment -> allotment.restoreOf() == 0)
                        .map(Step.Allotment::node)
                        .toList();
        Map<NodeId, byte[]> payloads = upgrades.isEmpty() ? Map.of() : store.payloads(id, upgrades);
        List<Commit.NewAttempt> attempts = new ArrayList<>();
        for (Step.Allotment allotment : step.allotted()) {
            byte[] body = body(step.next(), allotment, payloads);
            attempts.add(
                    new Commit.NewAttempt(
                            allotment.node(),
                            allotment.attempt(),
                            allotment.restoreOf(),
                            body,
                            Digest.of(body).value()));
        }
        return attempts;
    }

    private byte[] body(Rollout rollout, Step.Allotment allotment, Map<NodeId, byte[]> payloads) {
        if (allotment.restoreOf() != 0) {
            NodeTarget target = node(rollout, allotment.node()).target();
            return CommandBodies.restore(
                    id, allotment.attempt(), allotment.restoreOf(), rollout.spec(), target);
        }
        byte[] payload = payloads.get(allotment.node());
        if (payload == null) {
            throw new IllegalStateException("Nothing was frozen for node " + allotment.node());
        }
        return CommandBodies.upgrade(
                rollout.spec().kind(), allotment.node(), id, allotment.attempt(), payload);
    }

    private static NodeUpgrade node(Rollout rollout, NodeId node) {
        NodeUpgrade found = rollout.nodes().get(node);
        if (found == null) {
            throw new IllegalStateException("Node " + node + " is no target");
        }
        return found;
    }

    /** The statuses this step took in, as they came. */
    static List<Commit.Report> reports(Rollout before, Rollout after, MirrorView view) {
        List<Commit.Report> reports = new ArrayList<>();
        for (NodeUpgrade node : after.nodes().values()) {
            NodeUpgrade was = node(before, node.id());
            if (node.equals(was)) {
                continue;
            }
            view.raw(node.id())
                    .filter(raw -> raw.report().attempt() == was.attempt())
                    .filter(raw -> raw.report().sequence() > was.sequence())
                    .ifPresent(raw -> reports.add(report(raw)));
        }
        return reports;
    }

    /** One status, as it came. */
    static Commit.Report report(ReportedNode raw) {
        return new Commit.Report(
                raw.node(),
                raw.report().attempt(),
                raw.report().sequence(),
                raw.bytes(),
                raw.report().outcome().name(),
                raw.report().outcome().isTerminal(),
                needsAPerson(raw.report()));
    }

    /**
     * Its agent says so. One that refuses work for a mark that is not in the table must get it
     * there, or the node could never be cleared (invariant D14).
     */
    private static boolean needsAPerson(AttemptReport report) {
        return report.outcome() == AttemptOutcome.FAILED_ROLLBACK
                || report.reason().equals("NEEDS_CLEAR");
    }
}
