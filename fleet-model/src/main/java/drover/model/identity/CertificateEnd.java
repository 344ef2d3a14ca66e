package drover.model.identity;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * What is said of a service's certificate as its end comes nearer. Nobody renews it but the person
 * or program that made it, so it must be seen in time.
 *
 * @param from since when it is good
 * @param until when it ends
 */
public record CertificateEnd(Instant from, Instant until) {
    /** Two weeks are enough for a person on holiday. */
    public static final Duration NOTICE = Duration.ofDays(14);

    /** Of a short life, the last quarter: what is renewed by a program is renewed before. */
    private static final int QUARTERS = 4;

    private static final String WHAT_TO_DO =
            "put a new one there (drover authority issue): it is taken without a restart.";

    /** Whether it has ended: new connections are impossible from then on. */
    public boolean isPast(Instant now) {
        return !now.isBefore(until);
    }

    /** Whether somebody should see to it by now; what has ended is near as well. */
    public boolean isNear(Instant now) {
        return !now.isBefore(until.minus(ahead()));
    }

    /**
     * One sentence with what to do; empty while there is time.
     *
     * @param where the directory with the files, as it was named
     */
    public Optional<String> notice(String where, Instant now) {
        if (isPast(now)) {
            return Optional.of(
                    "The certificate in " + where + " ended at " + until + "; " + WHAT_TO_DO);
        }
        return isNear(now)
                ? Optional.of(
                        "The certificate in "
                                + where
                                + " ends in "
                                + words(Duration.between(now, until))
                                + "; "
                                + WHAT_TO_DO)
                : Optional.empty();
    }

    private Duration ahead() {
        Duration quarter = Duration.between(from, until).dividedBy(QUARTERS);
        return quarter.compareTo(NOTICE) < 0 ? quarter : NOTICE;
    }

    private static String words(Duration left) {
        long days = left.toDays();
        if (days > 1) {
            return days + " days";
        }
        long hours = left.truncatedTo(ChronoUnit.HOURS).toHours();
        return hours > 1 ? hours + " hours" : "less than 2 hours";
    }
}
