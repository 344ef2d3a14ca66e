package drover.coordinator.engine.rollout;

import drover.coordinator.engine.fleet.LazyFleetSnapshot;
import drover.coordinator.peers.CommandBodySerializer;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.step.Step;
import drover.coordinator.plan.step.UpgradePhaseDiff;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.rollout.HistoryEntry;
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
public final class HistoryAndAttemptsBuilder {
    private final RolloutId id;
    private final long epoch;
    private final LeaderStore store;

    HistoryAndAttemptsBuilder(RolloutId id, long epoch, LeaderStore store) {
        this.id = id;
        this.epoch = epoch;
        this.store = store;
    }

    /** The history of a step, as whoever made it wrote it. */
    List<HistoryEntry> historyEntries(List<Transition> transitions, Instant now, String actor) {
        return transitions.stream().map(t -> HistoryEntry.of(t, now, epoch, actor)).toList();
    }

    /** The history of a step and of the phases that it changes. */
    List<HistoryEntry> historyEntries(Rollout before, Step step, Instant now, String actor) {
        List<Transition> all = new ArrayList<>(step.transitions());
        all.addAll(UpgradePhaseDiff.between(before, step.next()));
        return historyEntries(all, now, actor);
    }

    /** Bodies are serialized once, here, from what was frozen at creation. */
    List<Commit.NewAttempt> newAttempts(Step step) {
        List<NodeId> upgrades =
                step.attempts().stream()
                        .filter(allotment -> allotment.restoreOf() == 0)
                        .map(Step.AssignedAttempt::node)
                        .toList();
        Map<NodeId, byte[]> payloads =
                upgrades.isEmpty() ? Map.of() : store.loadPayloads(id, upgrades);
        List<Commit.NewAttempt> attempts = new ArrayList<>();
        for (Step.AssignedAttempt allotment : step.attempts()) {
            byte[] body = commandBody(step.next(), allotment, payloads);
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

    private byte[] commandBody(
            Rollout rollout, Step.AssignedAttempt allotment, Map<NodeId, byte[]> payloads) {
        if (allotment.restoreOf() != 0) {
            NodeTarget target = requireNode(rollout, allotment.node()).target();
            return CommandBodySerializer.restoreBody(
                    id, allotment.attempt(), allotment.restoreOf(), rollout.spec(), target);
        }
        byte[] payload = payloads.get(allotment.node());
        if (payload == null) {
            throw new IllegalStateException("Nothing was frozen for node " + allotment.node());
        }
        return CommandBodySerializer.upgradeBody(
                rollout.spec().programKind(), allotment.node(), id, allotment.attempt(), payload);
    }

    private static NodeUpgrade requireNode(Rollout rollout, NodeId node) {
        NodeUpgrade found = rollout.nodes().get(node);
        if (found == null) {
            throw new IllegalStateException("Node " + node + " is no target");
        }
        return found;
    }

    /** The statuses this step took in, as they came. */
    static List<Commit.ReportedAttemptStatus> statusUpdates(
            Rollout before, Rollout after, LazyFleetSnapshot view) {
        List<Commit.ReportedAttemptStatus> reports = new ArrayList<>();
        for (NodeUpgrade node : after.nodes().values()) {
            NodeUpgrade was = requireNode(before, node.id());
            if (node.equals(was)) {
                continue;
            }
            view.receivedStatus(node.id())
                    .filter(raw -> raw.status().attempt() == was.attempt())
                    .filter(raw -> raw.status().sequence() > was.sequence())
                    .ifPresent(raw -> reports.add(statusUpdate(raw)));
        }
        return reports;
    }

    /** One status, as it came. */
    public static Commit.ReportedAttemptStatus statusUpdate(ReportedStatus raw) {
        return new Commit.ReportedAttemptStatus(
                raw.node(),
                raw.status().attempt(),
                raw.status().sequence(),
                raw.bytes(),
                raw.status().outcome().name(),
                raw.status().outcome().isTerminal(),
                needsOperator(raw.status()),
                raw.status().detail(),
                raw.status().runningDigest(),
                raw.status().configDigest());
    }

    /**
     * Its agent says so. One that refuses work for a mark that is not in the table must get it
     * there, or the node could never be cleared (invariant D14).
     */
    private static boolean needsOperator(AttemptStatus report) {
        return report.outcome() == AttemptOutcome.FAILED_ROLLBACK
                || report.reason().equals("NEEDS_CLEAR");
    }
}
