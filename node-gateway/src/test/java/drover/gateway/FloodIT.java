package drover.gateway;

import static drover.agent.v1.AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS;
import static drover.gateway.TestAgent.heartbeat;
import static drover.gateway.TestAgent.status;
import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.ConnectRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** I4: agents that say what they may say, as fast as they can. */
@Faults(rule = "I4 (a flood affects no other agent)", sample = "AbuseIT.pingsWithoutEnd")
class FloodIT {
    private static final int TRIPS = 20;
    private static final int SAMPLES = 200; // of the full suite
    private static final int MANY = 10_000; // messages: an agent says some in a minute

    /** A person sees none of it; a queue of a flood's length would be far beyond. */
    private static final Duration BEARABLE = Duration.ofMillis(500);

    @AutoClose private GatewayFixture fixture;
    private final List<Flood> floods = new ArrayList<>();

    @BeforeEach
    void openServers() {
        fixture = GatewayFixture.onLoopback(TestLimits.unlimitedRate());
    }

    /**
     * The round trips last until both floods are large, and the floods until the last round trip.
     * Behind a queue of their messages each trip would take several times as long as the trips
     * before it together, and the last ones would exceed every limit.
     */
    @Test
    @Timeout(600)
    @DisplayName(
            "Agents beside two that say statuses and heartbeats without end are heard and told")
    void othersAreServedBesideFloods() throws IOException, InterruptedException {
        Other other = other();
        floods.forEach(Flood::start);

        for (int trips = 0; trips < TRIPS || !floods.stream().allMatch(Flood::isLarge); trips++) {
            other.trip.take();
        }

        floods.forEach(Flood::end);
        assertIsUnharmed(other);
    }

    @Test
    @DisplayName(
            "Next to the two floods a round trip takes at most twice as long, plus half a second")
    void othersAreServedAsFastDuringFloods() throws IOException, InterruptedException {
        Other other = other();
        for (int i = 0; i < SAMPLES; i++) {
            other.trip.take(); // the machine and the programs warm up
        }
        Duration before = other.trip.ninthTenth();

        floods.forEach(Flood::start);
        Duration during = other.trip.ninthTenth();
        floods.forEach(Flood::end);

        assertThat(during).isLessThan(before.multipliedBy(2).plus(BEARABLE));
        assertIsUnharmed(other);
    }

    /** An agent next to both floods, and the leader that it speaks with. */
    private record Other(TestAgent agent, TestLeader leader, RoundTrip trip) {}

    private Other other() throws IOException {
        TestAgent agent = fixture.connected("other");
        floods.add(new Flood("n1", FloodIT::status1));
        floods.add(new Flood("n2", FloodIT::beat));
        TestLeader leader =
                TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1", "n2", "other"));
        return new Other(agent, leader, new RoundTrip(leader, agent));
    }

    private void assertIsUnharmed(Other other) {
        assertThat(other.agent.received.ended()).isFalse();
        assertThat(floods.stream().mapToInt(flood -> flood.reported.get()).sum())
                .isGreaterThan(MANY);
        assertThat(other.leader.statuses().stream().filter(it -> it.getNodeId().equals("n1")))
                .as("statuses that a leader hears: the latest, not all")
                .hasSizeLessThan(floods.getFirst().reported.get());
    }

    private static ConnectRequest status1(int number) {
        return ConnectRequest.newBuilder()
                .setStatus(status(1, number, ATTEMPT_OUTCOME_IN_PROGRESS))
                .build();
    }

    private static ConnectRequest beat(int number) {
        return ConnectRequest.newBuilder()
                .setHeartbeat(heartbeat(1, "run-" + number, "sha256:1", "v1"))
                .build();
    }

    /** An agent that says one thing after another, on a thread and a connection of its own. */
    private final class Flood {
        final AtomicInteger reported = new AtomicInteger();
        private final RawAgent agent;
        private final Thread thread;
        private volatile boolean over;

        Flood(String node, IntFunction<ConnectRequest> words) throws IOException {
            fixture.register(node);
            agent = RawAgent.connect(fixture.agentPort(), node);
            thread = Thread.ofPlatform().unstarted(() -> flood(words));
        }

        void start() {
            thread.start();
        }

        boolean isLarge() {
            return reported.get() > MANY / 2;
        }

        private void flood(IntFunction<ConnectRequest> words) {
            try {
                while (!over && agent.trySend(words.apply(reported.get() + 1))) {
                    reported.incrementAndGet();
                }
                agent.close();
            } catch (IOException e) {
                // ended by the door: it may do so, and said no more then
            }
        }

        void end() {
            over = true;
            try {
                assertThat(thread.join(Waits.LIMIT)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** From a leader to an agent, and from there back to the leader. */
    private static final class RoundTrip {
        private final TestLeader leader;
        private final TestAgent agent;
        private final String session;
        private final BlockingQueue<String> came = new LinkedBlockingQueue<>();
        private final BlockingQueue<Long> back = new LinkedBlockingQueue<>();
        private int number;

        RoundTrip(TestLeader leader, TestAgent agent) {
            this.leader = leader;
            this.agent = agent;
            this.session = agent.session();
            agent.received.forwardTo(
                    response -> came.add(response.getCommand().getBody().toStringUtf8()));
            leader.received.forwardTo(
                    response ->
                            response.getStatuses().getStatusesList().stream()
                                    .filter(status -> status.getNodeId().equals("other"))
                                    .forEach(status -> back.add(status.getStatus().getSequence())));
        }

        Duration ninthTenth() throws InterruptedException {
            List<Duration> taken = new ArrayList<>();
            for (int i = 0; i < SAMPLES; i++) {
                taken.add(take());
            }
            return taken.stream().sorted().toList().get(SAMPLES * 9 / 10);
        }

        Duration take() throws InterruptedException {
            long started = System.nanoTime();
            number++;
            leader.sends("other", session, leader.command("" + number));
            assertThat(came.poll(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("" + number);
            agent.send(status(1, number, ATTEMPT_OUTCOME_IN_PROGRESS));
            assertThat(back.poll(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo((long) number);
            return Duration.ofNanos(System.nanoTime() - started);
        }
    }
}
