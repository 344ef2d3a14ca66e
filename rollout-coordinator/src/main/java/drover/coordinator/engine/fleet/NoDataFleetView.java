package drover.coordinator.engine.fleet;

import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.model.NodeId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The fleet as a replica that does not lead sees it: not at all. Nothing may be concluded from it.
 */
public final class NoDataFleetView implements FleetView {
    @Override
    public @Nullable Instant completeViewSince() {
        return Instant.EPOCH; // says nothing of sight: this replica judges nothing
    }

    @Override
    public @Nullable Instant visibilityLostSince() {
        return null;
    }

    @Override
    public @Nullable Instant evaluatorConnectedSince() {
        return null;
    }

    @Override
    public boolean isLeaderView() {
        return false;
    }

    @Override
    public NodeView node(NodeId node) {
        return new NodeView.Unknown();
    }

    @Override
    public Optional<AttemptStatus> latestStatus(NodeId node) {
        return Optional.empty();
    }

    @Override
    public Optional<HealthVerdict> verdict(NodeId node) {
        return Optional.empty();
    }

    @Override
    public NodeAttemptsAndReservation reservation(NodeId node) {
        return NodeAttemptsAndReservation.FRESH;
    }
}
