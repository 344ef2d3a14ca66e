package drover.cli.terminal;

import com.google.protobuf.Timestamp;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times and durations as people read and write them. */
public final class TimeTextConverter {
    private static final DateTimeFormatter LOCAL =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final Pattern DURATION =
            Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,9})?)(ms|s|m|h)");

    private TimeTextConverter() {}

    /** Local time, and how long ago: {@code 2026-01-31 12:00:00 (2m ago)}; a hyphen for none. */
    public static String formatWithAge(Timestamp at, Instant now, ZoneId zone) {
        return isSet(at)
                ? LOCAL.format(instant(at).atZone(zone)) + " (" + relative(at, now) + ")"
                : "-";
    }

    /** How long ago, in the largest unit that says enough. */
    public static String relative(Timestamp at, Instant now) {
        if (!isSet(at)) {
            return "never";
        }
        Duration ago = Duration.between(instant(at), now);
        if (ago.isNegative()) {
            return "in " + formatLargestUnit(ago.negated());
        }
        return ago.compareTo(Duration.ofSeconds(1)) < 0
                ? "just now"
                : formatLargestUnit(ago) + " ago";
    }

    /** The time of day alone, for lines that follow one another. */
    public static String formatTimeOfDay(Instant now, ZoneId zone) {
        return CLOCK.format(now.atZone(zone));
    }

    /**
     * A duration given for an option.
     *
     * @throws CommandFailed as wrong usage
     */
    public static com.google.protobuf.Duration parseDuration(String option, String text) {
        Matcher form = DURATION.matcher(text);
        if (!form.matches()) {
            throw CommandFailed.usage(
                    "%s does not take '%s'; write a duration such as 30s, 500ms, 5m or 1h."
                            .formatted(option, text));
        }
        long milliseconds =
                switch (form.group(2)) {
                    case "ms" -> 1;
                    case "m" -> 60_000;
                    case "h" -> 3_600_000;
                    default -> 1_000;
                };
        long nanos =
                new BigDecimal(form.group(1))
                        .multiply(BigDecimal.valueOf(milliseconds * 1_000_000))
                        .longValue();
        return com.google.protobuf.Duration.newBuilder()
                .setSeconds(nanos / 1_000_000_000)
                .setNanos((int) (nanos % 1_000_000_000))
                .build();
    }

    /**
     * A moment given for an option: RFC 3339, or a time of this machine's zone without one.
     *
     * @throws CommandFailed as wrong usage
     */
    public static Timestamp parseTimestamp(String option, String text, ZoneId zone) {
        Instant at =
                parseOrEmpty(() -> OffsetDateTime.parse(text).toInstant())
                        .or(
                                () ->
                                        parseOrEmpty(
                                                () ->
                                                        LocalDateTime.parse(text.replace(' ', 'T'))
                                                                .atZone(zone)
                                                                .toInstant()))
                        .orElseThrow(
                                () ->
                                        CommandFailed.usage(
                                                "%s does not take '%s'; write a time such as 2026-01-31T12:00:00Z or '2026-01-31 12:00:00'."
                                                        .formatted(option, text)));
        return Timestamp.newBuilder()
                .setSeconds(at.getEpochSecond())
                .setNanos(at.getNano())
                .build();
    }

    private static Optional<Instant> parseOrEmpty(Supplier<Instant> form) {
        try {
            return Optional.of(form.get());
        } catch (DateTimeException e) {
            return Optional.empty(); // not written so
        }
    }

    /** A moment alone. */
    public static String formatTimestamp(Timestamp at, ZoneId zone) {
        return LOCAL.format(instant(at).atZone(zone));
    }

    /** Seconds, with decimals only where there are any. */
    public static String formatSeconds(com.google.protobuf.Duration duration) {
        BigDecimal exact =
                BigDecimal.valueOf(duration.getSeconds())
                        .add(BigDecimal.valueOf(duration.getNanos(), 9));
        return (exact.signum() == 0 ? "0" : exact.stripTrailingZeros().toPlainString()) + "s";
    }

    /** As exact as a forecast is: {@code 45s}, {@code 12m}, {@code 3h 20m}. */
    public static String approximate(com.google.protobuf.Duration duration) {
        long seconds = duration.getSeconds() + (duration.getNanos() > 0 ? 1 : 0);
        if (seconds < 120) {
            return seconds + "s";
        }
        long minutes = Math.ceilDiv(seconds, 60);
        return minutes < 120
                ? minutes + "m"
                : minutes / 60 + "h" + (minutes % 60 == 0 ? "" : " " + minutes % 60 + "m");
    }

    private static String formatLargestUnit(Duration span) {
        if (span.toDays() > 0) {
            return span.toDays() + "d";
        }
        if (span.toHours() > 0) {
            return span.toHours() + "h";
        }
        return span.toMinutes() > 0 ? span.toMinutes() + "m" : span.toSeconds() + "s";
    }

    private static boolean isSet(Timestamp at) {
        return at.getSeconds() != 0 || at.getNanos() != 0;
    }

    private static Instant instant(Timestamp at) {
        return Instant.ofEpochSecond(at.getSeconds(), at.getNanos());
    }
}
