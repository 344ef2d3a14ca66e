package drover.simulation.rules;

import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.simulation.world.SimulatedCoordinator;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Fleet visibility (R3, A7). A leader that does not see the whole fleet dispatches nothing, and no
 * leader calls a node silent before it has seen everything for long enough.
 */
final class VisibilityRequiredInvariants {
    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private @Nullable SimulatedCoordinator caller; // null before the first call

    VisibilityRequiredInvariants(SimulatedWorld world, SafetyInvariants safety) {
        this.world = world;
        this.safety = safety;
    }

    void recordStoreCall(SimulatedCoordinator coordinator) {
        caller = coordinator;
    }

    /** For how long the leader that commits has led, stood upright and had the store. */
    Duration visibilityDuration() {
        SimulatedCoordinator leader = caller;
        return leader == null
                ? Duration.ZERO
                : Duration.ofNanos(world.time.nanos() - leader.visibilitySinceNanos());
    }

    void checkCommit(Commit commit) {
        if (needsVisibility(commit)) {
            SimulatedCoordinator leader = caller;
            safety.recordViolationUnless(
                    leader != null && leader.hasSnapshotsOfAllGateways(),
                    "R3: nodes get work, or an approval takes effect, without fleet visibility");
        }
        long seen = visibilityDuration().toNanos();
        commit.history().stream()
                .filter(VisibilityRequiredInvariants::reportsUnreachable)
                .forEach(
                        row ->
                                safety.recordViolationUnless(
                                        seen >= world.timings.blindGrace().toNanos(),
                                        "R3: node "
                                                + row.node()
                                                + " is "
                                                + row.to()
                                                + " after "
                                                + Duration.ofNanos(seen).toSeconds()
                                                + " s of sight"));
    }

    /** Whether nodes are dispatched or restored by a rollback, or an approval is used up. */
    private static boolean needsVisibility(Commit commit) {
        boolean works =
                commit.attempts().stream()
                        .anyMatch(one -> one.restoreOf() == 0 || isRollbackRestore(commit, one));
        boolean approved =
                commit.history().stream()
                        .anyMatch(
                                row ->
                                        row.from().equals("approved")
                                                && row.to().equals("promoted"));
        return works || approved;
    }

    /** A restore that the rollback starts: none by a health gate, and no compensation. */
    private static boolean isRollbackRestore(Commit commit, Commit.NewAttempt attempt) {
        NodeUpgrade node = commit.after().nodes().get(attempt.node());
        return node != null && StateClassification.isBeingRestoredByRollback(node);
    }

    private static boolean reportsUnreachable(HistoryEntry row) {
        String code = row.because().code();
        return !row.node().isEmpty()
                && (row.to().equals("unreachable")
                        || (row.to().equals("skipped") && code.equals("OFFLINE"))
                        || (row.to().equals("restoring") && code.equals("NOT_WELL_IN_TIME")));
    }
}
