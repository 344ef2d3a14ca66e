package drover.evaluator.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.evaluator.Waits;
import drover.evaluator.assess.Heartbeat;
import drover.evaluator.assess.ProgramObservation;
import drover.kit.grpc.Address;
import drover.model.ApplicationHealth;
import drover.model.NodeId;
import drover.model.SyncStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What every source of heartbeats must do. */
abstract class HeartbeatFeedContract {
    static final NodeId N1 = new NodeId("n1");
    static final NodeId N2 = new NodeId("n2");

    /** A gateway passes on a heartbeat. */
    abstract void beat(NodeId node, Heartbeat heartbeat);

    /** A node leaves the gateway. */
    abstract void leave(NodeId node);

    abstract HeartbeatFeed feed();

    abstract Address gateway();

    @Test
    void sendsTheLatestAtOnceAndEachLaterOne() {
        beat(N1, heartbeat(1));
        RecordingListener ear = new RecordingListener();
        try (HeartbeatFeed.Subscription subscription = feed().subscribe(gateway(), ear)) {
            subscription.add(List.of(N1, N2));

            ear.awaitCall("n1 1");
            ear.awaitCall("n2 gone");
            beat(N1, heartbeat(2));
            ear.awaitCall("n1 2");
            leave(N1);
            ear.awaitCall("n1 gone");
        }
    }

    @Test
    void nodeThatIsAddedAgainIsSentAgain() {
        beat(N1, heartbeat(1));
        RecordingListener ear = new RecordingListener();
        try (HeartbeatFeed.Subscription subscription = feed().subscribe(gateway(), ear)) {
            subscription.add(List.of(N1));
            ear.awaitCall("n1 1");
            ear.lines.clear();

            subscription.add(List.of(N1));

            ear.awaitCall("n1 1");
        }
    }

    @Test
    void aNodeThatIsRemovedIsNotSpokenOf() {
        beat(N1, heartbeat(1));
        beat(N2, heartbeat(1));
        RecordingListener ear = new RecordingListener();
        try (HeartbeatFeed.Subscription subscription = feed().subscribe(gateway(), ear)) {
            subscription.add(List.of(N1, N2));
            ear.awaitCall("n1 1");
            subscription.remove(List.of(N1));
            subscription.add(List.of(N2));
            await().atMost(Waits.LIMIT)
                    .until(() -> ear.lines.stream().filter("n2 1"::equals).count() >= 2);

            beat(N1, heartbeat(5));
            beat(N2, heartbeat(5));

            ear.awaitCall("n2 5");
            assertThat(ear.lines).doesNotContain("n1 5");
        }
    }

    static Heartbeat heartbeat(long attempt) {
        return new Heartbeat(
                attempt,
                List.of(
                        new ProgramObservation(
                                "chain",
                                "run-1",
                                "sha256:1",
                                "sha256:c",
                                Duration.ofMillis(5_500),
                                Duration.ofSeconds(4),
                                2,
                                ApplicationHealth.DEGRADED,
                                SyncStatus.SYNCING,
                                List.of("http: refused", "disk: 91 % used"))));
    }

    /** Writes down what it hears. */
    static final class RecordingListener implements HeartbeatFeed.Listener {
        final List<String> lines = new CopyOnWriteArrayList<>();

        @Override
        public void onHeartbeat(NodeId node, Heartbeat heartbeat, Duration age) {
            assertThat(heartbeat).isEqualTo(heartbeat(heartbeat.attempt()));
            lines.add(node + " " + heartbeat.attempt());
        }

        @Override
        public void onInvalidHeartbeat(NodeId node, String why) {
            lines.add(node + " invalid: " + why);
        }

        @Override
        public void onDisconnect(NodeId node) {
            lines.add(node + " gone");
        }

        void awaitCall(String wanted) {
            await().atMost(Waits.LIMIT).until(() -> lines.contains(wanted));
        }
    }
}
