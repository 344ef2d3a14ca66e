package drover.trust.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeCertificateLifetimeTest {
    private static final Instant FROM = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant UNTIL = FROM.plus(Duration.ofHours(24));

    @ParameterizedTest
    @CsvSource({"0, 12:00:00", "0.5, 15:00:00", "0.999999, 17:59:59"})
    void aCertificateIsRenewedInItsThirdQuarter(double dice, String at) {
        assertThat(NodeCertificateLifetime.renewAt(FROM, UNTIL, dice))
                .isBetween(
                        Instant.parse("2026-01-01T" + at + "Z"),
                        Instant.parse("2026-01-01T" + at + "Z").plusSeconds(1));
    }

    @Test
    void aFailedRenewalIsTriedAgainSoonerTheLessTimeIsLeft() {
        assertThat(NodeCertificateLifetime.retryAfter(FROM, UNTIL, 0.999))
                .isBetween(Duration.ofMinutes(14), Duration.ofMinutes(15));
        assertThat(NodeCertificateLifetime.retryAfter(UNTIL.minusSeconds(800), UNTIL, 0.999))
                .isBetween(Duration.ofSeconds(99), Duration.ofSeconds(100));
        assertThat(NodeCertificateLifetime.retryAfter(UNTIL.plusSeconds(60), UNTIL, 0.999))
                .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(10));
        assertThat(NodeCertificateLifetime.retryAfter(FROM, UNTIL, 0)).isZero();
    }

    @Test
    void aLifeIsBetweenAnHourAndAWeek() {
        assertThat(NodeCertificateLifetime.requireValid(Duration.ofHours(1))).hasHours(1);
        assertThat(NodeCertificateLifetime.requireValid(Duration.ofDays(7))).hasDays(7);
        assertThatThrownBy(() -> NodeCertificateLifetime.requireValid(Duration.ofMinutes(59)))
                .hasMessageContaining("59 minutes");
        assertThatThrownBy(() -> NodeCertificateLifetime.requireValid(Duration.ofHours(169)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
