package drover.coordinator.plan;

import drover.coordinator.plan.batch.LateFailureRules;
import drover.coordinator.plan.health.EvaluatorFailover;
import drover.coordinator.plan.health.OldAgentStopRules;
import drover.coordinator.plan.model.Handover;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.TargetArtifact;
import drover.coordinator.plan.step.Effect;
import drover.coordinator.plan.step.StepDraft;
import drover.model.Digest;
import java.util.HashSet;
import java.util.Set;

/** What the world should know of a rollout as it stands. */
final class EffectPlanner {
    private EffectPlanner() {}

    static Set<Effect> wantedEffects(StepDraft draft) {
        Set<Effect> effects = new HashSet<>();
        boolean watched = LateFailureRules.areFinishedNodesWatched(draft.rollout());
        for (NodeUpgrade node : draft.nodes()) {
            addAcknowledgement(draft, node, effects);
            if (!draft.state().isFinal()) {
                OldAgentStopRules.findStopEffect(draft, node)
                        .ifPresentOrElse(
                                effects::add, () -> addWorkEffects(draft, node, watched, effects));
            }
        }
        return effects;
    }

    /**
     * Whatever is taken in is acknowledged, for as long as the slot still shows it (invariant C10).
     */
    private static void addAcknowledgement(StepDraft draft, NodeUpgrade node, Set<Effect> effects) {
        draft.fleet
                .latestStatus(node.id())
                .filter(
                        report ->
                                report.attempt() == node.attempt()
                                        && report.sequence() <= node.sequence())
                .ifPresent(
                        report ->
                                effects.add(
                                        new Effect.Acknowledge(
                                                node.id(),
                                                report.attempt(),
                                                report.sequence(),
                                                node.handover()
                                                        instanceof Handover.SuccessorSeen)));
    }

    private static void addWorkEffects(
            StepDraft draft, NodeUpgrade node, boolean watched, Set<Effect> effects) {
        switch (node.state()) {
            case NodeState.Assigned assigned -> effects.add(assignedEffect(node, assigned));
            case NodeState.Restoring restoring -> {
                if (!restoring.begun()) {
                    effects.add(new Effect.Command(node.id(), restoring.attempt()));
                }
            }
            case NodeState.Unreachable unreachable -> {
                if (node.open()) {
                    effects.add(unreachableEffect(draft, node, unreachable));
                }
            }
            case NodeState.Settling settling -> {
                effects.add(watchEffect(draft, node, settling.attempt(), settling.runId()));
                EvaluatorFailover.findSwitchEffect(draft, node).ifPresent(effects::add);
            }
            case NodeState.Observed observed -> {
                effects.add(watchEffect(draft, node, observed.attempt(), observed.runId()));
                EvaluatorFailover.findSwitchEffect(draft, node).ifPresent(effects::add);
            }
            case NodeState.Succeeded succeeded -> {
                if (watched) {
                    effects.add(watchEffect(draft, node, succeeded.attempt(), succeeded.runId()));
                    EvaluatorFailover.findSwitchEffect(draft, node).ifPresent(effects::add);
                }
            }
            case NodeState.Unhealthy unhealthy -> {
                if (watched) {
                    effects.add(watchEffect(draft, node, unhealthy.attempt(), unhealthy.runId()));
                }
            }
            case NodeState.Restored restored -> {
                effects.add(watchRestoredEffect(node, restored.attempt(), restored.runId()));
                EvaluatorFailover.findSwitchEffect(draft, node).ifPresent(effects::add);
            }
            case NodeState.RolledBack back -> {
                if (watched && !back.runId().isEmpty()) {
                    effects.add(watchRestoredEffect(node, back.attempt(), back.runId()));
                    EvaluatorFailover.findSwitchEffect(draft, node).ifPresent(effects::add);
                }
            }
            case NodeState.Skipped skipped -> {
                if (node.open()) { // it was silent when it was skipped; it shall not begin now
                    effects.add(new Effect.Withdraw(node.id(), node.attempt()));
                }
            }
            default -> {} // nothing to tell anybody
        }
    }

    private static Effect assignedEffect(NodeUpgrade node, NodeState.Assigned assigned) {
        return assigned.withdrawing()
                ? new Effect.Withdraw(node.id(), assigned.attempt())
                : new Effect.Command(node.id(), assigned.attempt());
    }

    /**
     * A silent node that never began is told not to, unless the rollout runs; a restore is always
     * wanted.
     */
    private static Effect unreachableEffect(
            StepDraft draft, NodeUpgrade node, NodeState.Unreachable unreachable) {
        boolean wanted =
                unreachable.restoreOf() != 0 || draft.state() instanceof RolloutState.Running;
        return wanted
                ? new Effect.Command(node.id(), unreachable.attempt())
                : new Effect.Withdraw(node.id(), unreachable.attempt());
    }

    private static Effect watchRestoredEffect(NodeUpgrade node, long attempt, String runId) {
        NodeTarget target = node.target();
        return new Effect.Watch(
                node.id(), attempt, runId, target.sourceDigest(), target.sourceConfig());
    }

    private static Effect watchEffect(
            StepDraft draft, NodeUpgrade node, long attempt, String runId) {
        Digest digest =
                node.target()
                        .artifact(draft.spec)
                        .map(TargetArtifact::digest)
                        .orElseThrow(
                                () -> new IllegalStateException("No artifact for " + node.id()));
        return new Effect.Watch(node.id(), attempt, runId, digest, node.target().targetConfig());
    }
}
