package drover.coordinator.engine;

import drover.coordinator.plan.AttemptReport;
import drover.coordinator.plan.FleetView;
import drover.coordinator.plan.HealthVerdict;
import drover.coordinator.plan.NodeView;
import drover.model.NodeId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The fleet as a replica that does not lead sees it: not at all. Nothing may be concluded from it.
 */
public final class UnseenFleet implements FleetView {
    @Override
    public @Nullable Instant completeSince() {
        return Instant.EPOCH; // says nothing of sight: this replica judges nothing
    }

    @Override
    public @Nullable Instant blindSince() {
        return null;
    }

    @Override
    public @Nullable Instant healthSince() {
        return null;
    }

    @Override
    public boolean isSeen() {
        return false;
    }

    @Override
    public NodeView node(NodeId node) {
        return new NodeView.Unknown();
    }

    @Override
    public Optional<AttemptReport> report(NodeId node) {
        return Optional.empty();
    }

    @Override
    public Optional<HealthVerdict> verdict(NodeId node) {
        return Optional.empty();
    }

    @Override
    public NodeGuard guard(NodeId node) {
        return NodeGuard.FRESH;
    }
}
