package drover.gateway;

import static drover.gateway.GatewayFixture.token;
import static org.assertj.core.api.Assertions.assertThat;

import drover.kit.grpc.EndpointLimits;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * I4: an agent may ping while it has a call, and not faster than it is told; whoever does ends that
 * connection, and an agent beside it loses nothing.
 */
@SuppressWarnings("NullAway.Init") // every test opens its doors first
@Faults(rule = "I4 (a flood ends with that connection closed)", sample = "AbuseIT.pingsWithoutEnd")
class KeepaliveIT {
    private static final Duration SHORTEST = Duration.ofSeconds(1); // between two pings
    private static final Duration RARER = Duration.ofMillis(1_300);
    private static final int FORGIVEN = 2; // gRPC's own: the third one too many ends it
    private static final String TOO_MANY = "too_many_pings";

    private GatewayFixture fixture;
    private TestAgent other;

    private RawConnection open(EndpointLimits limits) throws IOException {
        fixture = GatewayFixture.onLoopback(limits);
        other = fixture.connected("other");
        fixture.register("n1");
        return RawConnection.open(fixture.agentPort());
    }

    @AfterEach
    void theOtherAgentIsStillHere() {
        assertThat(other.received.ended()).isFalse();
        assertThat(fixture.node("other").getOnline()).isTrue();
        fixture.close();
    }

    @Test
    @DisplayName("Pings that are rarer than --min-ping are answered while there is a call")
    void rarePingsWithACallAreAnswered() throws IOException, InterruptedException {
        try (RawConnection agent = open(TestLimits.pinging(SHORTEST))) {
            agent.call(1, token("n1"));

            for (int ping = 0; ping < 2 * FORGIVEN + 1; ping++) {
                pingAfter(RARER, agent);
                var _ = agent.awaitPing(); // or the test ends here: the connection is over
            }
        }
    }

    @Test
    @DisplayName("The same pings without a call end the connection")
    void rarePingsWithoutACallEndTheConnection() throws IOException, InterruptedException {
        try (RawConnection abuser = open(TestLimits.pinging(SHORTEST))) {
            for (int ping = 0; ping < FORGIVEN; ping++) {
                pingAfter(RARER, abuser);
                var _ = abuser.awaitPing();
            }
            pingAfter(RARER, abuser);

            assertEndedForPings(abuser);
        }
    }

    @Test
    @DisplayName("Pings a second apart, a twentieth of the standard, end a connection with a call")
    void pingsThatAreFasterThanTheStandardEndTheConnection()
            throws IOException, InterruptedException {
        try (RawConnection abuser = open(EndpointLimits.AGENTS)) {
            abuser.call(1, token("n1"));
            for (int ping = 0; ping < FORGIVEN; ping++) {
                pingAfter(SHORTEST, abuser);
                var _ = abuser.awaitPing();
            }
            pingAfter(SHORTEST, abuser);

            assertEndedForPings(abuser);
        }
    }

    private static void pingAfter(Duration pause, RawConnection connection)
            throws IOException, InterruptedException {
        Thread.sleep(pause); // the time between two pings is what is tried
        connection.ping();
    }

    private static void assertEndedForPings(RawConnection connection) throws IOException {
        RawConnection.GoAway farewell = connection.awaitEnd();
        assertThat(farewell.code()).isEqualTo(RawConnection.CALM_DOWN);
        assertThat(farewell.words()).isEqualTo(TOO_MANY);
    }
}
