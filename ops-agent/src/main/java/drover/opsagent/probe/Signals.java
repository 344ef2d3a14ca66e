package drover.opsagent.probe;

import drover.model.ApplicationHealth;
import drover.model.SyncStatus;
import java.time.Duration;
import java.util.List;

/**
 * What a program's probes say.
 *
 * @param wellFor how long the values have been without a bad one in this run
 * @param details the probes that are not well, one sentence each
 */
public record Signals(
        ApplicationHealth health, SyncStatus sync, Duration wellFor, List<String> details) {
    /** Nothing is known. */
    public static final Signals NONE =
            new Signals(ApplicationHealth.UNKNOWN, SyncStatus.UNKNOWN, Duration.ZERO, List.of());

    public Signals {
        details = List.copyOf(details);
    }
}
