package drover.opsagent.peers;

import static org.assertj.core.api.Assertions.assertThat;

import drover.opsagent.engine.StatusSlot;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.reconnect.ReconnectPlan;
import drover.opsagent.store.AgentRecord;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Ticker;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When it dials again though nothing could be shown. */
class GatewaySessionLoopTest {
    private static final Duration RECONNECT = Duration.ofMinutes(1);
    private static final Duration REFUSED = Duration.ofMinutes(5);

    /** Ends the session at its third pause. */
    private static final class Pauses implements Ticker {
        final List<Duration> taken = new ArrayList<>();

        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public Instant wallClock() {
            return Instant.EPOCH;
        }

        @Override
        public void pause(Duration duration) {
            taken.add(duration);
            if (taken.size() == 3) {
                throw new AgentStopping("enough");
            }
        }
    }

    /** The longest that may be drawn. */
    private static final class Most implements RandomGenerator {
        @Override
        public long nextLong() {
            return 0;
        }

        @Override
        public int nextInt(int bound) {
            return 0;
        }

        @Override
        public long nextLong(long bound) {
            return bound - 1;
        }
    }

    /** Says who it is, and is asked for nothing else. */
    private static SessionHandler node() {
        SelfReport self =
                new SelfReport(
                        "1.0.0",
                        "process",
                        AgentRecord.NEW,
                        1,
                        true,
                        Set.of(),
                        List.of(),
                        List.of(),
                        null,
                        null);
        return (SessionHandler)
                Proxy.newProxyInstance(
                        SessionHandler.class.getClassLoader(),
                        new Class<?>[] {SessionHandler.class},
                        (_, method, _) -> {
                            if (method.getName().equals("buildReport")) {
                                return self;
                            }
                            throw new AssertionError("nobody asks for " + method);
                        });
    }

    private static List<Duration> pauses(NodeCredential credential) {
        return pauses(credential, List.of(new GatewayAddress("gateway:7443")));
    }

    private static List<Duration> pauses(NodeCredential credential, List<GatewayAddress> gateways) {
        Pauses ticker = new Pauses();
        new GatewaySessionLoop(
                        gateways,
                        credential,
                        new SessionTimings(
                                RECONNECT,
                                RECONNECT,
                                new ReconnectPlan.DelayCaps(RECONNECT, REFUSED)),
                        ticker,
                        new Most(),
                        new StatusSlot(ticker, () -> {}),
                        node(),
                        new LoopWakeup(),
                        new AgentMetrics(),
                        0)
                .run();
        return ticker.taken;
    }

    @Test
    @DisplayName("I2: a machine whose token is refused comes back as rarely as one that is refused")
    void aRefusedTokenIsARefusal() {
        Duration atLeast = Duration.ofSeconds(30);
        Duration again = REFUSED.plus(atLeast).minusNanos(1);
        assertThat(
                        pauses(
                                _ -> {
                                    throw new NodeCredential.EnrollmentRefused(
                                            "It is spent.", atLeast, null);
                                }))
                .containsExactly(Duration.ZERO, again, again);
    }

    @Test
    void whoHasNothingToShowYetChecksAgainWithinAMinute() {
        Duration again = RECONNECT.minusNanos(1);
        assertThat(
                        pauses(
                                _ -> {
                                    throw new IllegalStateException("There is no token yet.");
                                }))
                .containsExactly(Duration.ZERO, again, again);
    }

    @Test
    @DisplayName("D-162: I2: who is told that too many ask for certificates heeds for how long")
    void overloadedResponseDelaysTheRetry() {
        Duration atLeast = Duration.ofSeconds(40);
        Duration again = RECONNECT.plus(atLeast).minusNanos(1);
        assertThat(
                        pauses(
                                _ -> {
                                    throw new NodeCredential.CredentialTemporarilyUnavailable(
                                            "Too many.", atLeast, new RuntimeException());
                                }))
                .containsExactly(Duration.ZERO, again, again);
    }

    @Test
    @DisplayName("D-162: I2: what is shown as a last resort is shown to no two gateways in a row")
    void aLastResortWaitsTheWholeCapBetweenTwoGateways() {
        List<GatewayAddress> none =
                GatewayAddress.parseAll(List.of("in-process:nobody-1,in-process:nobody-2"));
        NodeCredential good = new TokenCredential("token");
        Duration whole = RECONNECT.minusNanos(1);
        assertThat(pauses(good, none))
                .containsExactly(Duration.ZERO, Duration.ofSeconds(5).minusNanos(1), whole);

        Duration atLeast = Duration.ofSeconds(40);
        assertThat(pauses(gateway -> good.prepareConnection(gateway).asLastResort(atLeast), none))
                .containsExactly(Duration.ZERO, whole.plus(atLeast), whole.plus(atLeast));
    }
}
