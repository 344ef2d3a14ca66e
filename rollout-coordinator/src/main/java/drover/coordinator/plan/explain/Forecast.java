package drover.coordinator.plan.explain;

import drover.coordinator.plan.batch.Approvals;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What remains of a rollout and how long that takes if nothing fails. Waiting for a person is not
 * counted. Pure.
 *
 * @param parts batches still to be done, in their order
 */
public record Forecast(List<Part> parts) {
    public Forecast {
        parts = List.copyOf(parts);
    }

    /**
     * A batch still to be done.
     *
     * @param nodes those of its nodes that are still to be done
     * @param awaitsApproval whether a person must approve before the next
     */
    public record Part(Batch batch, List<NodeId> nodes, boolean awaitsApproval, Duration expected) {
        public Part {
            nodes = List.copyOf(nodes);
        }
    }

    /** All of it. */
    public Duration expected() {
        return parts.stream().map(Part::expected).reduce(Duration.ZERO, Duration::plus);
    }

    /** What remains of this rollout at this moment. */
    public static Forecast of(Rollout rollout, NodeWorkEstimate work, Instant now) {
        if (rollout.state().isFinal()) {
            return new Forecast(List.of());
        }
        return RolloutState.resumedState(rollout.state()) instanceof RolloutState.RollingBack back
                ? RollbackForecast.of(
                        rollout,
                        back.health(),
                        node -> node.state() instanceof NodeState.Unhealthy,
                        work.typical(),
                        now)
                : upgrades(rollout, work, now);
    }

    private static Forecast upgrades(Rollout rollout, NodeWorkEstimate work, Instant now) {
        List<Part> parts = new ArrayList<>();
        Estimator pace = new Estimator(rollout.spec(), work.typical(), now);
        for (Batch batch : rollout.batches()) {
            List<NodeUpgrade> open =
                    rollout.inBatch(batch.index())
                            .filter(node -> isOpen(rollout, node))
                            .sorted(NodeUpgrade.ORDER)
                            .toList();
            if (!open.isEmpty() || batch.phase() == BatchPhase.AWAITING_APPROVAL) {
                parts.add(
                        new Part(
                                batch,
                                open.stream().map(NodeUpgrade::id).toList(),
                                batch.canary() && Approvals.needed(rollout.spec()),
                                pace.forward(open, batch.canary())));
            }
        }
        return new Forecast(parts);
    }

    /** Whether something will still be done with a node of this rollout as it stands. */
    private static boolean isOpen(Rollout rollout, NodeUpgrade node) {
        boolean stillComes =
                node.state() instanceof NodeState.Pending
                        && !(rollout.state() instanceof RolloutState.Cancelling);
        return stillComes || node.state().isInFlight();
    }

    /** How fast a rollout goes through the nodes of one batch. */
    private record Estimator(RolloutSpec spec, Duration work, Instant now) {
        Duration forward(List<NodeUpgrade> nodes, boolean canary) {
            List<NodeUpgrade> inFlight =
                    nodes.stream().filter(node -> node.state().isInFlight()).toList();
            Duration longest =
                    inFlight.stream()
                            .map(node -> remaining(node.state()))
                            .max(Comparator.naturalOrder())
                            .orElse(Duration.ZERO);
            int waiting = nodes.size() - inFlight.size();
            if (waiting > 0) {
                Duration whole = work.plus(healthWait());
                int beyond = waiting - Math.max(0, spec.maxInFlight() - inFlight.size());
                longest = longest.compareTo(whole) > 0 ? longest : whole;
                longest = longest.plus(whole.multipliedBy(waves(beyond, spec.maxInFlight())));
            }
            return canary && !nodes.isEmpty() ? longest.plus(observation(inFlight)) : longest;
        }

        private static int waves(int nodes, int atOnce) {
            return Math.ceilDiv(Math.max(0, nodes), Math.max(1, atOnce));
        }

        private Duration healthWait() {
            return spec.strategy().skipsValidation() ? Duration.ZERO : spec.healthWait();
        }

        private Duration remaining(NodeState state) {
            return switch (state) {
                case NodeState.Assigned assigned -> work.plus(healthWait());
                case NodeState.Upgrading upgrading ->
                        remainder(work, upgrading.since()).plus(healthWait());
                case NodeState.Settling settling -> remainder(healthWait(), settling.since());
                case NodeState.Restoring restoring -> remainder(work, restoring.since());
                case NodeState.Restored restored -> remainder(healthWait(), restored.since());
                case NodeState.Observed o -> Duration.ZERO;
                case NodeState.Pending p -> Duration.ZERO;
                case NodeState.Held h -> Duration.ZERO;
                case NodeState.Succeeded s -> Duration.ZERO;
                case NodeState.Unhealthy u -> Duration.ZERO;
                case NodeState.Failed f -> Duration.ZERO;
                case NodeState.FailedRollback f -> Duration.ZERO;
                case NodeState.Unreachable u -> Duration.ZERO;
                case NodeState.Skipped s -> Duration.ZERO;
                case NodeState.RolledBack r -> Duration.ZERO;
            };
        }

        /** The canary is observed from the moment that its last node became well. */
        private Duration observation(List<NodeUpgrade> inFlight) {
            Instant lastHealthy = Instant.MIN;
            for (NodeUpgrade node : inFlight) {
                if (!(node.state() instanceof NodeState.Observed observed)) {
                    return spec.observation();
                }
                lastHealthy =
                        observed.wellSince().isAfter(lastHealthy)
                                ? observed.wellSince()
                                : lastHealthy;
            }
            return inFlight.isEmpty()
                    ? spec.observation()
                    : remainder(spec.observation(), lastHealthy);
        }

        private Duration remainder(Duration whole, Instant since) {
            Duration left = whole.minus(Duration.between(since, now));
            return left.isNegative() ? Duration.ZERO : left;
        }
    }
}
