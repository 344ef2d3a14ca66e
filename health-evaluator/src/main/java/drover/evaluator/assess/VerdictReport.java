package drover.evaluator.assess;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A verdict with what it was built on.
 *
 * @param signal signals of the program in the latest heartbeat, whether or not they count
 */
public record VerdictReport(
        HealthWatchSpec watch, Verdict verdict, Optional<ProgramObservation> signal) {
    /** Judges a watch. */
    public static VerdictReport assess(
            ProgramWatchSpec watch, ProgramFlapHistory history, LatestHeartbeat latest) {
        Optional<ProgramObservation> seen =
                switch (latest) {
                    case LatestHeartbeat.Received(Heartbeat heartbeat, var _) ->
                            heartbeat.findProgram(watch.program());
                    case LatestHeartbeat.NodeOffline _,
                            LatestHeartbeat.None _,
                            LatestHeartbeat.Invalid _ ->
                            Optional.empty();
                };
        return new VerdictReport(watch, ProgramHealthRules.assess(watch, history, latest), seen);
    }

    /** Judges a whole node; of what it was built on, no one signal tells. */
    public static VerdictReport assess(
            AllProgramsWatchSpec watch,
            NodeHealthHistory history,
            LatestHeartbeat latest,
            Duration watchedFor) {
        return new VerdictReport(
                watch,
                NodeHealthRules.assess(watch, history, latest, watchedFor),
                Optional.empty());
    }

    /** Says that a node could not be judged: no data is not healthy. */
    public static VerdictReport ofFailure(HealthWatchSpec watch, String why) {
        return new VerdictReport(
                watch,
                new Verdict.NoData(List.of(new HealthFinding(HealthFindingCode.NO_HEARTBEAT, why))),
                Optional.empty());
    }

    /** Says of a watch that nothing can be judged by it. */
    public static VerdictReport assess(NodeWithInvalidWatch watch) {
        return new VerdictReport(watch, watch.verdict(), Optional.empty());
    }

    /** Whether a coordinator that knows the earlier one has nothing to learn from this one. */
    public boolean isRedundantAfter(VerdictReport earlier) {
        return watch.equals(earlier.watch)
                && verdict.isEquivalentTo(earlier.verdict)
                && runId().equals(earlier.runId())
                && restarts() == earlier.restarts()
                && runningDigest().equals(earlier.runningDigest());
    }

    /** The run that was seen; empty when none. */
    public String runId() {
        return signal.map(ProgramObservation::runId).orElse("");
    }

    /** The digest that was seen running; empty when none. */
    public String runningDigest() {
        return signal.map(ProgramObservation::runningDigest).orElse("");
    }

    /** Restarts within the attempt; 0 when nothing was seen. */
    public int restarts() {
        return signal.map(ProgramObservation::restarts).orElse(0);
    }

    /** How long it has been well without a break; zero when nothing was seen. */
    public Duration healthyFor() {
        return signal.map(ProgramObservation::healthyFor).orElse(Duration.ZERO);
    }
}
