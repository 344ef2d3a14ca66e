package drover.coordinator.engine;

import drover.coordinator.plan.AttemptReport;
import drover.coordinator.plan.FleetView;
import drover.coordinator.plan.HealthVerdict;
import drover.coordinator.plan.NodeView;
import drover.coordinator.plan.StandbyAgent;
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
final class SteadyGuards implements FleetView {
    private final FleetView fleet;
    private final Set<NodeId> superseded;
    private final Map<NodeId, NodeGuard> guards = new HashMap<>();

    SteadyGuards(FleetView fleet) {
        this(fleet, Set.of());
    }

    /**
     * The same where an ended rollout may be rolled back.
     *
     * @param superseded nodes whose program a later attempt has changed
     */
    SteadyGuards(FleetView fleet, Set<NodeId> superseded) {
        this.fleet = fleet;
        this.superseded = superseded;
    }

    @Override
    public @Nullable Instant completeSince() {
        return fleet.completeSince();
    }

    @Override
    public @Nullable Instant blindSince() {
        return fleet.blindSince();
    }

    @Override
    public @Nullable Instant healthSince() {
        return fleet.healthSince();
    }

    @Override
    public @Nullable Instant healthLostSince() {
        return fleet.healthLostSince();
    }

    @Override
    public NodeView node(NodeId node) {
        return fleet.node(node);
    }

    @Override
    public Optional<AttemptReport> report(NodeId node) {
        return fleet.report(node);
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
    public @Nullable Instant heardSince(NodeId node) {
        return fleet.heardSince(node);
    }

    @Override
    public @Nullable Instant unheardSince(NodeId node) {
        return fleet.unheardSince(node);
    }

    @Override
    public @Nullable Instant couldBeHeardSince(NodeId node) {
        return fleet.couldBeHeardSince(node);
    }

    @Override
    public @Nullable Instant notHealthySince(NodeId node) {
        return fleet.notHealthySince(node);
    }

    @Override
    public NodeGuard guard(NodeId node) {
        return guards.computeIfAbsent(node, fleet::guard);
    }

    @Override
    public boolean superseded(NodeId node) {
        return superseded.contains(node);
    }
}
