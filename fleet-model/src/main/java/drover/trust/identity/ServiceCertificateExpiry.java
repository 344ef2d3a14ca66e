package drover.trust.identity;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * What is said of a service's certificate as its end comes nearer. Nobody renews it but the person
 * or program that made it, so it must be seen in time.
 *
 * @param notBefore since when it is good
 * @param notAfter when it ends
 */
public record ServiceCertificateExpiry(Instant notBefore, Instant notAfter) {
    /** Two weeks are enough for a person on holiday. */
    public static final Duration WARNING_PERIOD = Duration.ofDays(14);

    /** Of a short life, the last quarter: what is renewed by a program is renewed before. */
    private static final int QUARTERS = 4;

    private static final String WHAT_TO_DO =
            "put a new one there (drover authority issue): it is taken without a restart.";

    /** Whether it has ended: new connections are impossible from then on. */
    public boolean isExpired(Instant now) {
        return !now.isBefore(notAfter);
    }

    /** Whether somebody should see to it by now; what has ended is near as well. */
    public boolean isWarningDue(Instant now) {
        return !now.isBefore(notAfter.minus(warningPeriod()));
    }

    /**
     * One sentence with what to do; empty while there is time.
     *
     * @param where the directory with the files, as it was named
     */
    public Optional<String> warning(String where, Instant now) {
        if (isExpired(now)) {
            return Optional.of(
                    "The certificate in " + where + " ended at " + notAfter + "; " + WHAT_TO_DO);
        }
        return isWarningDue(now)
                ? Optional.of(
                        "The certificate in "
                                + where
                                + " ends in "
                                + formatRemaining(Duration.between(now, notAfter))
                                + "; "
                                + WHAT_TO_DO)
                : Optional.empty();
    }

    private Duration warningPeriod() {
        Duration quarter = Duration.between(notBefore, notAfter).dividedBy(QUARTERS);
        return quarter.compareTo(WARNING_PERIOD) < 0 ? quarter : WARNING_PERIOD;
    }

    private static String formatRemaining(Duration left) {
        long days = left.toDays();
        if (days > 1) {
            return days + " days";
        }
        long hours = left.truncatedTo(ChronoUnit.HOURS).toHours();
        return hours > 1 ? hours + " hours" : "less than 2 hours";
    }
}
