package drover.evaluator.assess;

import drover.model.ApplicationHealth;
import drover.model.SyncStatus;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The signals of one program, as its node counted them.
 *
 * @param runId the present run; empty when the program is down
 * @param runningDigest read from the process; empty when nothing runs
 * @param configDigest empty when not said
 * @param upFor how long this run has been up
 * @param healthyFor how long without a bad value in this run
 * @param restarts starts since start_node of the attempt, that one not counted
 * @param probeDetails how the last run ended if the program was restarted or is down, then the
 *     probes that fail, with what they saw: a clause each
 */
public record ProgramObservation(
        String name,
        String runId,
        String runningDigest,
        String configDigest,
        Duration upFor,
        Duration healthyFor,
        int restarts,
        ApplicationHealth applicationHealth,
        SyncStatus syncStatus,
        List<String> probeDetails) {
    private static final int DETAILS_QUOTED = 3; // a sentence stays readable
    private static final int LONGEST_DETAIL = 400;

    public ProgramObservation {
        probeDetails = List.copyOf(probeDetails);
    }

    /**
     * What the first failing probes saw and how many more fail, to complete a sentence; empty if no
     * probe says why.
     */
    String failingProbeSummary() {
        int more = probeDetails.size() - DETAILS_QUOTED;
        return probeDetails.stream()
                        .limit(DETAILS_QUOTED)
                        .map(ProgramObservation::shorten)
                        .collect(Collectors.joining("; "))
                + (more > 0 ? "; and " + more + " more" : "");
    }

    private static String shorten(String detail) {
        return detail.length() <= LONGEST_DETAIL
                ? detail
                : detail.substring(0, LONGEST_DETAIL) + "…";
    }

    /** Whether a value breaks a criterion of the seed: critical, or stalled. */
    boolean isCriticalOrStalled() {
        return applicationHealth == ApplicationHealth.CRITICAL || syncStatus == SyncStatus.STALLED;
    }
}
