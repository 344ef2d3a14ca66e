package drover.coordinator.engine.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BlockedNodeGuardTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final NodeId NODE = SampleRollout.node("demo", 1);
    private static final NodeId OTHER = SampleRollout.node("demo", 2);
    private static final MessageToNode WITHDRAWAL = new MessageToNode.Withdraw(NODE, "s1", 1, 1);

    private final NodeReservationCache guards = NoReservations.ofAnyNode();
    private final FleetCache mirror = new FleetCache(() -> NOW, guards);
    private final Set<NodeId> blocked = new HashSet<>();
    private final List<Set<NodeId>> requested = new ArrayList<>();
    private final List<NodeId> dropped = new ArrayList<>();
    private final List<NodeId> woken = new ArrayList<>();
    private final List<NodeId> resubscribed = new ArrayList<>();
    private boolean unavailable;
    private final BlockedNodeGuard watch =
            new BlockedNodeGuard(
                    this::blocked,
                    guards,
                    mirror,
                    dropped::addAll,
                    woken::addAll,
                    this::resubscribe);

    private Set<NodeId> blocked(Collection<NodeId> nodes) {
        if (unavailable) {
            throw new StoreUnavailable("looking", new IllegalStateException("cut"));
        }
        requested.add(Set.copyOf(nodes));
        Set<NodeId> found = new HashSet<>(nodes);
        found.retainAll(blocked);
        return found;
    }

    private void resubscribe(Collection<NodeId> nodes) {
        resubscribed.addAll(nodes);
        long revision = mirror.unblock(nodes);
        mirror.applySnapshotEnd("g1", revision);
        mirror.applySnapshotEnd("g2", revision);
    }

    @BeforeEach
    void haveANodeAtWorkAtAGateway() {
        long revision = mirror.addInterest(List.of(NODE, OTHER));
        mirror.setGateways(Set.of("g1", "g2"));
        reports("g1", 1);
        mirror.applySnapshotEnd("g1", revision);
        mirror.applySnapshotEnd("g2", revision);
        guards.load(List.of(NODE, OTHER));
        guards.recordAttempt(NODE, 1, new RolloutId("r1"));
        assertThat(seen()).isInstanceOf(NodeView.Present.class);
    }

    private void reports(String gateway, long connectionNumber) {
        mirror.applyConnected(
                gateway,
                List.of(
                        new ConnectedNode(
                                NODE,
                                1,
                                connectionNumber,
                                new NodeView.Present(
                                        "s" + connectionNumber,
                                        "process",
                                        Set.of(),
                                        0,
                                        Map.of()))));
    }

    private NodeView seen() {
        return mirror.snapshot().node(NODE);
    }

    private static MessageToNode command(NodeId node) {
        return new MessageToNode.Command(node, "s1", false, 1, "", new byte[0], Map.of());
    }

    @Test
    @DisplayName("H3: what a barred node has at a gateway is over, and so is what it dials next")
    void blockedNodeIsOfflineOnAllConnections() {
        blocked.add(NODE);
        watch.updateBlockedNodes();
        assertThat(seen()).isEqualTo(new NodeView.Absent(NOW));
        assertThat(woken).containsExactly(NODE);
        assertThat(dropped).as("what waited for its gateway").containsExactly(NODE);
        reports("g1", 2);
        reports("g2", 3);
        assertThat(mirror.session(NODE)).isEmpty();
        assertThat(mirror.gatewayOf(NODE)).isEmpty();
    }

    @Test
    @DisplayName("F3, H3: a barred node is not proved well by what is heard of it")
    void heartbeatDoesNotMakeABlockedNodeHealthy() {
        mirror.applyVerdicts(Map.of(NODE, new HealthVerdict.Healthy(1)));
        blocked.add(NODE);
        watch.updateBlockedNodes();
        assertThat(mirror.snapshot().verdict(NODE)).as("what was heard before").isEmpty();
        mirror.applyVerdicts(Map.of(NODE, new HealthVerdict.Healthy(1)));
        assertThat(mirror.snapshot().verdict(NODE)).as("what is heard since").isEmpty();

        blocked.clear();
        watch.updateBlockedNodes();
        mirror.applyVerdicts(Map.of(NODE, new HealthVerdict.Healthy(1)));
        assertThat(mirror.snapshot().verdict(NODE)).hasValue(new HealthVerdict.Healthy(1));
    }

    @Test
    @DisplayName(
            "F3, H3: nor is its new machine, before it has dialled, by what the former one says")
    void heartbeatOfTheFormerMachineDoesNotMakeTheNewOneHealthy() {
        mirror.setGatewaysWithoutDatabase(Set.of("g1"));
        blocked.add(NODE);
        watch.updateBlockedNodes();
        blocked.clear();
        watch.updateBlockedNodes();
        mirror.applyVerdicts(Map.of(NODE, new HealthVerdict.Healthy(1)));
        assertThat(mirror.snapshot().verdict(NODE)).as("nobody is there").isEmpty();

        long before = mirror.reinstatementCount();
        reports("g2", 1);
        assertThat(mirror.reinstatementCount())
                .as("evaluators are asked again")
                .isGreaterThan(before);
        mirror.applyVerdicts(Map.of(NODE, new HealthVerdict.Healthy(1)));
        assertThat(mirror.snapshot().verdict(NODE)).hasValue(new HealthVerdict.Healthy(1));
    }

    @Test
    @DisplayName("F3, H3: a new machine that goes again is silent, whatever the former one says")
    void aNewMachineThatGoesAgainIsUnresponsive() {
        mirror.setGatewaysWithoutDatabase(Set.of("g1"));
        blocked.add(NODE);
        watch.updateBlockedNodes();
        blocked.clear();
        watch.updateBlockedNodes();
        reports("g2", 1);
        mirror.applyVerdicts(Map.of(NODE, new HealthVerdict.Healthy(1)));
        mirror.applyDisconnected("g2", List.of(NODE));
        mirror.applyVerdicts(Map.of(NODE, new HealthVerdict.Healthy(1)));
        assertThat(mirror.snapshot().verdict(NODE).orElseThrow())
                .isInstanceOf(HealthVerdict.NoData.class);
        assertThat(mirror.snapshot().noHealthDataSince(NODE)).isEqualTo(NOW);
    }

    @Test
    void watchesNodesInFlightOnly() {
        watch.updateBlockedNodes();
        assertThat(requested).containsExactly(Set.of(NODE));
        guards.closeAttempt(NODE, 1, false);
        watch.updateBlockedNodes();
        assertThat(requested).as("nobody is").hasSize(1);
    }

    @Test
    @DisplayName("H3: of gateways that cannot look all are asked for, before their turn comes")
    void requestsAllNodesOfUnwatchedGateways() {
        guards.closeAttempt(NODE, 1, false);
        mirror.setGatewaysWithoutDatabase(Set.of("g2"));
        watch.updateBlockedNodes();
        assertThat(requested).as("it is at the other one").isEmpty();

        mirror.setGatewaysWithoutDatabase(Set.of("g1"));
        blocked.add(NODE);
        watch.updateBlockedNodes();
        assertThat(seen()).isInstanceOf(NodeView.Absent.class);
    }

    @Test
    @DisplayName("H3: no command goes out to a node that was barred before its turn")
    void aCommandForABlockedNodeIsHeldBack() {
        blocked.add(NODE);
        MessageToNode others = command(OTHER);

        assertThat(watch.refreshAndDropBlocked(List.of(command(NODE), others)))
                .containsExactly(others);

        assertThat(seen()).isInstanceOf(NodeView.Absent.class);
        assertThat(requested).containsExactly(Set.of(NODE, OTHER));
    }

    @Test
    void doesNotRequestWithdrawals() {
        blocked.add(NODE);
        assertThat(watch.refreshAndDropBlocked(List.of(WITHDRAWAL))).containsExactly(WITHDRAWAL);
        assertThat(requested).isEmpty();
    }

    @Test
    void dispatchesNothingWithoutBlockData() {
        unavailable = true;
        assertThatThrownBy(() -> watch.refreshAndDropBlocked(List.of(command(NODE))))
                .isInstanceOf(StoreUnavailable.class);
    }

    @Test
    void reconnectedNodeIsRequestedAgain() {
        blocked.add(NODE);
        watch.updateBlockedNodes();
        blocked.clear();
        reports("g2", 2); // enrolled, and faster than the next look
        watch.updateBlockedNodes();
        assertThat(resubscribed).containsExactly(NODE);
        reports("g2", 2);
        assertThat(mirror.gatewayOf(NODE)).hasValue("g2");
        watch.updateBlockedNodes();
        assertThat(resubscribed).as("once").hasSize(1);
    }

    @Test
    @DisplayName(
            "H3: who was the node before stays out where nobody looks, when it is back elsewhere")
    void formerMachineStaysBlockedAtUnwatchedGateways() {
        mirror.setGatewaysWithoutDatabase(Set.of("g1"));
        blocked.add(NODE);
        watch.updateBlockedNodes();
        blocked.clear();
        watch.updateBlockedNodes();

        reports("g2", 1);
        reports("g1", 9);
        assertThat(mirror.gatewayOf(NODE)).hasValue("g2");

        mirror.setGatewaysWithoutDatabase(Set.of());
        reports("g1", 10);
        assertThat(mirror.gatewayOf(NODE)).as("it looks again").hasValue("g1");
    }

    @Test
    @DisplayName("H3: who was the node before stays out in the next rollout, too")
    void whoWasTheNodeBeforeStaysOutInTheNextRollout() {
        mirror.setGatewaysWithoutDatabase(Set.of("g1"));
        blocked.add(NODE);
        watch.updateBlockedNodes();
        blocked.clear();
        watch.updateBlockedNodes();
        long _ = mirror.removeInterest(List.of(NODE));
        long _ = mirror.addInterest(List.of(NODE));

        reports("g1", 9);
        assertThat(mirror.gatewayOf(NODE)).isEmpty();
        mirror.setGatewaysWithoutDatabase(Set.of());
        reports("g1", 10);
        assertThat(mirror.gatewayOf(NODE)).as("it looks again").hasValue("g1");
    }

    @Test
    void forgetsUnwatchedNodes() {
        guards.closeAttempt(NODE, 1, false);
        blocked.add(NODE);
        var _ = watch.refreshAndDropBlocked(List.of(command(NODE)));
        mirror.removeInterest(List.of(NODE));
        watch.updateBlockedNodes();
        assertThat(requested).as("the one before the command").hasSize(1);
    }
}
