package drover.coordinator.engine;

import drover.coordinator.peers.GatewayLink.ReportedNode;
import drover.coordinator.plan.AttemptReport;
import drover.coordinator.plan.FleetView;
import drover.coordinator.plan.HealthVerdict;
import drover.coordinator.plan.NodeView;
import drover.coordinator.plan.StandbyAgent;
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
final class MirrorView implements FleetView {
    private final FleetMirror mirror;
    private final Guards guards;
    private final @Nullable Instant complete;
    private final @Nullable Instant blind;
    private final @Nullable Instant health;
    private final @Nullable Instant healthLost;
    private final Map<NodeId, NodeView> nodes = new HashMap<>();
    private final Map<NodeId, Optional<ReportedNode>> seen = new HashMap<>();
    private final Map<NodeId, Optional<Judged>> judged = new HashMap<>();
    private final Map<NodeId, Optional<Seat>> seated = new HashMap<>();
    private final Map<NodeId, Optional<StandbyAgent>> waiting = new HashMap<>();

    /**
     * @param complete since when everything is seen; null while it is not
     * @param blind since when it is not; null while it is
     */
    MirrorView(
            FleetMirror mirror,
            Guards guards,
            @Nullable Instant complete,
            @Nullable Instant blind) {
        this.mirror = mirror;
        this.guards = guards;
        this.complete = complete;
        this.blind = blind;
        this.health = mirror.verdicts().since();
        this.healthLost = mirror.verdicts().lostSince();
    }

    @Override
    public @Nullable Instant completeSince() {
        return complete;
    }

    @Override
    public @Nullable Instant blindSince() {
        return blind;
    }

    @Override
    public @Nullable Instant healthSince() {
        return health;
    }

    @Override
    public @Nullable Instant healthLostSince() {
        return health == null ? healthLost : null;
    }

    @Override
    public NodeView node(NodeId node) {
        return nodes.computeIfAbsent(node, mirror::look);
    }

    @Override
    public Optional<AttemptReport> report(NodeId node) {
        return raw(node).map(ReportedNode::report);
    }

    /** The same view without the statuses of these nodes. */
    MirrorView without(Collection<NodeId> statuses) {
        statuses.forEach(node -> seen.put(node, Optional.empty()));
        return this;
    }

    Optional<ReportedNode> raw(NodeId node) {
        return seen.computeIfAbsent(node, mirror::report);
    }

    @Override
    public Optional<StandbyAgent> standby(NodeId node) {
        return waiting.computeIfAbsent(node, mirror::standby);
    }

    @Override
    public Optional<HealthVerdict> verdict(NodeId node) {
        return judged(node).map(Judged::verdict);
    }

    @Override
    public @Nullable Instant heardSince(NodeId node) {
        return judged(node).map(Judged::heardSince).orElse(null);
    }

    @Override
    public @Nullable Instant unheardSince(NodeId node) {
        return judged(node).map(Judged::unheardSince).orElse(null);
    }

    @Override
    public @Nullable Instant notHealthySince(NodeId node) {
        return judged(node).map(Judged::notHealthySince).orElse(null);
    }

    @Override
    public @Nullable Instant couldBeHeardSince(NodeId node) {
        Seat seat = seated.computeIfAbsent(node, mirror::seat).orElse(null);
        Instant moved = judged(node).map(Judged::movedAt).orElse(null);
        return seat == null || (moved != null && moved.isAfter(seat.since()))
                ? moved
                : seat.since();
    }

    private Optional<Judged> judged(NodeId node) {
        return judged.computeIfAbsent(node, mirror.verdicts()::of);
    }

    @Override
    public NodeGuard guard(NodeId node) {
        return guards.of(node);
    }
}
