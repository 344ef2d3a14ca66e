package drover.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import drover.agent.v1.Command;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Content;
import drover.kit.grpc.ConnectionLimits;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A connection that says nothing is asked for a sign and given up without one, while its TCP
 * connection stands: as when the agent's process is stopped, or a firewall forgot the two. All are
 * tried at once, since the transport asks nobody before ten seconds.
 */
@Faults(
        rule = "D-181 (a connection whose other end does not respond is closed)",
        sample = "AgentEndpointLimitsIT.whoStaysIsCut")
class UnresponsiveConnectionIT {
    private static final Duration POLL_INTERVAL =
            ConnectionLimits.MIN_KEEPALIVE_TIME; // --ask-after
    private static final Duration ANSWERS = Duration.ofSeconds(5); // --max-answer
    private static final Duration EARLY = Duration.ofMillis(100); // clocks of two threads
    private static final Duration LATE = Duration.ofSeconds(7); // 2 s for the GOAWAY, and a reserve
    private static final int CONTENTS = 512 * 1024;

    private GatewayFixture fixture;
    private TestAgent other;
    private long started;

    @BeforeEach
    void openAgentEndpoints() {
        fixture = GatewayFixture.onLoopback(TestLimits.pinging(POLL_INTERVAL, ANSWERS));
        other = fixture.connected("other");
        List.of("still", "deaf", "quiet").forEach(fixture::register);
        started = System.nanoTime();
    }

    @AfterEach
    void closeThem() {
        fixture.close();
    }

    private static Duration since(long moment) {
        return Duration.ofNanos(System.nanoTime() - moment);
    }

    @Test
    @DisplayName("I3: who gives no sign is given up, with a call or without; who gives one stays")
    void whoGivesNoSignIsGivenUp() throws IOException {
        try (RawConnection callless = RawConnection.open(fixture.agentPort());
                RawConnection quiet = RawConnection.open(fixture.agentPort());
                RawAgent still = RawAgent.connect(fixture.agentPort(), "still");
                RawAgent unresponsive = RawAgent.connect(fixture.agentPort(), "deaf")) {
            await().atMost(Waits.LIMIT).until(() -> online("still") && online("deaf"));
            TestLeader leader =
                    TestLeader.attach(fixture.internal, 1)
                            .watches(1, List.of("deaf", "still", "other"));
            leader.sends("deaf", leader.sessionOf("deaf"), large(leader)); // and reads none of it

            quiet.pong(quiet.awaitPing());
            var _ = still.connection.awaitPing();
            Duration requested = since(started);
            assertThat(requested).as("asked").isGreaterThanOrEqualTo(POLL_INTERVAL.minus(EARLY));
            awaitEnd(callless);
            awaitEnd(still.connection);
            awaitEnd(unresponsive.connection);

            Duration closed = since(started);
            assertThat(closed)
                    .as("given up")
                    .isGreaterThanOrEqualTo(POLL_INTERVAL.plus(ANSWERS).minus(EARLY));
            await().atMost(Waits.LIMIT)
                    .until(() -> leader.disconnected().containsAll(List.of("deaf", "still")));
            Duration reported = since(started);
            Waits.measured("SilenceIT: pinged", requested, POLL_INTERVAL.plus(LATE));
            Waits.measured("SilenceIT: closed", closed, POLL_INTERVAL.plus(ANSWERS).plus(LATE));
            Waits.measured("SilenceIT: reported to the leader", reported.minus(closed), LATE);
            quiet.ping();
            var _ = quiet.awaitPing(); // or the test ends here: its connection is over
            assertIsServed(other, leader);
        }
    }

    private boolean online(String node) {
        return fixture.node(node).getOnline();
    }

    private static void assertIsServed(TestAgent other, TestLeader leader) {
        leader.sends("other", other.session(), leader.command("small"));
        other.received.awaitMessage(ConnectResponse::hasCommand);
        assertThat(other.received.ended()).isFalse();
    }

    private static Command large(TestLeader leader) {
        ByteString data = ByteString.copyFrom(new byte[CONTENTS]);
        return leader.command("large").toBuilder()
                .addContents(Content.newBuilder().setData(data))
                .build();
    }

    /** Reads on, and answers nothing. */
    private static void awaitEnd(RawConnection connection) throws IOException {
        try {
            while (true) {
                var _ = connection.next();
            }
        } catch (EOFException | SocketException e) {
            // ended, politely or not
        }
    }
}
