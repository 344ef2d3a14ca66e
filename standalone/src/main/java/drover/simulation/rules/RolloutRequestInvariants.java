package drover.simulation.rules;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.simulation.world.SimulatedOperator;
import drover.simulation.world.SimulatedProgramDefinition;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What operators asked and what became of it (A6, A7, A13, and the expiry of requests). */
final class RolloutRequestInvariants {
    private static final Duration EXPIRY = Duration.ofSeconds(60);

    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private final DispatchGateInvariants gates;
    private final Map<UUID, SubmittedRequest> requested = new HashMap<>();

    private record SubmittedRequest(OperatorRequest request, String actor, long atNanos) {}

    RolloutRequestInvariants(
            SimulatedWorld world, SafetyInvariants safety, DispatchGateInvariants gates) {
        this.world = world;
        this.safety = safety;
        this.gates = gates;
    }

    void recordRequest(UUID id, OperatorRequest request, String actor) {
        requested.putIfAbsent(id, new SubmittedRequest(request, actor, world.time.nanos()));
    }

    /** Who asked for the request of this kind that the commit applies; empty when none is. */
    String actorOfAppliedRequest(Commit commit, Class<? extends OperatorRequest> kind) {
        return commit.requests().stream()
                .filter(decided -> decided.refusalCode().isEmpty())
                .map(decided -> requested.get(decided.id()))
                .filter(what -> what != null && kind.isInstance(what.request()))
                .map(SubmittedRequest::actor)
                .findFirst()
                .orElse("");
    }

    void checkCommit(Commit commit) {
        commit.requests().forEach(decided -> checkDecision(commit, decided));
        commit.history().forEach(row -> checkActor(commit, row));
        boolean acknowledged =
                commit.after().acknowledgedFailures() > commit.before().acknowledgedFailures();
        safety.recordViolationUnless(
                !acknowledged
                        || acknowledgesFailures(commit, commit.after().acknowledgedFailures()),
                "A6: nobody acknowledged " + commit.after().acknowledgedFailures() + " failures");
        boolean accepted =
                commit.after().nodes().values().stream()
                        .anyMatch(
                                node ->
                                        isAcknowledgedFailure(node)
                                                && !isAcknowledgedFailure(
                                                        commit.before().nodes().get(node.id())));
        safety.recordViolationUnless(
                !accepted || acknowledgesFailures(commit, commit.after().acknowledgedFailures()),
                "A22: nobody acknowledged a late failure");
        if (commit.before().state() instanceof RolloutState.Paused paused
                && commit.after().state() instanceof RolloutState.Running) {
            requireAcknowledgedFailures(commit, paused);
        }
        boolean offline = commit.after().acceptedOffline() != commit.before().acceptedOffline();
        safety.recordViolationUnless(
                !offline
                        || commit.after().acceptedOffline() >= countSkippedOffline(commit.before()),
                "A7: accepted " + commit.after().acceptedOffline() + " offline nodes");
        if (commit.before().state() instanceof RolloutState.Ended
                && commit.after().state() instanceof RolloutState.RollingBack) {
            commit.before()
                    .nodes()
                    .values()
                    .forEach(node -> checkReopenedNode(commit.before(), node));
        }
    }

    private static boolean isAcknowledgedFailure(@Nullable NodeUpgrade node) {
        return node != null
                && node.state() instanceof NodeState.Unhealthy late
                && late.acknowledged();
    }

    private void checkDecision(Commit commit, Commit.DecidedRequest decided) {
        SubmittedRequest what = requested.get(decided.id());
        if (what == null) {
            safety.violationFound("Nobody asked for " + decided.id());
            return;
        }
        boolean expired = decided.refusalCode().equals("REQUEST_EXPIRED");
        world.counts.count(
                (decided.refusalCode().isEmpty() ? "applied " : expired ? "expired " : "refused ")
                        + SimulatedOperator.name(what.request()));
        long age = world.time.nanos() - what.atNanos();
        boolean old = age > EXPIRY.toNanos();
        boolean risky = isDroppedWhenLate(what.request());
        boolean dropped = !decided.refusalCode().isEmpty();
        boolean right = (risky && old) ? dropped : !expired;
        safety.recordViolationUnless(
                right,
                "A request "
                        + what.request()
                        + " of "
                        + Duration.ofNanos(age).toSeconds()
                        + " s is "
                        + (expired ? "dropped" : "applied")
                        + " while "
                        + commit.before().state());
    }

