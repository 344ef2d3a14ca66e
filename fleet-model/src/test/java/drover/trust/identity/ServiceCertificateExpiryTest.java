package drover.trust.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServiceCertificateExpiryTest {
    private static final Instant UNTIL = Instant.parse("2026-04-01T00:00:00Z");
    private static final ServiceCertificateExpiry QUARTER_YEAR =
            new ServiceCertificateExpiry(UNTIL.minus(Duration.ofDays(90)), UNTIL);

    @ParameterizedTest
    @CsvSource({"PT336H,14 days", "PT49H,2 days", "PT47H,47 hours", "PT90M,less than 2 hours"})
    void warnsBeforeItExpires(Duration left, String words) {
        assertThat(QUARTER_YEAR.warning("/etc/drover/tls", UNTIL.minus(left)))
                .hasValue(
                        "The certificate in /etc/drover/tls ends in "
                                + words
                                + "; put a new one there (drover authority issue): it is taken"
                                + " without a restart.");
    }

    @Test
    void reportsNothingBeforeTheDeadline() {
        Instant before = UNTIL.minus(ServiceCertificateExpiry.WARNING_PERIOD).minusSeconds(1);
        assertThat(QUARTER_YEAR.warning("d", before)).isEmpty();
        assertThat(QUARTER_YEAR.isExpired(before)).isFalse();
    }

    @Test
    void warnsInTheLastQuarterOfAShortLifetime() {
        ServiceCertificateExpiry day =
                new ServiceCertificateExpiry(UNTIL.minus(Duration.ofHours(24)), UNTIL);
        assertThat(day.warning("d", UNTIL.minus(Duration.ofHours(6)).minusSeconds(1))).isEmpty();
        assertThat(day.warning("d", UNTIL.minus(Duration.ofHours(6)))).isNotEmpty();
    }

    @Test
    void reportsEndedRollouts() {
        assertThat(QUARTER_YEAR.isExpired(UNTIL)).isTrue();
        assertThat(QUARTER_YEAR.warning("d", UNTIL).orElseThrow())
                .startsWith("The certificate in d ended at 2026-04-01T00:00:00Z; put a new one");
    }
}
