package drover.standalone.signing;

import drover.localenv.UserFacingError;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Until when something signed is good, as people write it: {@code 90d} or a time. */
public final class ExpiryParser {
    private static final Pattern GRAMMAR = Pattern.compile("([0-9]{1,4})([dh])");

    private ExpiryParser() {}

    /** The time that is meant; always to the second, and never one that is over. */
    public static Instant parse(String text, Instant now) {
        Instant expires = parseTime(text, now).truncatedTo(ChronoUnit.SECONDS);
        if (expires.isAfter(now)) {
            return expires;
        }
        throw new UserFacingError("--expires " + text + " is over: name a time to come.");
    }

    private static Instant parseTime(String text, Instant now) {
        Matcher matcher = GRAMMAR.matcher(text);
        if (matcher.matches()) {
            int number = Integer.parseInt(matcher.group(1));
            return now.plus(
                    matcher.group(2).equals("d")
                            ? Duration.ofDays(number)
                            : Duration.ofHours(number));
        }
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new UserFacingError(
                    "--expires takes days or hours such as 90d or 12h, or a time such as"
                            + " 2030-01-31T00:00:00Z: '"
                            + text
                            + "' is none.",
                    e);
        }
    }
}