    /** Nothing is told as somebody's deed that nobody asked for, or asked for as another one. */
    private void checkActor(Commit commit, HistoryEntry row) {
        String code = row.because().code();
        boolean takesTwo =
                List.of("APPROVED", "FORCED").contains(code)
                        || (code.equals("STARTED")
                                && SimulatedOperator.needsTwoPersons(commit.before()));
        safety.recordViolationUnless(
                !takesTwo || !row.actor().equals(SimulatedWorld.CREATOR),
                "A9, A16: " + code + " by the creator alone");
        switch (code) {
            case "APPROVED" ->
                    safety.recordViolationUnless(
                            appliesRequest(commit, OperatorRequest.Approve.class),
                            "A9: told as approved by " + row.actor() + ", who did not approve");
            case "FORCED" ->
                    safety.recordViolationUnless(
                            appliesRequest(commit, OperatorRequest.Force.class),
                            "A6: told as forced by " + row.actor() + ", who did not force");
            default -> {} // the other requests have rules of their own
        }
    }

    private boolean appliesRequest(Commit commit, Class<? extends OperatorRequest> kind) {
        return !actorOfAppliedRequest(commit, kind).isEmpty();
    }

    private static boolean isDroppedWhenLate(OperatorRequest request) {
        return switch (request) {
            case OperatorRequest.Start s -> true;
            case OperatorRequest.Resume r -> true;
            case OperatorRequest.Approve a -> true;
            case OperatorRequest.Force f -> true;
            case OperatorRequest.RetryNode r -> true;
            case OperatorRequest.ReleaseNode r -> true;
            default -> false;
        };
    }

    /** Whether the commit applies a resume that names this number, which is the present one. */
    private boolean acknowledgesFailures(Commit commit, int failures) {
        return commit.requests().stream()
                .map(decided -> requested.get(decided.id()))
                .anyMatch(
                        what ->
                                what != null
                                        && what.request() instanceof OperatorRequest.Resume resume
                                        && resume.acknowledgedFailures() == failures
                                        && failures
                                                == DispatchGateInvariants.countTowardsThreshold(
                                                        commit.before()));
    }

    private void requireAcknowledgedFailures(Commit commit, RolloutState.Paused paused) {
        boolean failures =
                paused.reason() == PauseReason.FAILURE_THRESHOLD
                        || paused.reason() == PauseReason.SUCCEEDED_UNHEALTHY
                        || paused.reason() == PauseReason.CANARY_FAILED;
        int open =
                DispatchGateInvariants.countTowardsThreshold(commit.before())
                        - commit.after().acknowledgedFailures();
        safety.recordViolationUnless(
                !failures || open <= 0 || gates.isForced(commit.after()),
                "A6: resumed with " + open + " failures that nobody acknowledged");
    }

    /**
     * What is restored is there: a later rollout's change does not stand. Nothing is known yet of a
     * node that has work open or waits for a clear. A node whose upgrade was not verified may run
     * what ran before.
     */
    private void checkReopenedNode(Rollout rollout, NodeUpgrade node) {
        int installed = world.installedVersion(rollout, node.id());
        boolean there =
                SimulatedProgramDefinition.version(installed)
                        .equals(rollout.spec().targetVersion().value());
        boolean unknown =
                safety.hasOpenAttempt(node.id())
                        || gates.isAwaitingClear(node.id())
                        || safety.retirements().isRetirementRequested(node.id());
        safety.recordViolationUnless(
                node.installedBy() == 0
                        || there
                        || unknown
                        || (!isVerified(node)
                                && CommittedOutcomeInvariants.isSourceInstalled(
                                        rollout, node, installed)),
                "A13: rolled back although node " + node.id() + " has v" + installed);
    }

    private static boolean isVerified(NodeUpgrade node) {
        return node.state() instanceof NodeState.Succeeded
                || node.state() instanceof NodeState.Unhealthy;
    }

    static int countSkippedOffline(Rollout rollout) {
        return (int)
                rollout.nodes().values().stream()
                        .filter(
                                node ->
                                        node.state() instanceof NodeState.Skipped skipped
                                                && skipped.reason() == SkipReason.OFFLINE)
                        .count();
    }
}
