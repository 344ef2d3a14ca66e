package drover.coordinator.plan.health;

import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.DurationText;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.PlanDraft;
import drover.model.NodeId;
import java.time.Instant;

/**
 * Judges what took too long. Never while the leader was blind (rule R3), and never so that an
 * attempt is closed: the node counts as failed, its attempt stays open until its agent speaks (rule
 * R1).
 */
public final class Deadlines {
    private static final String NO_EVALUATOR = "No health-evaluator is heard.";

    private Deadlines() {}

    public static void judge(PlanDraft draft) {
        if (draft.canJudgeDeadlines()) {
            draft.inFlight().forEach(node -> judge(draft, node));
        }
    }

    private static void judge(PlanDraft draft, NodeUpgrade node) {
        if (!draft.isPast(deadline(draft, node))) {
            return;
        }
        switch (node.state()) {
            case NodeState.Assigned assigned -> {
                Cause cause = timedOut("did not begin its work", draft.timings.accept());
                draft.moveNode(node, assigned.markUnreachable(cause, draft.now), cause);
            }
            case NodeState.Upgrading upgrading -> {
                Cause cause = timedOut("did not finish its work", draft.timings.work());
                draft.moveNode(node, upgrading.markUnreachable(cause, draft.now), cause);
            }
            case NodeState.Restoring restoring -> {
                Cause cause = timedOut("did not bring the old version back", draft.timings.work());
                draft.moveNode(node, restoring.markUnreachable(cause, draft.now), cause);
            }
            case NodeState.Settling settling -> healthTimedOut(draft, node, settling);
            case NodeState.Observed observed -> observationTimedOut(draft, node);
            default -> {} // nothing else waits for its node
        }
    }

    /** When a node in flight has taken too long. */
    public static Instant deadline(PlanDraft draft, NodeUpgrade node) {
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
            case NodeState.Settling settling -> HealthDeadline.deadline(draft, node, settling);
            case NodeState.Observed observed when !draft.fleet.healthAvailable() ->
                    HealthDeadline.atLeastUntilEvaluatorGrace(
                            draft,
                            observed.wellSince()
                                    .plus(draft.spec.observation())
                                    .plus(draft.spec.noDataDeadline()));
            default -> Instant.MAX;
        };
    }

    private static void healthTimedOut(
            PlanDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        boolean cameAndWent = HealthDeadline.isFlapping(draft, node, settling);
        if (mayWait(draft)) {
            healthTimedOut(draft, node, settling, cameAndWent);
        } else if (!cameAndWent && isOffline(draft, node)) {
            markUnreachable(draft, node, settling);
        } else {
            draft.restoreUnhealthy(node, notVerified(draft, node, settling, cameAndWent));
        }
    }

    private static void healthTimedOut(
            PlanDraft draft, NodeUpgrade node, NodeState.Settling settling, boolean cameAndWent) {
        if (!draft.fleet.healthAvailable()) {
            pauseWithoutHealth(draft, node);
        } else if (cameAndWent) {
            pauseWithoutData(draft, node, flappingSentence(node.id()));
        } else if (isOffline(draft, node)) {
            markUnreachable(draft, node, settling);
        } else if (HealthGate.verdict(draft, node, settling.attempt())
                instanceof HealthVerdict.NoData noData) {
            pauseWithoutData(draft, node, noDataSentence(node.id(), noData));
        } else {
            draft.restoreUnhealthy(node, notHealthy(draft, node, settling));
        }
    }

    /** A cancellation has no way back to waiting: it ends with what it can prove. */
    private static boolean mayWait(PlanDraft draft) {
        return !(draft.state() instanceof RolloutState.Cancelling);
    }

    private static boolean isOffline(PlanDraft draft, NodeUpgrade node) {
        return draft.fleet.node(node.id()) instanceof NodeView.Absent;
    }

    private static void markUnreachable(
            PlanDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        Cause cause =
                new Cause("SILENT", "The target was installed, but its agent is not connected.");
        draft.moveNode(node, settling.markUnreachable(cause, draft.now), cause);
    }

    /** Well by its own word until the health-evaluator went away, and not for long enough. */
    private static void observationTimedOut(PlanDraft draft, NodeUpgrade node) {
        if (mayWait(draft)) {
            pauseWithoutHealth(draft, node);
        } else {
            draft.restoreUnhealthy(node, unverified(NO_EVALUATOR));
        }
    }

    /**
     * Its agent is connected, and whoever judges it has heard nothing: a gateway that the evaluator
     * cannot reach is no illness of the node (rule R3: blind is not bad). A person must look at the
     * way (invariant A18).
     */
    private static void pauseWithoutData(PlanDraft draft, NodeUpgrade node, String sentence) {
        if (draft.state() instanceof RolloutState.Running running) {
            Cause noData = new Cause(IncidentRules.NO_HEALTH_DATA, sentence);
            draft.note(node, noData);
            draft.reportStall(node.id(), noData);
            draft.moveRollout(
                    running.pause(PauseReason.HEALTH_UNAVAILABLE, draft.now),
                    new Cause(PauseReason.HEALTH_UNAVAILABLE.name(), sentence));
        }
    }

    /** Nobody judges any node; the one whose time is up first stands for all (invariant A18). */
    private static void pauseWithoutHealth(PlanDraft draft, NodeUpgrade node) {
        if (draft.state() instanceof RolloutState.Running running) {
            Cause because =
                    new Cause(
                            PauseReason.HEALTH_UNAVAILABLE.name(),
                            "No health verdicts are to be had; nodes stay settling until the health-evaluator is back.");
            draft.reportStall(node.id(), because);
            draft.moveRollout(running.pause(PauseReason.HEALTH_UNAVAILABLE, draft.now), because);
        }
    }

    /** What a person reads of a node that is there and not heard of. */
    public static String noDataSentence(NodeId node, HealthVerdict.NoData noData) {
        return "Of node "
                + node
                + " nothing is heard: "
                + noData.why()
                + " Look at the way from the health-evaluator to its gateway, then resume, or roll"
                + " back.";
    }

    private static String flappingSentence(NodeId node) {
        return "Node "
                + node
                + " is heard and lost again and again, and was never well for long enough. Look at"
                + " its connection and at the way from the health-evaluator to its gateway, then"
                + " resume, or roll back.";
    }

    private static Cause notVerified(
            PlanDraft draft, NodeUpgrade node, NodeState.Settling settling, boolean cameAndWent) {
        if (!draft.fleet.healthAvailable()) {
            return unverified(NO_EVALUATOR);
        }
        if (cameAndWent) {
            return unverified("It is heard and lost again and again.");
        }
        return HealthGate.verdict(draft, node, settling.attempt())
                        instanceof HealthVerdict.NoData noData
                ? unverified(noData.why())
                : notHealthy(draft, node, settling);
    }

    private static Cause unverified(String why) {
        return new Cause(
                IncidentRules.STALLED,
                "Not proven well while the rollout is being cancelled, so it is brought back: "
                        + why);
    }

    private static Cause notHealthy(
            PlanDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        return new Cause(
                IncidentRules.STALLED,
                "Not well for "
                        + DurationText.of(draft.spec.healthWait())
                        + " without a break within "
                        + DurationText.of(draft.spec.healthDeadline())
                        + ": "
                        + waitingOn(draft, node, settling));
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

    private static Cause timedOut(String what, java.time.Duration limit) {
        return new Cause("SILENT", "The agent " + what + " within " + DurationText.of(limit) + ".");
    }
}
