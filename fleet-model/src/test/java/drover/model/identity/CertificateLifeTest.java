package drover.model.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CertificateLifeTest {
    private static final Instant FROM = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant UNTIL = FROM.plus(Duration.ofHours(24));

    @ParameterizedTest
    @CsvSource({"0, 12:00:00", "0.5, 15:00:00", "0.999999, 17:59:59"})
    void aCertificateIsRenewedInItsThirdQuarter(double dice, String at) {
        assertThat(CertificateLife.renewAt(FROM, UNTIL, dice))
                .isBetween(
                        Instant.parse("2026-01-01T" + at + "Z"),
                        Instant.parse("2026-01-01T" + at + "Z").plusSeconds(1));
    }

    @Test
    void aFailedRenewalIsTriedAgainSoonerTheLessTimeIsLeft() {
        assertThat(CertificateLife.retryAfter(FROM, UNTIL, 0.999))
                .isBetween(Duration.ofMinutes(14), Duration.ofMinutes(15));
        assertThat(CertificateLife.retryAfter(UNTIL.minusSeconds(800), UNTIL, 0.999))
                .isBetween(Duration.ofSeconds(99), Duration.ofSeconds(100));
        assertThat(CertificateLife.retryAfter(UNTIL.plusSeconds(60), UNTIL, 0.999))
                .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(10));
        assertThat(CertificateLife.retryAfter(FROM, UNTIL, 0)).isZero();
    }

    @Test
    void aLifeIsBetweenAnHourAndAWeek() {
        assertThat(CertificateLife.requireSensible(Duration.ofHours(1))).hasHours(1);
        assertThat(CertificateLife.requireSensible(Duration.ofDays(7))).hasDays(7);
        assertThatThrownBy(() -> CertificateLife.requireSensible(Duration.ofMinutes(59)))
                .hasMessageContaining("59 minutes");
        assertThatThrownBy(() -> CertificateLife.requireSensible(Duration.ofHours(169)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
