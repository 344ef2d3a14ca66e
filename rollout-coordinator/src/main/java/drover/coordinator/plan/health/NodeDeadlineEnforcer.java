package drover.coordinator.plan.health;

import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.DurationPhrase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.StepDraft;
import drover.model.NodeId;
import java.time.Instant;

/**
 * Judges what took too long. Never while the leader was blind (rule R3), and never so that an
 * attempt is closed: the node counts as failed, its attempt stays open until its agent speaks (rule
 * R1).
 */
public final class NodeDeadlineEnforcer {
    private static final String NO_EVALUATOR = "No health-evaluator is heard.";

    private NodeDeadlineEnforcer() {}

    public static void enforceDeadlines(StepDraft draft) {
        if (draft.canJudgeDeadlines()) {
            draft.nodesInFlight().forEach(node -> enforceDeadlines(draft, node));
        }
    }

    private static void enforceDeadlines(StepDraft draft, NodeUpgrade node) {
        if (!draft.isPast(deadline(draft, node))) {
            return;
        }
        switch (node.state()) {
            case NodeState.Assigned assigned -> {
                Cause cause =
                        timeoutCause(draft, node, "did not begin its work", draft.timings.accept());
                draft.moveNode(node, assigned.markUnreachable(cause, draft.now), cause);
            }
            case NodeState.Upgrading upgrading -> {
                Cause cause =
                        timeoutCause(draft, node, "did not finish its work", draft.workTimeout());
                draft.moveNode(node, upgrading.markUnreachable(cause, draft.now), cause);
            }
            case NodeState.Restoring restoring -> {
                Cause cause =
                        timeoutCause(
                                draft,
                                node,
                                "did not bring the old version back",
                                draft.workTimeout());
                draft.moveNode(node, restoring.markUnreachable(cause, draft.now), cause);
            }
            case NodeState.Settling settling -> handleHealthTimeout(draft, node, settling);
            case NodeState.Observed observed -> handleObservationTimeout(draft, node);
            default -> {} // nothing else waits for its node
        }
    }

