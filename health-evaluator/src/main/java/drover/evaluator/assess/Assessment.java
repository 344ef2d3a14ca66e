package drover.evaluator.assess;

import drover.model.ApplicationHealth;
import drover.model.SyncStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides whether a program is well: the seed's five criteria (seed 000, WaitForHealthValidation)
 * on signals that are proved to belong to the attempt (invariants F1 to F4).
 *
 * <p>A critical or stalled value makes a node wait, because programs stumble while they start; it
 * makes it unhealthy when three heartbeats in a row say so, or when well turned to bad three times.
 */
public final class Assessment {
    /** One bad heartbeat is a stumble, three in a row are a state (15 s at the active pace). */
    static final int BAD_IN_A_ROW = 3;

    /** From here on it flaps, even if it is well at the end (invariant F4). */
    static final int MOST_FLIPS = 3;

    private Assessment() {}

    /** The verdict; the same arguments give the same. */
    public static Verdict assess(Watch watch, History history, Latest latest) {
        return switch (latest) {
            case Latest.Nothing() -> noData(FindingCode.SILENT, "No heartbeat was received yet.");
            case Latest.Invalid(String why) -> noData(FindingCode.SILENT, why);
            case Latest.Gone() ->
                    noData(FindingCode.GONE, "The node's agent is not connected to any gateway.");
            case Latest.Heard(Heartbeat heartbeat, var age)
                    when age.compareTo(watch.policy().silence(heartbeat)) > 0 ->
                    noData(
                            FindingCode.SILENT,
                            "The latest heartbeat is %d s old, more than the %d s allowed."
                                    .formatted(
                                            age.toSeconds(),
                                            watch.policy().silence(heartbeat).toSeconds()));
            case Latest.Heard(Heartbeat heartbeat, var _) -> assess(watch, history, heartbeat);
        };
    }

    private static Verdict assess(Watch watch, History history, Heartbeat heartbeat) {
        if (heartbeat.attempt() != watch.attempt()) {
            return noData(
                    FindingCode.OTHER_ATTEMPT,
                    "Heartbeats are of attempt %d, not of attempt %d."
                            .formatted(heartbeat.attempt(), watch.attempt()));
        }
        Optional<ProgramSignal> said = heartbeat.of(watch.program());
        if (said.filter(s -> s.restarts() >= watch.policy().crashLoopRestarts()).isPresent()) {
            return unhealthy(
                    FindingCode.CRASH_LOOP,
                    "The program was restarted %d times within the attempt; read its output."
                            .formatted(said.get().restarts()));
        }
        return counted(watch, heartbeat)
                .map(signal -> assess(watch, history, signal))
                .orElseGet(
                        () ->
                                settling(
                                        FindingCode.NOT_RUNNING,
                                        "The run that this attempt started is not up."));
    }

    /**
     * The signal that counts: of the attempt, and of the run that start_node recorded or of one
     * that followed it. A process from before the start never counts (invariant F1).
     */
    static Optional<ProgramSignal> counted(Watch watch, Heartbeat heartbeat) {
        return heartbeat
                .of(watch.program())
                .filter(_ -> heartbeat.attempt() == watch.attempt())
                .filter(signal -> !signal.runId().isEmpty())
                .filter(signal -> signal.runId().equals(watch.runId()) || signal.restarts() > 0);
    }

    private static Verdict assess(Watch watch, History history, ProgramSignal signal) {
        if (!signal.runningDigest().equals(watch.digest().value())) {
            return unhealthy(
                    FindingCode.WRONG_DIGEST,
                    "Another program file runs (%s) than the target (%s)."
                            .formatted(signal.runningDigest(), watch.digest()));
        }
        Optional<Verdict> wrongConfig = assessConfig(watch, signal);
        if (wrongConfig.isPresent()) {
            return wrongConfig.get();
        }
        if (history.flips() >= MOST_FLIPS) {
            return unhealthy(
                    history.flipped(),
                    "It went from well to bad %d times within the attempt."
                            .formatted(history.flips()));
        }
        List<Finding> bad = badValues(signal);
        if (!bad.isEmpty()) {
            return history.badInARow() >= BAD_IN_A_ROW
                    ? new Verdict.Unhealthy(bad)
                    : new Verdict.Settling(bad);
        }
        return assessHold(watch, signal);
    }

    /** Silence about the configuration is waited out; a difference is not. */
    private static Optional<Verdict> assessConfig(Watch watch, ProgramSignal signal) {
        return watch.configDigest()
                .filter(wanted -> !wanted.value().equals(signal.configDigest()))
                .map(
                        wanted ->
                                signal.configDigest().isEmpty()
                                        ? settling(
                                                FindingCode.WRONG_CONFIG,
                                                "The node has not said which configuration it has.")
                                        : unhealthy(
                                                FindingCode.WRONG_CONFIG,
                                                "The configuration (%s) is not the target (%s)."
                                                        .formatted(signal.configDigest(), wanted)));
    }

    static List<Finding> badValues(ProgramSignal signal) {
        List<Finding> bad = new ArrayList<>();
        if (signal.applicationHealth() == ApplicationHealth.CRITICAL) {
            bad.add(
                    new Finding(
                            FindingCode.APPLICATION_CRITICAL, "Application health is critical."));
        }
        if (signal.syncStatus() == SyncStatus.STALLED) {
            bad.add(new Finding(FindingCode.SYNC_STALLED, "Synchronisation is stalled."));
        }
        return bad;
    }

    /** A correct agent reports no more healthy time than up time; a broken one might. */
    private static Verdict assessHold(Watch watch, ProgramSignal signal) {
        boolean held =
                signal.wellFor().compareTo(watch.hold()) >= 0
                        && signal.upFor().compareTo(watch.hold()) >= 0;
        return held
                ? new Verdict.Healthy()
                : settling(
                        FindingCode.HOLD,
                        "It has been well for %.1f s of %.1f s."
                                .formatted(
                                        signal.wellFor().toMillis() / 1000.0,
                                        watch.hold().toMillis() / 1000.0));
    }

    private static Verdict noData(FindingCode code, String sentence) {
        return new Verdict.NoData(List.of(new Finding(code, sentence)));
    }

    private static Verdict settling(FindingCode code, String sentence) {
        return new Verdict.Settling(List.of(new Finding(code, sentence)));
    }

    private static Verdict unhealthy(FindingCode code, String sentence) {
        return new Verdict.Unhealthy(List.of(new Finding(code, sentence)));
    }
}
