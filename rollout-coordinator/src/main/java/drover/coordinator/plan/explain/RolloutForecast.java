package drover.coordinator.plan.explain;

import drover.coordinator.plan.batch.ApprovalRules;
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
import java.util.Set;

/**
 * What remains of a rollout and how long that takes if nothing fails. Waiting for a person is not
 * counted. Pure.
 *
 * @param parts batches still to be done, in their order
 */
public record RolloutForecast(List<BatchForecast> parts) {
    public RolloutForecast {
        parts = List.copyOf(parts);
    }

    /**
     * A batch still to be done.
     *
     * @param nodes those of its nodes that are still to be done
     * @param awaitsApproval whether a person must approve before the next
     */
    public record BatchForecast(
            Batch batch, List<NodeId> nodes, boolean awaitsApproval, Duration expected) {
        public BatchForecast {
            nodes = List.copyOf(nodes);
        }
    }

    /** All of it. */
    public Duration expectedDuration() {
        return parts.stream().map(BatchForecast::expected).reduce(Duration.ZERO, Duration::plus);
    }

    /** What remains of this rollout at this moment. */
    public static RolloutForecast of(Rollout rollout, NodeWorkEstimate work, Instant now) {
        if (rollout.state().isFinal()) {
            return new RolloutForecast(List.of());
        }
        return RolloutState.resumedState(rollout.state()) instanceof RolloutState.RollingBack back
                ? RollbackForecast.of(
                        rollout,
                        back.health(),
                        node -> node.state() instanceof NodeState.Unhealthy,
                        Set.of(),
                        work.typical(),
                        now)
                : forecastUpgrades(rollout, work, now);
    }

    private static RolloutForecast forecastUpgrades(
            Rollout rollout, NodeWorkEstimate work, Instant now) {
        List<BatchForecast> parts = new ArrayList<>();
        DurationEstimator pace = new DurationEstimator(rollout.spec(), work.typical(), now);
        for (Batch batch : rollout.batches()) {
            List<NodeUpgrade> open =
                    rollout.nodesInBatch(batch.index())
                            .filter(node -> hasRemainingWork(rollout, node))
                            .sorted(NodeUpgrade.ORDER)
                            .toList();
            if (!open.isEmpty() || batch.phase() == BatchPhase.AWAITING_APPROVAL) {
                parts.add(
                        new BatchForecast(
                                batch,
                                open.stream().map(NodeUpgrade::id).toList(),
                                batch.canary() && ApprovalRules.isRequired(rollout.spec()),
                                pace.estimateBatch(open, batch.canary())));
            }
        }
        return new RolloutForecast(parts);
    }

    /** Whether something will still be done with a node of this rollout as it stands. */
    private static boolean hasRemainingWork(Rollout rollout, NodeUpgrade node) {
        boolean stillComes =
                node.state() instanceof NodeState.Pending
                        && !(rollout.state() instanceof RolloutState.Cancelling);
        return stillComes || node.state().isInFlight();
    }

    /** How fast a rollout goes through the nodes of one batch. */
    private record DurationEstimator(RolloutSpec spec, Duration work, Instant now) {
        Duration estimateBatch(List<NodeUpgrade> nodes, boolean canary) {
            List<NodeUpgrade> inFlight =
                    nodes.stream().filter(node -> node.state().isInFlight()).toList();
            Duration longest =
                    inFlight.stream()
                            .map(node -> remainingTime(node.state()))
                            .max(Comparator.naturalOrder())
                            .orElse(Duration.ZERO);
            int waiting = nodes.size() - inFlight.size();
            if (waiting > 0) {
                Duration whole = work.plus(healthWait());
                int beyond = waiting - Math.max(0, spec.maxInFlight() - inFlight.size());
                longest = longest.compareTo(whole) > 0 ? longest : whole;
                longest = longest.plus(whole.multipliedBy(waveCount(beyond, spec.maxInFlight())));
            }
            return canary && !nodes.isEmpty()
                    ? longest.plus(remainingObservation(inFlight))
                    : longest;
        }

        private static int waveCount(int nodes, int atOnce) {
            return Math.ceilDiv(Math.max(0, nodes), Math.max(1, atOnce));
        }

        private Duration healthWait() {
            return spec.strategy().skipsValidation() ? Duration.ZERO : spec.healthWait();
        }

        private Duration remainingTime(NodeState state) {
            return switch (state) {
                case NodeState.Assigned assigned -> work.plus(healthWait());
                case NodeState.Upgrading upgrading ->
                        timeLeft(work, upgrading.since()).plus(healthWait());
                case NodeState.Settling settling -> timeLeft(healthWait(), settling.since());
                case NodeState.Restoring restoring -> timeLeft(work, restoring.since());
                case NodeState.Restored restored -> timeLeft(healthWait(), restored.since());
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
        private Duration remainingObservation(List<NodeUpgrade> inFlight) {
            Instant lastHealthy = Instant.MIN;
            for (NodeUpgrade node : inFlight) {
                if (!(node.state() instanceof NodeState.Observed observed)) {
                    return spec.observationDuration();
                }
                lastHealthy =
                        observed.wellSince().isAfter(lastHealthy)
                                ? observed.wellSince()
                                : lastHealthy;
            }
            return inFlight.isEmpty()
                    ? spec.observationDuration()
                    : timeLeft(spec.observationDuration(), lastHealthy);
        }

        private Duration timeLeft(Duration whole, Instant since) {
            Duration left = whole.minus(Duration.between(since, now));
            return left.isNegative() ? Duration.ZERO : left;
        }
    }
}
