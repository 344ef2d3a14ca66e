package drover.model.program;

import java.time.Duration;
import java.util.Optional;

/**
 * How a program is stopped. What is not set is the runtime's decision, for example that of the
 * container.
 *
 * @param signal asks the program to end
 * @param timeout time from the signal until the program is killed
 */
public record StopSettings(Optional<StopSignal> signal, Optional<Duration> timeout) {
    /** Nothing is set. */
    public static final StopSettings RUNTIME_DEFAULT =
            new StopSettings(Optional.empty(), Optional.empty());

    /** Time that programs get if nothing is set. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(20);

    /** Shortest timeout: engines count in whole seconds. */
    public static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);

    /** Longest timeout: a database that writes its memory to a slow disk needs half an hour. */
    public static final Duration MAX_TIMEOUT = Duration.ofHours(1);

    /**
     * Checks the timeout.
     *
     * @throws IllegalArgumentException with one sentence if it is out of range
     */
    public StopSettings {
        if (timeout.filter(it -> !isInRange(it)).isPresent()) {
            throw new IllegalArgumentException("The stop timeout is not between 1 s and 1 h.");
        }
    }

    private static boolean isInRange(Duration timeout) {
        return timeout.compareTo(MIN_TIMEOUT) >= 0 && timeout.compareTo(MAX_TIMEOUT) <= 0;
    }

    /** The signal, or SIGTERM. */
    public StopSignal signalOrDefault() {
        return signal.orElse(StopSignal.TERM);
    }

    /** The timeout, or 20 s. */
    public Duration timeoutOrDefault() {
        return timeout.orElse(DEFAULT_TIMEOUT);
    }

    /** Time that a stop may take beyond what the timeouts of {@code UpgradeAction} include. */
    public Duration timeBeyondDefault() {
        return timeBeyondDefault(timeoutOrDefault());
    }

    /** The same for a timeout. */
    public static Duration timeBeyondDefault(Duration timeout) {
        return timeout.compareTo(DEFAULT_TIMEOUT) > 0
                ? timeout.minus(DEFAULT_TIMEOUT)
                : Duration.ZERO;
    }
}
