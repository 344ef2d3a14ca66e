package drover.coordinator.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.peers.GatewayLink;
import drover.coordinator.peers.GatewayLink.PresentNode;
import drover.coordinator.plan.NodeView;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.store.GatewayRegistry.Registered;
import drover.model.NodeId;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GatewayPoolTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final NodeId NODE = SampleRollout.node("demo", 1);
    private static final Registered FIRST = new Registered("g1", "there:1");
    private static final Registered SECOND = new Registered("g2", "there:2");

    private final Map<String, ScriptedLink> dialled = new HashMap<>(); // by address
    private final FleetMirror mirror = new FleetMirror(() -> NOW, NoGuards.ofAnyNode());
    private final GatewayPool pool =
            new GatewayPool(
                    (address, epoch, leader, events) -> {
                        ScriptedLink link = new ScriptedLink(events);
                        dialled.put(address, link);
                        return link;
                    },
                    mirror,
                    1,
                    "leader",
                    nodes -> {},
                    () -> {},
                    reports -> {});

    @BeforeEach
    void attachToBothWithANodeAtTheFirst() {
        mirror.interested(List.of(NODE));
        mirror.confirm();
        assertThat(pool.follow(List.of(FIRST, SECOND))).containsExactly(FIRST, SECOND);
        dialled.values().forEach(link -> link.events.opened());
        at(FIRST)
                .events
                .present(
                        List.of(
                                new PresentNode(
                                        NODE,
                                        1,
                                        1,
                                        new NodeView.Present(
                                                "session", "process", Set.of(), 0, Map.of()))));
        dialled.values().forEach(link -> link.events.snapshotEnd(mirror.revision()));
        assertThat(seen()).isInstanceOf(NodeView.Present.class);
    }

    private ScriptedLink at(Registered gateway) {
        return requireNonNull(dialled.get(gateway.address()));
    }

    private NodeView seen() {
        return mirror.view().node(NODE);
    }

    @Test
    @DisplayName("A7: a gateway that lost its way to the database, and speaks, keeps its nodes")
    void whoSpeaksIsFollowedThoughItIsNotRegisteredAnyMore() {
        assertThat(pool.follow(List.of(SECOND))).containsExactly(FIRST, SECOND);

        assertThat(seen()).isInstanceOf(NodeView.Present.class);
        assertThat(at(FIRST).closed).isFalse();
    }

    @Test
    @DisplayName(
            "B9: a gateway that is neither registered nor heard is let go, and its nodes with it")
    void whoIsNeitherRegisteredNorHeardIsLetGo() {
        at(FIRST).events.closed(false);

        assertThat(pool.follow(List.of(SECOND))).containsExactly(SECOND);

        assertThat(seen()).isInstanceOf(NodeView.Absent.class);
    }

    @Test
    void whoNeverAnsweredIsLetGoWhenItIsNotRegisteredAnyMore() {
        Registered third = new Registered("g3", "there:3");
        assertThat(pool.follow(List.of(FIRST, SECOND, third))).contains(third);

        assertThat(pool.follow(List.of(FIRST, SECOND))).doesNotContain(third);

        assertThat(at(third).closed).isTrue();
    }

    @Test
    void whoMovedIsDialledWhereItIsNow() {
        Registered moved = new Registered(FIRST.id(), "there:9");

        assertThat(pool.follow(List.of(moved, SECOND))).containsExactly(moved, SECOND);

        assertThat(at(FIRST).closed).isTrue();
        assertThat(at(moved).closed).isFalse();
    }

    /** Says what the test says, and hears nothing. */
    private static final class ScriptedLink implements GatewayLink {
        private final Events events;
        private boolean closed;

        ScriptedLink(Events events) {
            this.events = events;
        }

        @Override
        public void interest(long revision, Collection<NodeId> add, Collection<NodeId> remove) {}

        @Override
        public void send(List<Delivery> deliveries) {}

        @Override
        public void acknowledge(List<Acknowledgement> acknowledgements) {}

        @Override
        public void close() {
            closed = true;
        }
    }
}
