package drover.gateway;

import static drover.agent.v1.AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS;
import static drover.gateway.GatewayFixture.token;
import static drover.gateway.TestAgent.hello;
import static drover.gateway.TestAgent.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.ConnectResponse;
import drover.node.v1.NodeStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Those who read slowly skip versions, and cost nobody anything. */
abstract class SlowConsumerContract {
    private static final int MANY = 1_000;
    private static final String LARGE = "x".repeat(100 * 1024);
    private static final long MOST_PENDING = 1024 * 1024; // bytes, of one stream (SECURITY)
    private static final int COMMANDS = 100; // 10 MB that are not read
    private static final int SAMPLES = 300; // of the full suite

    /** What a machine that others use too takes now and then, for either of the two. */
    private static final Duration HICCUP = Duration.ofMillis(50);

    @AutoClose private GatewayFixture fixture;

    abstract GatewayFixture open();

    @BeforeEach
    void openServers() {
        fixture = open();
    }

    /** It takes in next to nothing itself, so that what is on its way lies at the gateway. */
    private TestAgent nonReadingAgent() {
        fixture.register("deaf");
        TestAgent unresponsive =
                TestAgent.connectWithoutReading(fixture.narrowChannel(), token("deaf"))
                        .send(hello(1, 1));
        await().atMost(Waits.LIMIT).until(() -> fixture.node("deaf").getOnline());
        return unresponsive;
    }

    private static String session(TestLeader leader, String node) {
        return leader.present().stream()
                .filter(present -> present.getNodeId().equals(node))
                .findFirst()
                .orElseThrow()
                .getSessionId();
    }

    @Test
    @DisplayName("I3: an agent that never reads keeps less than 1 MiB waiting, whatever it is sent")
    void anAgentThatNeverReadsCostsOneCommand() {
        TestAgent unresponsive = nonReadingAgent();
        TestAgent other = fixture.connected("other");
        TestLeader leader =
                TestLeader.attach(fixture.internal, 1).watches(1, List.of("deaf", "other"));
        String session = session(leader, "deaf");

        for (int i = 0; i < MANY; i++) { // 100 MB in all
            leader.sends("deaf", session, leader.command(i + LARGE));
        }
        leader.withdraws("deaf", session, 1);
        leader.withdraws("other", other.session(), 1);

        other.received.awaitMessage(ConnectResponse::hasWithdraw);
        unresponsive.received.readOn(MANY * 2);
        unresponsive.received.awaitMessage(ConnectResponse::hasWithdraw);
        String last = (MANY - 1) + LARGE;
        unresponsive.received.awaitMessage(
                response -> response.getCommand().getBody().toStringUtf8().equals(last));
        long waited = // all that was ever on its way while nobody read, the last one included
                unresponsive.received.received().stream()
                        .mapToLong(response -> response.getCommand().getBody().size())
                        .sum();
        assertThat(waited).isLessThanOrEqualTo(MOST_PENDING);
    }

    @Test
    @DisplayName("I3: next to an agent that never reads, another one gets each command")
    void anAgentThatNeverReadsDelaysNoOther() throws InterruptedException {
        TestAgent unresponsive = nonReadingAgent();
        Passing passing = passing(fixture.connected("other"), "deaf", "other");

        for (int i = 0; i < COMMANDS; i++) {
            var _ = passing.beside("deaf", i); // the next one is sent when this one has come
        }

        assertThat(unresponsive.received.received()).as("messages that it has read").isEmpty();
        assertThat(unresponsive.received.ended()).isFalse();
    }

    private Passing passing(TestAgent agent, String... watched) {
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of(watched));
        return new Passing(leader, agent);
    }

    @Test
    @DisplayName(
            "I3: beside an agent that never reads others wait no longer than beside one that does")
    @Faults(
            rule = "I3 (an agent that never reads delays no other agent)",
            sample = "LoopbackSlowConsumerIT.anAgentThatNeverReadsDelaysNoOther")
    void agentThatNeverReadsDelaysNoOther() throws InterruptedException {
        var _ = nonReadingAgent();
        var _ = fixture.connected("keen");
        Passing passing = passing(fixture.connected("other"), "deaf", "keen", "other");
        for (int i = 0; i < SAMPLES; i++) {
            passing.beside("keen", i); // the machine and the programs warm up
        }

        List<Duration> nextToUnresponsive = new ArrayList<>();
        List<Duration> besideKeen = new ArrayList<>();
        for (int i = SAMPLES; i < 2 * SAMPLES; i++) { // by turns: the machine is the same for both
            besideKeen.add(passing.beside("keen", 2 * i));
            nextToUnresponsive.add(passing.beside("deaf", 2 * i + 1));
        }

        assertThat(p99(nextToUnresponsive))
                .isLessThan(p99(besideKeen).multipliedBy(2).plus(HICCUP));
    }

    private static Duration p99(List<Duration> taken) {
        return taken.stream().sorted().toList().get(taken.size() * 99 / 100);
    }

    /** How long a command takes to one agent right behind a large one to another. */
    private static final class Passing {
        private final TestLeader leader;
        private final TestAgent agent;
        private final BlockingQueue<String> came = new LinkedBlockingQueue<>();

        Passing(TestLeader leader, TestAgent agent) {
            this.leader = leader;
            this.agent = agent;
            agent.received.forwardTo(
                    response -> came.add(response.getCommand().getBody().toStringUtf8()));
        }

        Duration beside(String busy, int number) throws InterruptedException {
            leader.sends(busy, SlowConsumerContract.session(leader, busy), leader.command(LARGE));
            long started = System.nanoTime();
            leader.sends("other", agent.session(), leader.command("" + number));
            assertThat(came.poll(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("" + number);
            return Duration.ofNanos(System.nanoTime() - started);
        }
    }

    @Test
    @DisplayName("R2: a leader that reads late gets the latest status, not all of them")
    void aLeaderThatReadsLateSkipsVersions() {
        TestAgent agent = fixture.connected("n1");
        TestLeader leader = TestLeader.attachWithoutReading(fixture.internal, 1);
        leader.interest(1, List.of("n1"), List.of());

        for (int sequence = 1; sequence <= MANY * 5; sequence++) {
            agent.send(
                    status(1, sequence, ATTEMPT_OUTCOME_IN_PROGRESS).toBuilder()
                            .setLogTail("x".repeat(8 * 1024))
                            .build());
        }
        agent.send(status(2, 1, ATTEMPT_OUTCOME_IN_PROGRESS));
        await().atMost(Waits.LIMIT).until(() -> fixture.node("n1").getHighestAttempt() == 2);
        leader.received.readOn(MANY * 10);

        leader.awaitStatus("n1", 2, 1);
        List<NodeStatus> received = leader.statuses();
        assertThat(received.size()).isLessThan(MANY);
        assertThat(received.getLast().getStatus().getAttempt()).isEqualTo(2);
    }
}
