package drover.evaluator.assess;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A verdict with what it was built on.
 *
 * @param seen signals of the program in the latest heartbeat, whether or not they count
 */
public record Judgement(Watching watch, Verdict verdict, Optional<ProgramSignal> seen) {
    /** Judges a watch. */
    public static Judgement of(Watch watch, History history, Latest latest) {
        Optional<ProgramSignal> seen =
                switch (latest) {
                    case Latest.Heard(Heartbeat heartbeat, var _) -> heartbeat.of(watch.program());
                    case Latest.Gone _, Latest.Nothing _, Latest.Invalid _ -> Optional.empty();
                };
        return new Judgement(watch, Assessment.assess(watch, history, latest), seen);
    }

    /** Judges a whole node; of what it was built on, no one signal tells. */
    public static Judgement of(
            WholeNode watch, WholeHistory history, Latest latest, Duration watchedFor) {
        return new Judgement(
                watch,
                WholeAssessment.assess(watch, history, latest, watchedFor),
                Optional.empty());
    }

    /** Says that a node could not be judged: no data is not healthy. */
    public static Judgement failed(Watching watch, String why) {
        return new Judgement(
                watch,
                new Verdict.NoData(List.of(new Finding(FindingCode.SILENT, why))),
                Optional.empty());
    }

    /** Says of a watch that nothing can be judged by it. */
    public static Judgement of(Unjudged watch) {
        return new Judgement(watch, watch.verdict(), Optional.empty());
    }

    /** Whether a coordinator that knows the earlier one has nothing to learn from this one. */
    public boolean addsNothingTo(Judgement earlier) {
        return watch.equals(earlier.watch)
                && verdict.saysTheSameAs(earlier.verdict)
                && runId().equals(earlier.runId())
                && restarts() == earlier.restarts()
                && runningDigest().equals(earlier.runningDigest());
    }

    /** The run that was seen; empty when none. */
    public String runId() {
        return seen.map(ProgramSignal::runId).orElse("");
    }

    /** The digest that was seen running; empty when none. */
    public String runningDigest() {
        return seen.map(ProgramSignal::runningDigest).orElse("");
    }

    /** Restarts within the attempt; 0 when nothing was seen. */
    public int restarts() {
        return seen.map(ProgramSignal::restarts).orElse(0);
    }

    /** How long it has been well without a break; zero when nothing was seen. */
    public Duration wellFor() {
        return seen.map(ProgramSignal::wellFor).orElse(Duration.ZERO);
    }
}
