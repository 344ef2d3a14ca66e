package drover.system.access;

import static org.assertj.core.api.Assertions.assertThat;

import drover.opsagent.identity.EnrolledIdentityCreator;
import drover.opsagent.identity.EnrollmentConfig;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.identity.NodeKeyAndCertificate;
import drover.opsagent.identity.RenewalLoop;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Ticker;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Certificates are renewed whatever the machine's clock says; time passes in pauses alone. */
@Timeout(600)
@SuppressWarnings("NullAway.Init") // every test opens its gateway first
class RenewalClockTest {
    private static final Duration LIFE = Duration.ofHours(24);

    @TempDir Path machine;

    private Instant now = Instant.now(); // by the gateway's clock, which is right
    @AutoClose private IssuingGateway gateway;
    private IdentityFile file;

    @BeforeEach
    void enrolled() throws IOException {
        gateway = new IssuingGateway(LIFE, () -> now);
        file = MtlsTestGateway.file(machine);
        var _ = new EnrolledIdentityCreator(file).enrollAt(gateway.token(), gateway.address());
    }

    /** A machine whose clock may be wrong, and which sleeps after each pause. */
    private final class Machine implements Ticker {
        private final Duration ahead;
        private final Duration sleep;
        private final Instant end;
        private long nanos;

        Machine(Duration ahead, Duration sleep, Duration most) {
            this.ahead = ahead;
            this.sleep = sleep;
            this.end = now.plus(most);
        }

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public Instant wallClock() {
            return now.plus(ahead);
        }

        @Override
        public void pause(Duration duration) {
            nanos += duration.toNanos();
            now = now.plus(duration).plus(sleep);
            NodeKeyAndCertificate present = file.read().orElseThrow();
            assertThat(now).as("by the gateway's clock").isBefore(present.expiresAt());
            if (now.isAfter(end)) {
                throw new AgentStopping("enough");
            }
        }
    }

    private void renew(Duration ahead, Duration sleep, Duration most) {
        new RenewalLoop(
                        file,
                        List.of(IssuingGateway.unreachableAddress(), gateway.address()),
                        Optional.of(
                                new EnrollmentConfig(
                                        List.of(gateway.address()), machine.resolve("token"))),
                        new Machine(ahead, sleep, most),
                        new Random(1))
                .run();
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 25, 24 * 365})
    @DisplayName("D-161: a machine whose clock is ahead renews its certificate, and in no bursts")
    void aClockThatIsAheadNeitherStopsRenewalNorHastensIt(int hours) {
        renew(Duration.ofHours(hours), Duration.ZERO, Duration.ofHours(6));
        assertThat(gateway.renewing).hasSize(1);
        assertThat(file.read().orElseThrow().generation()).isEqualTo(2);

        renew(Duration.ofHours(hours), Duration.ZERO, Duration.ofHours(13));
        assertThat(gateway.renewing).as("at once after a start, then each quarter").hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 8, 14, 24 * 365})
    @DisplayName("D-161: a machine whose clock is behind renews its certificate before the end")
    void aClockThatIsBehindNeitherStopsRenewalNorHastensIt(int hours) {
        renew(Duration.ofHours(-hours), Duration.ZERO, Duration.ofDays(4));
        assertThat(gateway.renewing).as("each quarter at most").hasSizeBetween(5, 17);
    }

    @Test
    @DisplayName("D-161: after the end by its own clock a machine asks on, some times an hour")
    void refusedAgentRetriesAFewTimesAnHour() {
        gateway.renewalsEnd = Status.UNAVAILABLE.asRuntimeException();
        renew(Duration.ofHours(25), Duration.ZERO, Duration.ofHours(2));
        assertThat(gateway.renewing).hasSizeBetween(11, 13);
        assertThat(gateway.renewing.stream().distinct()).as("with the same key").hasSize(1);
    }

    @Test
    @DisplayName("D-161: sleep counts for the rest after a renewal: no certificate ends meanwhile")
    void aMachineThatSleepsALotRenewsBeforeTheEnd() {
        renew(Duration.ZERO, Duration.ofHours(2), Duration.ofDays(10));
        assertThat(gateway.renewing).hasSizeBetween(12, 22);
    }

    @Test
    void aClockThatIsRightRenewsInTheThirdQuarter() {
        renew(Duration.ZERO, Duration.ZERO, Duration.ofHours(11));
        assertThat(gateway.renewing).isEmpty();
        renew(Duration.ZERO, Duration.ZERO, Duration.ofHours(8));
        assertThat(gateway.renewing).hasSize(1);
    }
}
