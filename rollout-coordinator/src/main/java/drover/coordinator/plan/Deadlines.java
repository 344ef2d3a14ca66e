package drover.coordinator.plan;

import drover.model.NodeId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

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
                    isHeard(draft, node, settling)
                            ? heardSince(draft, settling, node.id())
                                    .plus(draft.spec.healthDeadline())
                            : judgedSince(draft, settling).plus(draft.spec.unheardDeadline());
            case NodeState.Observed observed when !draft.fleet.healthAvailable() ->
                    observed.wellSince()
                            .plus(draft.spec.observation())
                            .plus(draft.spec.unheardDeadline());
            default -> Instant.MAX;
        };
    }

    /**
     * A node can become well only while somebody judges it: after the health-evaluator was away its
     * whole time begins anew (rule R3: blind is not bad).
     */
    private static Instant judgedSince(PlanDraft draft, NodeState.Settling settling) {
        return later(settling.since(), draft.fleet.healthSince());
    }

    /** What is heard of it must have had time to become good: a stumble is no state. */
    private static Instant heardSince(PlanDraft draft, NodeState.Settling settling, NodeId node) {
        return later(judgedSince(draft, settling), draft.fleet.heardSince(node));
    }

    private static Instant later(Instant one, @Nullable Instant other) {
        return other != null && other.isAfter(one) ? other : one;
    }

    /** Whether its agent is there, and whoever judges it has something to say of it. */
    private static boolean isHeard(PlanDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        return !(draft.fleet.node(node.id()) instanceof NodeView.Absent)
                && !(HealthGate.verdict(draft, node, settling.attempt())
                        instanceof HealthVerdict.NoData);
    }

    private static void unsettled(PlanDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        if (!draft.fleet.healthAvailable()) {
            pauseWithoutHealth(draft);
        } else if (draft.fleet.node(node.id()) instanceof NodeView.Absent) {
            Cause cause =
                    new Cause(
                            "SILENT", "The target was installed, but its agent is not connected.");
            draft.moveNode(node, settling.silent(cause, draft.now), cause);
        } else if (mayWait(draft)
                && HealthGate.verdict(draft, node, settling.attempt())
                        instanceof HealthVerdict.NoData noData) {
            pauseUnheard(draft, node, noData);
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

    /** A cancellation has no way back to waiting: it ends with what it can prove. */
    private static boolean mayWait(PlanDraft draft) {
        return draft.state() instanceof RolloutState.Running
                || draft.state() instanceof RolloutState.Paused;
    }

    /**
     * Its agent is connected, and whoever judges it has heard nothing: a gateway that the evaluator
     * cannot reach is no illness of the node (rule R3: blind is not bad). A person must look at the
     * way (invariant A18).
     */
    private static void pauseUnheard(
            PlanDraft draft, NodeUpgrade node, HealthVerdict.NoData noData) {
        if (draft.state() instanceof RolloutState.Running running) {
            String sentence = unheard(node.id(), noData);
            draft.note(node, new Cause(IncidentRules.UNHEARD, sentence));
            draft.moveRollout(
                    running.pause(PauseReason.HEALTH_UNAVAILABLE, draft.now),
                    new Cause(PauseReason.HEALTH_UNAVAILABLE.name(), sentence));
        }
    }

    /** What a person reads of a node that is there and not heard of. */
    static String unheard(NodeId node, HealthVerdict.NoData noData) {
        return "Of node "
                + node
                + " nothing is heard: "
                + noData.why()
                + " Look at the way from the health-evaluator to its gateway, then resume, or roll"
                + " back.";
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
