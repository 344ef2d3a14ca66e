package drover.coordinator.plan;

import java.time.Instant;

/**
 * Judges what took too long. Never while the leader was blind (rule R3), and never so that an
 * attempt is closed: the node counts as failed, its attempt stays open until its agent speaks (rule
 * R1).
 */
final class Deadlines {
    private Deadlines() {}

    static void judge(PlanDraft draft) {
        if (draft.mayJudge()) {
            draft.inFlight().forEach(node -> judge(draft, node));
        }
    }

    private static void judge(PlanDraft draft, NodeUpgrade node) {
        if (!draft.isPast(deadline(draft, node))) {
            return;
        }
        switch (node.state()) {
            case NodeState.Assigned assigned -> {
                Cause cause = silence("did not begin its work", draft.timings.accept());
                draft.moveNode(node, assigned.silent(cause, draft.now), cause);
            }
            case NodeState.Upgrading upgrading -> {
                Cause cause = silence("did not finish its work", draft.timings.work());
                draft.moveNode(node, upgrading.silent(cause, draft.now), cause);
            }
            case NodeState.Restoring restoring -> {
                Cause cause = silence("did not bring the old version back", draft.timings.work());
                draft.moveNode(node, restoring.silent(cause, draft.now), cause);
            }
            case NodeState.Settling settling -> unsettled(draft, node, settling);
            case NodeState.Observed observed -> pauseWithoutHealth(draft);
            default -> {} // nothing else waits for its node
        }
    }

    /** When a node in flight has taken too long. */
    static Instant deadline(PlanDraft draft, NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.Assigned assigned -> assigned.since().plus(draft.timings.accept());
            case NodeState.Upgrading upgrading -> upgrading.since().plus(draft.timings.work());
            case NodeState.Restoring restoring ->
                    restoring
                            .since()
                            .plus(
                                    restoring.begun()
                                            ? draft.timings.work()
                                            : draft.timings.accept());
            case NodeState.Settling settling ->
                    judgedSince(draft, settling).plus(draft.spec.healthDeadline());
            case NodeState.Observed observed when !draft.fleet.healthAvailable() ->
                    observed.wellSince()
                            .plus(draft.spec.observation())
                            .plus(draft.spec.healthDeadline());
            default -> Instant.MAX;
        };
    }

    /**
     * A node can become well only while somebody judges it: after the health-evaluator was away its
     * whole time begins anew (rule R3: blind is not bad).
     */
    private static Instant judgedSince(PlanDraft draft, NodeState.Settling settling) {
        Instant judged = draft.fleet.healthSince();
        return judged != null && judged.isAfter(settling.since()) ? judged : settling.since();
    }

    private static void unsettled(PlanDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        if (!draft.fleet.healthAvailable()) {
            pauseWithoutHealth(draft);
        } else if (draft.fleet.node(node.id()) instanceof NodeView.Absent) {
            Cause cause =
                    new Cause(
                            "SILENT", "The target was installed, but its agent is not connected.");
            draft.moveNode(node, settling.silent(cause, draft.now), cause);
        } else if (isUnseen(draft, node, settling)) {
            pauseWithoutHealth(draft);
        } else {
            draft.restoreUnwell(
                    node,
                    new Cause(
                            IncidentRules.STALLED,
                            "Not well for "
                                    + Text.of(draft.spec.healthWait())
                                    + " without a break within "
                                    + Text.of(draft.spec.healthDeadline())
                                    + ": "
                                    + waitingOn(draft, node, settling)));
        }
    }

    /**
     * Its agent is connected, and whoever judges it has heard nothing: a gateway that the evaluator
     * cannot reach is no illness of the node (rule R3: blind is not bad).
     */
    private static boolean isUnseen(
            PlanDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        return HealthGate.verdict(draft, node, settling.attempt()) instanceof HealthVerdict.NoData;
    }

    private static String waitingOn(
            PlanDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        return switch (HealthGate.verdict(draft, node, settling.attempt())) {
            case HealthVerdict.Settling waiting -> waiting.waitingOn();
            case HealthVerdict.NoData noData -> noData.why();
            case HealthVerdict.Healthy healthy -> "well only now.";
            case HealthVerdict.Unhealthy unhealthy -> "unwell.";
        };
    }

    private static void pauseWithoutHealth(PlanDraft draft) {
        if (draft.state() instanceof RolloutState.Running running) {
            draft.moveRollout(
                    running.pause(PauseReason.HEALTH_UNAVAILABLE, draft.now),
                    new Cause(
                            PauseReason.HEALTH_UNAVAILABLE.name(),
                            "No health verdicts are to be had; nodes stay settling until the health-evaluator is back."));
        }
    }

    private static Cause silence(String what, java.time.Duration limit) {
        return new Cause("SILENT", "The agent " + what + " within " + Text.of(limit) + ".");
    }
}
