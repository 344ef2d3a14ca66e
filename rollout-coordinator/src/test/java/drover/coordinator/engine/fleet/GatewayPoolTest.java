package drover.coordinator.engine.fleet;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.peers.GatewayLink;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.store.gateway.GatewayRegistryReader.RegisteredGateway;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GatewayPoolTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final NodeId NODE = SampleRollout.node("demo", 1);
    private static final RegisteredGateway FIRST = new RegisteredGateway("g1", "there:1");
    private static final RegisteredGateway SECOND = new RegisteredGateway("g2", "there:2");

    private final Map<String, ScriptedLink> connected = new HashMap<>(); // by address
    private final AtomicLong clock = new AtomicLong();
    private final FleetCache mirror = new FleetCache(() -> NOW, NoReservations.ofAnyNode());
    private final GatewayPool pool =
            new GatewayPool(
                    (address, epoch, leader, events) -> {
                        ScriptedLink link = new ScriptedLink(events);
                        connected.put(address, link);
                        return link;
                    },
                    mirror,
                    1,
                    "leader",
                    nodes -> {},
                    () -> {},
                    reports -> {},
                    clock::get,
                    LoopMeter.NONE);

    @BeforeEach
    void attachToBothWithANodeAtTheFirst() {
        mirror.addInterest(List.of(NODE));
        mirror.confirmFence();
        assertThat(pool.updateGateways(List.of(FIRST, SECOND))).containsExactly(FIRST, SECOND);
        connected.values().forEach(link -> link.events.onOpened());
        at(FIRST).events.onConnected(List.of(present("session", 1)));
        connected.values().forEach(link -> link.events.onSnapshotEnd(mirror.interestRevision()));
        assertThat(seen()).isInstanceOf(NodeView.Present.class);
    }

    private static drover.coordinator.peers.GatewayLink.ConnectedNode present(
            String session, long connectionNumber) {
        return new drover.coordinator.peers.GatewayLink.ConnectedNode(
                NODE,
                1,
                connectionNumber,
                new NodeView.Present(session, "process", Set.of(), 0, Map.of()));
    }

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    private void addInterest(NodeId node) {
        pool.broadcastInterest(mirror.addInterest(List.of(node)), List.of(node), List.of());
    }

    private ScriptedLink at(RegisteredGateway gateway) {
        return requireNonNull(connected.get(gateway.address()));
    }

    private NodeView seen() {
        return mirror.snapshot().node(NODE);
    }

    @Test
    @DisplayName("A7: a gateway that lost its way to the database, and speaks, keeps its nodes")
    void whoSpeaksIsFollowedThoughItIsNotRegisteredAnyMore() {
        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(FIRST, SECOND);

        assertThat(seen()).isInstanceOf(NodeView.Present.class);
        assertThat(at(FIRST).closed).isFalse();
    }

    @Test
    @DisplayName(
            "B9: a gateway that is neither registered nor heard is let go, and its nodes with it")
    void dropsAnUnregisteredUnresponsiveService() {
        at(FIRST).events.onClosed(false);

        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(SECOND);

        assertThat(seen()).isInstanceOf(NodeView.Absent.class);
    }

    @Test
    void whoNeverAnsweredIsLetGoWhenItIsNotRegisteredAnyMore() {
        RegisteredGateway third = new RegisteredGateway("g3", "there:3");
        assertThat(pool.updateGateways(List.of(FIRST, SECOND, third))).contains(third);

        assertThat(pool.updateGateways(List.of(FIRST, SECOND))).doesNotContain(third);

        assertThat(at(third).closed).isTrue();
    }

    @Test
    void reconnectsToTheNewAddress() {
        RegisteredGateway moved = new RegisteredGateway(FIRST.id(), "there:9");

        assertThat(pool.updateGateways(List.of(moved, SECOND))).containsExactly(moved, SECOND);

        assertThat(at(FIRST).closed).isTrue();
        assertThat(at(moved).closed).isFalse();
    }

    @Test
    @DisplayName("B9: a gateway that is not registered and answers no more is let go")
    void whoAnswersNoMoreIsLetGoWhenItIsNotRegisteredAnyMore() {
        NodeId added = SampleRollout.node("demo", 2);
        pool.updateGateways(List.of(SECOND));
        addInterest(added);
        at(SECOND).events.onSnapshotEnd(mirror.interestRevision());

        pass(GatewayResponseMonitor.TIMEOUT.minusNanos(1));
        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(FIRST, SECOND);
        assertThat(mirror.snapshot().node(added)).isInstanceOf(NodeView.Unknown.class);
        pass(Duration.ofNanos(1));
        assertThat(pool.updateGateways(List.of(SECOND)))
                .as("looked once")
                .containsExactly(FIRST, SECOND);
        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(SECOND);

        assertThat(at(FIRST).closed).isTrue();
        assertThat(mirror.snapshot().node(added)).isInstanceOf(NodeView.Absent.class);
    }

    @Test
    void questionsThatKeepComingGiveItNoMoreTime() {
        pool.updateGateways(List.of(SECOND));
        addInterest(SampleRollout.node("demo", 2));
        pass(GatewayResponseMonitor.TIMEOUT.dividedBy(2));
        addInterest(SampleRollout.node("demo", 3));
        pass(GatewayResponseMonitor.TIMEOUT.dividedBy(2));

        var _ = pool.updateGateways(List.of(SECOND));
        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(SECOND);
    }

    @Test
    @DisplayName("A7: a long answer over a slow link is waited for as long as it comes")
    void whoIsStillAnsweringIsFollowed() {
        pool.updateGateways(List.of(SECOND));
        addInterest(SampleRollout.node("demo", 2));
        pass(Duration.ofSeconds(10));
        at(FIRST).events.onConnected(List.of(present("session", 1)));
        pass(Duration.ofSeconds(10));

        var _ = pool.updateGateways(List.of(SECOND));
        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(FIRST, SECOND);
    }

    @Test
    @DisplayName("A7: a leader that stood still lets go of nobody whose answer it had yet to read")
    void whoAnsweredWhileThisLeaderStoodStillIsFollowed() {
        pool.updateGateways(List.of(SECOND));
        addInterest(SampleRollout.node("demo", 2));
        pass(GatewayResponseMonitor.TIMEOUT.multipliedBy(2));
        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(FIRST, SECOND);
        at(FIRST).events.onDisconnected(List.of(SampleRollout.node("demo", 2)));
        pass(GatewayResponseMonitor.TIMEOUT);

        assertThat(pool.updateGateways(List.of(SECOND)))
                .as("a first look")
                .containsExactly(FIRST, SECOND);
        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(SECOND);
    }

    @Test
    void whoAnswersIsFollowedHoweverLongItIsNotRegistered() {
        pool.updateGateways(List.of(SECOND));
        addInterest(SampleRollout.node("demo", 2));
        at(FIRST).events.onSnapshotEnd(mirror.interestRevision());
        pass(Duration.ofHours(1));
        addInterest(SampleRollout.node("demo", 3));
        pass(GatewayResponseMonitor.TIMEOUT.minusNanos(1));

        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(FIRST, SECOND);
    }

    @Test
    @DisplayName(
            "A7: a gateway whose link breaks while it is not registered is dialled for a while")
    void reconnectsToALostUnregisteredService() {
        pool.updateGateways(List.of(SECOND));
        ScriptedLink broken = at(FIRST);
        broken.events.onClosed(false);

        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(FIRST, SECOND);

        ScriptedLink next = at(FIRST);
        assertThat(next).isNotSameAs(broken);
        assertThat(seen()).as("it may be there").isInstanceOf(NodeView.Unknown.class);
        next.events.onOpened();
        next.events.onConnected(List.of(present("session", 1)));
        next.events.onSnapshotEnd(mirror.interestRevision());
        pass(UnregisteredGatewaysToReconnect.RECONNECT_FOR);
        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(FIRST, SECOND);
        assertThat(seen()).isInstanceOf(NodeView.Present.class);
    }

    @Test
    @DisplayName("B9: it is dialled for two minutes, whether or not it is reached, and no longer")
    void whoIsNotReachedAnyMoreIsLetGo() {
        pool.updateGateways(List.of(SECOND));
        at(FIRST).events.onClosed(false);
        pass(UnregisteredGatewaysToReconnect.RECONNECT_FOR.minusNanos(1));
        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(FIRST, SECOND);
        at(FIRST).events.onClosed(false);
        pass(Duration.ofNanos(1));

        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(SECOND);
        assertThat(seen()).isInstanceOf(NodeView.Absent.class);
    }

    @Test
    @DisplayName("A18: one that takes this leader and breaks off is dialled for no longer")
    void whoBreaksOffBeforeItAnswersIsLetGo() {
        pool.updateGateways(List.of(SECOND));
        comesAndGoes(13, Duration.ofSeconds(10), () -> {});

        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(SECOND);
        assertThat(mirror.snapshot().completeViewSince()).isNotNull();
    }

    @Test
    @DisplayName("A18, R3: nor is one that answers and breaks off: deadlines would be put off")
    void whoAnswersAndBreaksOffIsLetGo() {
        pool.updateGateways(List.of(SECOND));
        comesAndGoes(
                2,
                Duration.ofSeconds(90),
                () -> at(FIRST).events.onSnapshotEnd(mirror.interestRevision()));

        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(SECOND);
    }

    private void comesAndGoes(int times, Duration every, Runnable answer) {
        for (int time = 0; time < times; time++) {
            at(FIRST).events.onClosed(false);
            var _ = pool.updateGateways(List.of(SECOND));
            at(FIRST).events.onOpened();
            answer.run();
            pass(every);
            var _ = pool.updateGateways(List.of(SECOND));
        }
        at(FIRST).events.onClosed(false);
    }

    @Test
    @DisplayName(
            "A7: one that was at work again for as long is dialled as if it were the first time")
    void reconnectsToTheHolder() {
        pool.updateGateways(List.of(SECOND));
        comesAndGoes(
                3,
                UnregisteredGatewaysToReconnect.RECONNECT_FOR,
                () -> at(FIRST).events.onSnapshotEnd(mirror.interestRevision()));

        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(FIRST, SECOND);
    }

    @Test
    @DisplayName("B9: one that is reached again must answer like any other")
    void whoIsReachedAgainAndDoesNotAnswerIsLetGo() {
        pool.updateGateways(List.of(SECOND));
        at(FIRST).events.onClosed(false);
        pool.updateGateways(List.of(SECOND));
        at(FIRST).events.onOpened();
        pass(GatewayResponseMonitor.TIMEOUT);
        var _ = pool.updateGateways(List.of(SECOND));

        assertThat(pool.updateGateways(List.of(SECOND))).containsExactly(SECOND);
        assertThat(at(FIRST).closed).isTrue();
        assertThat(pool.updateGateways(List.of(SECOND))).as("for good").containsExactly(SECOND);
    }

    @Test
    void connectsToTheRegisteredServiceOnly() {
        RegisteredGateway restarted = new RegisteredGateway("g1-anew", FIRST.address());
        pool.updateGateways(List.of(SECOND));
        at(FIRST).events.onClosed(false);

        assertThat(pool.updateGateways(List.of(SECOND, restarted)))
                .containsExactly(restarted, SECOND);
        assertThat(pool.updateGateways(List.of(SECOND)))
                .as("and never was")
                .containsExactly(SECOND);
    }

    @Test
    @DisplayName("H3: a command that was permitted before its node was barred does not go out")
    void doesNotDispatchToANodeBlockedMeanwhile() {
        GatewayLink.MessageToNode command =
                new GatewayLink.MessageToNode.Command(
                        NODE, "session", false, 1, "", new byte[0], Map.of());
        GatewayLink.MessageToNode withdrawal =
                new GatewayLink.MessageToNode.Withdraw(NODE, "session", 1, 1);
        pool.deliver(FIRST.id(), List.of(command));
        assertThat(at(FIRST).sent).containsExactly(command);

        var _ = mirror.block(List.of(NODE));
        pool.dropCommands(List.of(NODE));
        assertThat(at(FIRST).dropped).containsExactly(NODE);
        pool.deliver(FIRST.id(), List.of(command, withdrawal));
        assertThat(at(FIRST).sent).containsExactly(command, withdrawal);
    }

    /** Says what the test says, and does nothing with what it hears. */
    private static final class ScriptedLink implements GatewayLink {
        private final Listener events;
        private final List<MessageToNode> sent = new ArrayList<>();
        private final List<NodeId> dropped = new ArrayList<>();
        private boolean closed;

        ScriptedLink(Listener events) {
            this.events = events;
        }

        @Override
        public void sendInterest(
                long revision, Collection<NodeId> add, Collection<NodeId> remove) {}

        @Override
        public void send(List<MessageToNode> deliveries) {
            sent.addAll(deliveries);
        }

        @Override
        public void dropCommands(Collection<NodeId> nodes) {
            dropped.addAll(nodes);
        }

        @Override
        public void acknowledge(List<StatusAcknowledgementToAgent> acknowledgements) {}

        @Override
        public void close() {
            closed = true;
        }
    }
}