    /** When a node in flight has taken too long. */
    public static Instant deadline(StepDraft draft, NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.Assigned assigned -> assigned.since().plus(draft.timings.accept());
            case NodeState.Upgrading upgrading -> upgrading.since().plus(draft.workTimeout());
            case NodeState.Restoring restoring ->
                    restoring
                            .since()
                            .plus(restoring.begun() ? draft.workTimeout() : draft.timings.accept());
            case NodeState.Settling settling -> HealthDeadline.deadline(draft, node, settling);
            case NodeState.Observed observed when !draft.fleet.isEvaluatorAvailable() ->
                    HealthDeadline.extendByEvaluatorGrace(
                            draft,
                            observed.wellSince()
                                    .plus(draft.spec.observationDuration())
                                    .plus(draft.spec.noDataTimeout()));
            default -> Instant.MAX;
        };
    }

    private static void handleHealthTimeout(
            StepDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        boolean cameAndWent = HealthDeadline.isFlappingTimeout(draft, node, settling);
        if (isNotCancelling(draft)) {
            handleHealthTimeout(draft, node, settling, cameAndWent);
        } else if (!cameAndWent && isOffline(draft, node)) {
            markUnreachable(draft, node, settling);
        } else {
            draft.restoreUnhealthy(
                    node, cancellationTimeoutCause(draft, node, settling, cameAndWent));
        }
    }

    private static void handleHealthTimeout(
            StepDraft draft, NodeUpgrade node, NodeState.Settling settling, boolean cameAndWent) {
        if (!draft.fleet.isEvaluatorAvailable()) {
            pauseWithoutEvaluator(draft, node);
        } else if (cameAndWent) {
            pauseWithoutData(draft, node, flappingSentence(node.id()));
        } else if (isOffline(draft, node)) {
            markUnreachable(draft, node, settling);
        } else if (HealthGate.verdict(draft, node, settling.attempt())
                instanceof HealthVerdict.NoData noData) {
            pauseWithoutData(draft, node, noDataSentence(node.id(), noData));
        } else {
            draft.restoreUnhealthy(node, notHealthyCause(draft, node, settling));
        }
    }

    /** A cancellation has no way back to waiting: it ends with what it can prove. */
    private static boolean isNotCancelling(StepDraft draft) {
        return !(draft.state() instanceof RolloutState.Cancelling);
    }

    private static boolean isOffline(StepDraft draft, NodeUpgrade node) {
        return draft.fleet.node(node.id()) instanceof NodeView.Absent;
    }

    private static void markUnreachable(
            StepDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        Cause cause =
                new Cause("SILENT", "The target was installed, but its agent is not connected.");
        draft.moveNode(node, settling.markUnreachable(cause, draft.now), cause);
    }

    /** Well by its own word until the health-evaluator went away, and not for long enough. */
    private static void handleObservationTimeout(StepDraft draft, NodeUpgrade node) {
        if (isNotCancelling(draft)) {
            pauseWithoutEvaluator(draft, node);
        } else {
            draft.restoreUnhealthy(node, unverifiedCause(NO_EVALUATOR));
        }
    }

    /**
     * Its agent is connected, and whoever judges it has heard nothing: a gateway that the evaluator
     * cannot reach is no illness of the node (rule R3: blind is not bad). A person must look at the
     * way (invariant A18).
     */
    private static void pauseWithoutData(StepDraft draft, NodeUpgrade node, String sentence) {
        if (draft.state() instanceof RolloutState.Running running) {
            Cause noData = new Cause(IncidentRules.NO_HEALTH_DATA, sentence);
            draft.putNodeWithCause(node, noData);
            draft.openStalledIncident(node.id(), noData);
            draft.moveRollout(
                    running.pause(PauseReason.HEALTH_UNAVAILABLE, draft.now),
                    new Cause(PauseReason.HEALTH_UNAVAILABLE.name(), sentence));
        }
    }

    /** Nobody judges any node; the one whose time is up first stands for all (invariant A18). */
    private static void pauseWithoutEvaluator(StepDraft draft, NodeUpgrade node) {
        if (draft.state() instanceof RolloutState.Running running) {
            Cause because =
                    new Cause(
                            PauseReason.HEALTH_UNAVAILABLE.name(),
                            "No health verdicts are to be had; nodes stay settling until the health-evaluator is back.");
            draft.openStalledIncident(node.id(), because);
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

    private static Cause cancellationTimeoutCause(
            StepDraft draft, NodeUpgrade node, NodeState.Settling settling, boolean cameAndWent) {
        if (!draft.fleet.isEvaluatorAvailable()) {
            return unverifiedCause(NO_EVALUATOR);
        }
        if (cameAndWent) {
            return unverifiedCause("It is heard and lost again and again.");
        }
        return HealthGate.verdict(draft, node, settling.attempt())
                        instanceof HealthVerdict.NoData noData
                ? unverifiedCause(noData.why())
                : notHealthyCause(draft, node, settling);
    }

    private static Cause unverifiedCause(String why) {
        return new Cause(
                IncidentRules.STALLED,
                "Not proven well while the rollout is being cancelled, so it is brought back: "
                        + why);
    }

    private static Cause notHealthyCause(
            StepDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        return new Cause(
                IncidentRules.STALLED,
                "Not well for "
                        + DurationPhrase.of(draft.spec.healthWait())
                        + " without a break within "
                        + DurationPhrase.of(draft.spec.healthTimeout())
                        + ": "
                        + waitReason(draft, node, settling));
    }

    private static String waitReason(
            StepDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        return switch (HealthGate.verdict(draft, node, settling.attempt())) {
            case HealthVerdict.Settling waiting -> waiting.waitingOn();
            case HealthVerdict.NoData noData -> noData.why();
            case HealthVerdict.Healthy healthy -> "well only now.";
            case HealthVerdict.Unhealthy unhealthy -> "unwell.";
        };
    }

    private static Cause timeoutCause(
            StepDraft draft, NodeUpgrade node, String what, java.time.Duration limit) {
        boolean connected = draft.fleet.node(node.id()) instanceof NodeView.Present;
        return new Cause(
                connected ? NodeState.Unreachable.UNRESPONSIVE : "SILENT",
                "The agent "
                        + what
                        + " within "
                        + DurationPhrase.of(limit)
                        + "."
                        + (connected ? " It is connected." : ""));
    }
}
