package drover.coordinator.engine.fleet;

import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.model.NodeId;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A consistent look at the mirror: what is looked at once stays as it was seen. It also keeps the
 * statuses that decisions were based on.
 */
public final class LazyFleetSnapshot implements FleetView {
    private final FleetCache mirror;
    private final NodeReservationCache guards;
    private final @Nullable Instant complete;
    private final @Nullable Instant visibilityLostAt;
    private final @Nullable Instant health;
    private final @Nullable Instant healthLost;
    private final Map<NodeId, NodeView> nodes = new HashMap<>();
    private final Map<NodeId, Optional<ReportedStatus>> seen = new HashMap<>();
    private final Map<NodeId, Optional<VerdictWithTimes>> judged = new HashMap<>();
    private final Map<NodeId, Optional<NodeConnection>> seated = new HashMap<>();
    private final Map<NodeId, Optional<StandbyAgent>> waiting = new HashMap<>();

    /**
     * @param complete since when everything is seen; null while it is not
     * @param visibilityLostAt since when it is not; null while it is
     */
    LazyFleetSnapshot(
            FleetCache mirror,
            NodeReservationCache guards,
            @Nullable Instant complete,
            @Nullable Instant visibilityLostAt) {
        this.mirror = mirror;
        this.guards = guards;
        this.complete = complete;
        this.visibilityLostAt = visibilityLostAt;
        this.health = mirror.verdicts().evaluatorConnectedSince();
        this.healthLost = mirror.verdicts().evaluatorUnavailableSince();
    }

    @Override
    public @Nullable Instant completeViewSince() {
        return complete;
    }

    @Override
    public @Nullable Instant visibilityLostSince() {
        return visibilityLostAt;
    }

    @Override
    public @Nullable Instant evaluatorConnectedSince() {
        return health;
    }

    @Override
    public @Nullable Instant evaluatorUnavailableSince() {
        return health == null ? healthLost : null;
    }

    @Override
    public NodeView node(NodeId node) {
        return nodes.computeIfAbsent(node, mirror::nodeView);
    }

    @Override
    public Optional<AttemptStatus> latestStatus(NodeId node) {
        return receivedStatus(node).map(ReportedStatus::status);
    }

    /** The same view without the statuses of these nodes. */
    public LazyFleetSnapshot hideStatuses(Collection<NodeId> statuses) {
        statuses.forEach(node -> seen.put(node, Optional.empty()));
        return this;
    }

    public Optional<ReportedStatus> receivedStatus(NodeId node) {
        return seen.computeIfAbsent(node, mirror::receivedStatus);
    }

    @Override
    public Optional<StandbyAgent> standby(NodeId node) {
        return waiting.computeIfAbsent(node, mirror::standby);
    }

    @Override
    public Optional<HealthVerdict> verdict(NodeId node) {
        return verdictRecord(node).map(VerdictWithTimes::verdict);
    }

    @Override
    public @Nullable Instant healthDataSince(NodeId node) {
        return verdictRecord(node).map(VerdictWithTimes::dataSince).orElse(null);
    }

    @Override
    public @Nullable Instant noHealthDataSince(NodeId node) {
        return verdictRecord(node).map(VerdictWithTimes::noDataSince).orElse(null);
    }

    @Override
    public @Nullable Instant notHealthySince(NodeId node) {
        return verdictRecord(node).map(VerdictWithTimes::notHealthySince).orElse(null);
    }

    @Override
    public @Nullable Instant observableSince(NodeId node) {
        NodeConnection connection = seated.computeIfAbsent(node, mirror::connection).orElse(null);
        Instant moved = verdictRecord(node).map(VerdictWithTimes::movedAt).orElse(null);
        return connection == null || (moved != null && moved.isAfter(connection.since()))
                ? moved
                : connection.since();
    }

    private Optional<VerdictWithTimes> verdictRecord(NodeId node) {
        return judged.computeIfAbsent(node, mirror.verdicts()::of);
    }

    @Override
    public NodeAttemptsAndReservation reservation(NodeId node) {
        return guards.of(node);
    }
}
