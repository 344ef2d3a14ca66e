package drover.evaluator.assess;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What must be remembered of the heartbeats of one watch, beside the latest. Small on purpose: an
 * evaluator that is lost loses only how often values were bad; how long they have been well is
 * counted by the node.
 *
 * @param last heartbeat that was counted, so that one that is repeated is not counted twice
 * @param signal of the last heartbeat, as far as it counts for the watch
 * @param badInARow heartbeats in a row that said something bad
 * @param flips times that values went from well to bad
 * @param flipped what was bad at the latest of them; SOAKING before the first
 */
public record ProgramFlapHistory(
        Optional<Heartbeat> last,
        Optional<ProgramObservation> signal,
        int badInARow,
        int flips,
        HealthFindingCode flipped) {
    /** Nothing was heard yet. */
    public static final ProgramFlapHistory EMPTY =
            new ProgramFlapHistory(
                    Optional.empty(), Optional.empty(), 0, 0, HealthFindingCode.SOAKING);

    /** The history once this heartbeat was heard. */
    public ProgramFlapHistory withHeartbeat(ProgramWatchSpec watch, Heartbeat heartbeat) {
        if (last.filter(heartbeat::equals).isPresent()) {
            return this;
        }
        Optional<ProgramObservation> counted =
                ProgramHealthRules.findRelevantSignal(watch, heartbeat);
        boolean bad = counted.filter(ProgramObservation::isCriticalOrStalled).isPresent();
        boolean flip = counted.filter(this::hasTurnedBad).isPresent();
        return new ProgramFlapHistory(
                Optional.of(heartbeat),
                counted,
                bad ? badInARow + 1 : 0,
                flip ? flips + 1 : flips,
                flip ? firstCriticalOrStalledCode(counted.get()) : flipped);
    }

    /**
     * From well to bad; also when the bad value came and went between two heartbeats, which shows
     * by a well time that began anew within one run.
     */
    private boolean hasTurnedBad(ProgramObservation now) {
        return signal.filter(before -> !before.isCriticalOrStalled())
                .filter(before -> now.isCriticalOrStalled() || hasHealthyTimeReset(before, now))
                .isPresent();
    }

    private static boolean hasHealthyTimeReset(ProgramObservation before, ProgramObservation now) {
        Duration known = before.healthyFor();
        return before.runId().equals(now.runId()) && now.healthyFor().compareTo(known) < 0;
    }

    private static HealthFindingCode firstCriticalOrStalledCode(ProgramObservation signal) {
        List<HealthFinding> bad = ProgramHealthRules.criticalOrStalledFindings(signal);
        return bad.isEmpty() ? HealthFindingCode.APPLICATION_CRITICAL : bad.getFirst().code();
    }
}
