package drover.manifest.parse;

import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads durations as people write them: {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h}. */
final class DurationReader {
    private static final Pattern GRAMMAR = Pattern.compile("([0-9]{1,6})(ms|s|m|h)");
    private static final Duration LONGEST = Duration.ofHours(24);

    private DurationReader() {}

    /** The fallback when it is not given or, with the problem noted, when it is wrong. */
    static Duration read(
            FieldReader reader,
            String key,
            Duration fallback,
            Duration least,
            ProblemCollector problems) {
        return read(reader, key, fallback, least, LONGEST, problems);
    }

    /** The same with another longest duration. */
    static Duration read(
            FieldReader reader,
            String key,
            Duration fallback,
            Duration least,
            Duration longest,
            ProblemCollector problems) {
        String text = reader.textOrFallback(key, "");
        if (text.isEmpty()) {
            return fallback;
        }
        Matcher matcher = GRAMMAR.matcher(text);
        if (matcher.matches()) {
            Duration duration = of(Long.parseLong(matcher.group(1)), matcher.group(2));
            if (duration.compareTo(least) >= 0 && duration.compareTo(longest) <= 0) {
                return duration;
            }
        }
        problems.add(
                reader.locationOf(key),
                ProblemCode.NOT_A_DURATION,
                "'"
                        + FieldReader.shorten(text)
                        + "' is no duration: write a whole number with ms, s, m or h, from "
                        + (least.isZero() ? "0ms" : format(least))
                        + " to "
                        + format(longest)
                        + ".");
        return fallback;
    }

    /** Text as people write it: in the largest unit that divides the duration. */
    static String format(Duration duration) {
        long millis = duration.toMillis();
        if (millis % 1_000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1_000;
        return seconds % 3_600 == 0
                ? seconds / 3_600 + "h"
                : seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }

    private static Duration of(long number, String unit) {
        return switch (unit) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }
}
