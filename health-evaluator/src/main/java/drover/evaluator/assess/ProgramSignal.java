package drover.evaluator.assess;

import drover.model.ApplicationHealth;
import drover.model.SyncStatus;
import java.time.Duration;

/**
 * The signals of one program, as its node counted them.
 *
 * @param runId the present run; empty when the program is down
 * @param runningDigest read from the process; empty when nothing runs
 * @param configDigest empty when not said
 * @param upFor how long this run has been up
 * @param healthyFor how long without a bad value in this run
 * @param restarts starts since start_node of the attempt, that one not counted
 */
public record ProgramSignal(
        String name,
        String runId,
        String runningDigest,
        String configDigest,
        Duration upFor,
        Duration healthyFor,
        int restarts,
        ApplicationHealth applicationHealth,
        SyncStatus syncStatus) {
    /** Whether a value breaks a criterion of the seed: critical, or stalled. */
    boolean isBad() {
        return applicationHealth == ApplicationHealth.CRITICAL || syncStatus == SyncStatus.STALLED;
    }
}
