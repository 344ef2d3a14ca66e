package drover.kit.text;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How durations are written: {@code 30s} and {@code 1.5s} always; {@code 500ms}, {@code 5m} and
 * {@code 1h} are understood as well.
 */
public final class DurationTextCodec {
    /** What a caller is told to write. */
    public static final String EXAMPLES = "30s, 1.5s, 500ms, 5m or 1h";

    // 10 digits of hours stay far below what a Duration holds.
    private static final Pattern FORM =
            Pattern.compile("(?<number>[0-9]{1,10}(?:\\.[0-9]{1,9})?)(?<unit>ms|s|m|h)");

    private DurationTextCodec() {}

    /** The duration a text says, never negative; empty when it is none. */
    public static Optional<Duration> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        long nanosOfUnit =
                switch (form.group("unit")) {
                    case "ms" -> 1_000_000L;
                    case "m" -> 60_000_000_000L;
                    case "h" -> 3_600_000_000_000L;
                    default -> 1_000_000_000L;
                };
        BigDecimal nanos =
                new BigDecimal(form.group("number")).multiply(BigDecimal.valueOf(nanosOfUnit));
        BigDecimal[] parts = nanos.divideAndRemainder(BigDecimal.valueOf(1_000_000_000L));
        return Optional.of(Duration.ofSeconds(parts[0].longValue(), parts[1].longValue()));
    }

    /** Seconds with as many decimals as needed and the unit {@code s}. */
    public static String format(long seconds, int nanos) {
        BigDecimal exact = BigDecimal.valueOf(seconds).add(BigDecimal.valueOf(nanos, 9));
        BigDecimal bare = exact.signum() == 0 ? BigDecimal.ZERO : exact.stripTrailingZeros();
        return bare.toPlainString() + "s";
    }
}
