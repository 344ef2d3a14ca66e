package drover.coordinator.engine.rollout;

import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.model.NodeId;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A look at the fleet whose guards do not change while it is used, although other loops commit:
 * what is decided from it and what is recorded of it are then the same.
 */
public final class PinnedReservationsFleetView implements FleetView {
    private final FleetView fleet;
    private final Set<NodeId> superseded;
    private final Map<NodeId, NodeAttemptsAndReservation> guards = new HashMap<>();

    public PinnedReservationsFleetView(FleetView fleet) {
        this(fleet, Set.of());
    }

    /**
     * The same where an ended rollout may be rolled back.
     *
     * @param superseded nodes whose program a later attempt has changed
     */
    PinnedReservationsFleetView(FleetView fleet, Set<NodeId> superseded) {
        this.fleet = fleet;
        this.superseded = superseded;
    }

    @Override
    public @Nullable Instant completeViewSince() {
        return fleet.completeViewSince();
    }

    @Override
    public @Nullable Instant visibilityLostSince() {
        return fleet.visibilityLostSince();
    }

    @Override
    public @Nullable Instant evaluatorConnectedSince() {
        return fleet.evaluatorConnectedSince();
    }

    @Override
    public @Nullable Instant evaluatorUnavailableSince() {
        return fleet.evaluatorUnavailableSince();
    }

    @Override
    public NodeView node(NodeId node) {
        return fleet.node(node);
    }

    @Override
    public Optional<AttemptStatus> latestStatus(NodeId node) {
        return fleet.latestStatus(node);
    }

    @Override
    public Optional<StandbyAgent> standby(NodeId node) {
        return fleet.standby(node);
    }

    @Override
    public Optional<HealthVerdict> verdict(NodeId node) {
        return fleet.verdict(node);
    }

    @Override
    public @Nullable Instant healthDataSince(NodeId node) {
        return fleet.healthDataSince(node);
    }

    @Override
    public @Nullable Instant noHealthDataSince(NodeId node) {
        return fleet.noHealthDataSince(node);
    }

    @Override
    public @Nullable Instant observableSince(NodeId node) {
        return fleet.observableSince(node);
    }

    @Override
    public @Nullable Instant notHealthySince(NodeId node) {
        return fleet.notHealthySince(node);
    }

    @Override
    public NodeAttemptsAndReservation reservation(NodeId node) {
        return guards.computeIfAbsent(node, fleet::reservation);
    }

    @Override
    public boolean isUpgradeSuperseded(NodeId node) {
        return superseded.contains(node);
    }
}
