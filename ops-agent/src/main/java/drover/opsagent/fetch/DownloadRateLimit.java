package drover.opsagent.fetch;

import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * At most how fast this node downloads.
 *
 * @param bytesPerSecond 0 for as fast as it goes
 */
public record DownloadRateLimit(long bytesPerSecond) {
    /** As fast as it goes. */
    public static final DownloadRateLimit UNLIMITED = new DownloadRateLimit(0);

    /** Sixteen times the floor below which a download is given up. */
    private static final long LEAST = 16 * 1024;

    private static final Pattern WRITTEN = Pattern.compile("([1-9][0-9]{0,8})(B|KiB|MiB|GiB)/s");

    /**
     * Reads {@code 20MiB/s}; {@code B}, {@code KiB}, {@code MiB} and {@code GiB} are known.
     *
     * @throws IllegalArgumentException with one sentence when it is none, or too slow to be of use
     */
    public static DownloadRateLimit parse(String text) {
        Matcher matcher = WRITTEN.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no download rate: write it like 20MiB/s or 512KiB/s.");
        }
        long unit =
                switch (matcher.group(2)) {
                    case "KiB" -> 1L << 10;
                    case "MiB" -> 1L << 20;
                    case "GiB" -> 1L << 30;
                    default -> 1;
                };
        long rate = Long.parseLong(matcher.group(1)) * unit;
        if (rate < LEAST) {
            throw new IllegalArgumentException(
                    "--download-rate "
                            + text
                            + " is too slow to end in time: 16KiB/s is the least.");
        }
        return new DownloadRateLimit(rate);
    }

    /** Most bytes to read at once, so that no pause is longer than a quarter of a second. */
    int maxReadSize(int most) {
        return bytesPerSecond == 0 ? most : (int) Math.min(most, bytesPerSecond / 4);
    }

    /** A download that begins now. */
    PerDownloadThrottle startThrottle(Ticker ticker) {
        return new PerDownloadThrottle(ticker, ticker.nanos());
    }

    /** Keeps one download to the rate, by the monotonic clock. */
    final class PerDownloadThrottle {
        private final Ticker ticker;
        private long dueNanos;

        private PerDownloadThrottle(Ticker ticker, long dueNanos) {
            this.ticker = ticker;
            this.dueNanos = dueNanos;
        }

        /** Waits until what was taken may have come. Time lost by the server is not made up for. */
        void waitAfter(int bytes) {
            if (bytesPerSecond == 0) {
                return;
            }
            long now = ticker.nanos();
            dueNanos = dueNanos - now < 0 ? now : dueNanos;
            dueNanos += bytes * 1_000_000_000L / bytesPerSecond;
            if (dueNanos - now > 0) {
                ticker.pause(Duration.ofNanos(dueNanos - now));
            }
        }
    }
}
