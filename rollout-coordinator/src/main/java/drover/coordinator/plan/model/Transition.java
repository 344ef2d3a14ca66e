package drover.coordinator.plan.model;

import drover.coordinator.plan.observed.Cause;
import drover.model.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * One step of a rollout, a batch or a node, with its reason: exactly one history row (invariant
 * G1).
 *
 * @param subject what moved: {@code rollout}, {@code batch 2} or {@code node}
 * @param node the node that moved; null when a rollout or batch did
 * @param from status before; empty when there was none
 * @param to status after
 */
public record Transition(
        String subject, @Nullable NodeId node, String from, String to, Cause because) {}
