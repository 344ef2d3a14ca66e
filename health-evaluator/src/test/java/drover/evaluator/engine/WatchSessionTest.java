package drover.evaluator.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.evaluator.Waits;
import drover.evaluator.assess.AllProgramsWatchSpec;
import drover.evaluator.assess.HealthThresholds;
import drover.evaluator.assess.Heartbeat;
import drover.evaluator.assess.Verdict;
import drover.evaluator.assess.VerdictReport;
import drover.evaluator.peers.HeartbeatFeed;
import drover.evaluator.peers.InMemoryHeartbeatFeed;
import drover.kit.grpc.Address;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class WatchSessionTest {
    private final AtomicLong nanos = new AtomicLong(-7); // a monotonic clock begins anywhere
    private final List<List<VerdictReport>> sent = new CopyOnWriteArrayList<>();

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void awaitSent(int messages) {
        await().atMost(Waits.LIMIT).until(() -> sent.size() >= messages);
    }

    @Test
    @DisplayName("F3: an evaluator without news says that it is there, at first and every 5 s")
    void reportsThatItIsReady() {
        try (WatchSession session =
                new WatchSession(new InMemoryHeartbeatFeed(), sent::add, nanos::get)) {
            session.startSending();
            awaitSent(1);
            pass(WatchSession.KEEPALIVE_INTERVAL.minusNanos(1));
            session.tick();
            pass(Duration.ofNanos(1));
            session.tick();
            awaitSent(2);
            pass(WatchSession.KEEPALIVE_INTERVAL);
            session.tick();
            awaitSent(3);
        }
        assertThat(sent).as("none before its time").hasSize(3).allMatch(List::isEmpty);
    }

    @Test
    @DisplayName("H9 F3: a heartbeat that cannot be judged is no data, and hides no other node")
    void aHeartbeatThatCannotBeAssessedHidesNoOther() {
        List<HeartbeatFeed.Listener> ears = new CopyOnWriteArrayList<>();
        Heartbeat healthy = new Heartbeat(1, List.of(), Duration.ofSeconds(Long.MAX_VALUE));
        try (WatchSession session = new WatchSession(listening(ears), sent::add, nanos::get)) {
            session.setGateways(List.of(new Address.InProcess("gateway")));
            session.watch(List.of(whole("n1"), whole("n2"), whole("n3")));
            HeartbeatFeed.Listener gateway = ears.getFirst();

            gateway.onHeartbeat(new NodeId("n1"), healthy, Duration.ofSeconds(Long.MAX_VALUE));
            gateway.onInvalidHeartbeat(
                    new NodeId("n2"), "Its heartbeat is invalid: up_for is too long.");
            gateway.onHeartbeat(new NodeId("n3"), healthy, Duration.ZERO);

            assertThat(session.takeNextChanges())
                    .extracting(VerdictReport::verdict)
                    .satisfiesExactly(
                            n1 -> assertThat(n1).isEqualTo(noData(n1)),
                            n2 ->
                                    assertThat(n2.reasons().getFirst().sentence())
                                            .contains("up_for is too long"),
                            n3 -> assertThat(n3.reasons()).isNotEmpty());
        }
    }

    private static Verdict noData(Verdict verdict) {
        return new Verdict.NoData(verdict.reasons());
    }

    private static AllProgramsWatchSpec whole(String node) {
        return new AllProgramsWatchSpec(
                new NodeId(node), Duration.ofSeconds(30), HealthThresholds.DEFAULT);
    }

    private static HeartbeatFeed listening(List<HeartbeatFeed.Listener> ears) {
        return (gateway, ear) -> {
            ears.add(ear);
            return new InMemoryHeartbeatFeed().subscribe(gateway, ear);
        };
    }
}
