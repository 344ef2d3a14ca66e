package drover.gateway;

import static drover.gateway.GatewayFixture.token;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * I4: whoever floods the agents' door loses that connection, and an agent beside it loses nothing.
 */
class AbuseIT {
    private static final int CALLS = 4;
    private static final int RESETS = 100;
    private static final Duration WITHIN =
            Duration.ofSeconds(6); // also a busy machine abandons all calls of one count in it
    private static final int MANY = 2_000;
    private static final Duration HANDSHAKE = Duration.ofSeconds(10);

    private GatewayFixture fixture;
    private TestAgent other;

    @BeforeEach
    void openAgentEndpoints() {
        fixture = GatewayFixture.onLoopback();
        other = fixture.connected("other");
        fixture.register("n1");
    }

    @AfterEach
    void theOtherAgentIsStillHere() {
        assertThat(other.received.ended()).isFalse();
        assertThat(fixture.node("other").getOnline()).isTrue();
        fixture.close();
    }

    private RawConnection open() throws IOException {
        return RawConnection.open(fixture.agentPort());
    }

    @Test
    @Faults(
            rule = "I4 (a flood of abandoned calls ends with that connection closed)",
            sample = "AbuseIT.pingsWithoutEnd")
    void callsThatAreStartedAndAbandonedWithoutEnd() throws IOException {
        try (RawConnection abuser = open()) {
            var _ = abandon(abuser, 0, RESETS);
            abuser.ping();
            var _ = abuser.awaitPing(); // so many are nothing: the connection lives, and answers

            flood(call -> abandon(abuser, RESETS + call));

            assertThat(abuser.awaitEnd().code()).isEqualTo(RawConnection.CALM_DOWN);
        }
    }

    @Test
    @DisplayName("Abandoned calls are counted anew after their time, and not before")
    @Faults(
            rule = "I4 (a flood of abandoned calls ends with that connection closed)",
            sample = "AbuseIT.pingsWithoutEnd")
    void abandonedCallsAreCountedAgain() throws IOException, InterruptedException {
        fixture.close();
        fixture = GatewayFixture.onLoopback(TestLimits.abandoning(WITHIN));
        other = fixture.connected("other");
        fixture.register("n1");
        try (RawConnection abuser = open()) {
            int call = abandon(abuser, 0, RESETS);
            Thread.sleep(WITHIN.plusMillis(500)); // the time itself is what is tried

            call = abandon(abuser, call, RESETS / 2);
            Thread.sleep(WITHIN.dividedBy(6)); // still the same count
            call = abandon(abuser, call, RESETS / 2);
            abuser.ping();
            var _ = abuser.awaitPing(); // so many again are nothing

            var _ = abandon(abuser, call, 1);
            assertThat(abuser.awaitEnd().code()).isEqualTo(RawConnection.CALM_DOWN);
        }
    }

    /** So many calls, the first of this number; the number of the next. */
    private static int abandon(RawConnection abuser, int first, int calls) throws IOException {
        for (int call = first; call < first + calls; call++) {
            abandon(abuser, call);
        }
        return first + calls;
    }

    private static void abandon(RawConnection abuser, int call) throws IOException {
        abuser.call(2 * call + 1, token("n1"));
        abuser.reset(2 * call + 1);
    }

    @Test
    void pingsWithoutEnd() throws IOException {
        try (RawConnection abuser = open()) {
            abuser.call(1, token("n1"));
            flood(_ -> abuser.ping());

            assertThat(abuser.awaitEnd().words()).isEqualTo("too_many_pings");
        }
    }

    @Test
    @Faults(
            rule = "I4 (endless metadata ends with that connection closed)",
            sample = "AbuseIT.pingsWithoutEnd")
    void metadataWithoutEnd() throws IOException {
        try (RawConnection abuser = open()) {
            abuser.sendHeadersWithoutEnd(1);
            flood(_ -> abuser.goOn(1, 8 * 1024));

            assertThat(abuser.awaitEnd().code()).isNotZero();
        }
    }

    @Test
    @Faults(
            rule = "I4 (a connection without a handshake is closed)",
            sample = "AbuseIT.pingsWithoutEnd")
    void aConnectionThatNeverStarts() throws IOException {
        long started = System.nanoTime();
        try (RawConnection abuser = RawConnection.openWithoutPreface(fixture.agentPort())) {
            assertThat(abuser.awaitEnd().resets()).isEmpty();
        }
        Duration took = Duration.ofNanos(System.nanoTime() - started);
        assertThat(took).isGreaterThanOrEqualTo(HANDSHAKE.minusSeconds(1));
        Waits.measured("AbuseIT: no handshake", took, HANDSHAKE.plusSeconds(5));
    }

    @Test
    @DisplayName("A call beyond the limit of its connection is refused, and those that run stay")
    @Faults(
            rule = "I4 (calls beyond the limit of a connection are refused)",
            sample = "AbuseIT.pingsWithoutEnd")
    void moreCallsThanAConnectionMayHave() throws IOException {
        try (RawConnection abuser = open()) {
            for (int call = 0; call <= CALLS; call++) {
                abuser.call(2 * call + 1, token("n1"));
            }

            assertThat(abuser.awaitReset())
                    .isEqualTo(
                            new RawConnection.Reset(2 * CALLS + 1, RawConnection.REFUSED_STREAM));
        }
    }

    /** One step of a flood. */
    private interface Step {
        void take(int step) throws IOException;
    }

    /** Ends early when the connection is ended under it, as it should be. */
    private static void flood(Step step) throws IOException {
        try {
            for (int i = 0; i < MANY; i++) {
                step.take(i);
            }
        } catch (SocketException e) {
            // nobody reads any more: what was said before is still there to be read
        }
    }
}
