package drover.opsagent.probe;

import drover.model.ApplicationHealth;
import drover.model.SyncStatus;
import java.time.Duration;
import java.util.List;

/**
 * What a program's probes say.
 *
 * @param healthyFor how long the values have been without a bad one in this run
 * @param details the probes that are not well, one sentence each
 */
public record ProbeSummary(
        ApplicationHealth health, SyncStatus sync, Duration healthyFor, List<String> details) {
    /** Nothing is known. */
    public static final ProbeSummary NONE =
            new ProbeSummary(
                    ApplicationHealth.UNKNOWN, SyncStatus.UNKNOWN, Duration.ZERO, List.of());

    public ProbeSummary {
        details = List.copyOf(details);
    }
}
