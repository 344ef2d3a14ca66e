package drover.evaluator.assess;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides whether everything on a node is well now. The criteria are those of a settling program
 * (seed 000, WaitForHealthValidation); which run, digest or attempt it is does not matter. Silence
 * is no data, never unwell (invariant F3).
 */
public final class WholeAssessment {
    private WholeAssessment() {}

    /**
     * The verdict; the same arguments give the same.
     *
     * @param watchedFor since when it is watched; an older heartbeat says nothing
     */
    public static Verdict assess(
            WholeNode watch, WholeHistory history, Latest latest, Duration watchedFor) {
        return switch (latest) {
            case Latest.Nothing() -> silent("No heartbeat was received yet.");
            case Latest.Invalid(String why) -> silent(why);
            case Latest.Gone() ->
                    noData(FindingCode.GONE, "The node's agent is not connected to any gateway.");
            case Latest.Heard(Heartbeat heartbeat, Duration age) ->
                    age.compareTo(watchedFor) > 0
                            ? silent("No heartbeat was received since it was asked for.")
                            : age.compareTo(watch.policy().silence(heartbeat)) > 0
                                    ? silent("The latest heartbeat is too old.")
                                    : assess(watch, history, heartbeat);
        };
    }

    private static Verdict assess(WholeNode watch, WholeHistory history, Heartbeat heartbeat) {
        if (heartbeat.programs().isEmpty()) {
            return silent("The node says of no program how it is.");
        }
        List<Finding> broken = new ArrayList<>();
        List<Finding> waitingOn = new ArrayList<>();
        for (ProgramSignal program : heartbeat.programs()) {
            judge(watch, history, program, broken, waitingOn);
        }
        if (!broken.isEmpty()) {
            return new Verdict.Unhealthy(broken);
        }
        return waitingOn.isEmpty() ? new Verdict.Healthy() : new Verdict.Settling(waitingOn);
    }

    /** A program that is bad once stumbles; three heartbeats in a row are a state. */
    private static void judge(
            WholeNode watch,
            WholeHistory history,
            ProgramSignal program,
            List<Finding> broken,
            List<Finding> waitingOn) {
        List<Finding> bad = new ArrayList<>();
        if (program.runId().isEmpty()) {
            bad.add(finding(FindingCode.NOT_RUNNING, program, "does not run."));
        }
        for (Finding value : Assessment.badValues(program)) {
            bad.add(new Finding(value.code(), program.name() + ": " + value.sentence()));
        }
        boolean state = history.badInARow(program) >= Assessment.BAD_IN_A_ROW;
        (state ? broken : waitingOn).addAll(bad);
        if (history.restartsOf(program) >= watch.policy().crashLoopRestarts()) {
            broken.add(
                    finding(
                            FindingCode.CRASH_LOOP,
                            program,
                            "was restarted %d times meanwhile; read its output."
                                    .formatted(history.restartsOf(program))));
        }
        boolean held =
                program.wellFor().compareTo(watch.hold()) >= 0
                        && program.upFor().compareTo(watch.hold()) >= 0;
        if (bad.isEmpty() && !held) {
            waitingOn.add(
                    finding(
                            FindingCode.HOLD,
                            program,
                            "has been well for %.1f s of %.1f s."
                                    .formatted(
                                            program.wellFor().toMillis() / 1000.0,
                                            watch.hold().toMillis() / 1000.0)));
        }
    }

    private static Finding finding(FindingCode code, ProgramSignal program, String what) {
        return new Finding(code, program.name() + " " + what);
    }

    private static Verdict silent(String sentence) {
        return noData(FindingCode.SILENT, sentence);
    }

    private static Verdict noData(FindingCode code, String sentence) {
        return new Verdict.NoData(List.of(new Finding(code, sentence)));
    }
}
