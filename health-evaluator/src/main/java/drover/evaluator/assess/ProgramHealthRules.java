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
public final class ProgramHealthRules {
    /** One bad heartbeat is a stumble, three in a row are a state (15 s at the active pace). */
    static final int BAD_IN_A_ROW = 3;

    /** From here on it flaps, even if it is well at the end (invariant F4). */
    static final int MOST_FLIPS = 3;

    private ProgramHealthRules() {}

    /** The verdict; the same arguments give the same. */
    public static Verdict assess(
            ProgramWatchSpec watch, ProgramFlapHistory history, LatestHeartbeat latest) {
        return switch (latest) {
            case LatestHeartbeat.None() ->
                    noData(HealthFindingCode.NO_HEARTBEAT, "No heartbeat was received yet.");
            case LatestHeartbeat.Invalid(String why) -> noData(HealthFindingCode.NO_HEARTBEAT, why);
            case LatestHeartbeat.NodeOffline() ->
                    noData(
                            HealthFindingCode.NODE_OFFLINE,
                            "The node's agent is not connected to any gateway.");
            case LatestHeartbeat.Received(Heartbeat heartbeat, var age)
                    when age.compareTo(watch.policy().heartbeatTimeout(heartbeat)) > 0 ->
                    noData(
                            HealthFindingCode.NO_HEARTBEAT,
                            "The latest heartbeat is %d s old, more than the %d s allowed."
                                    .formatted(
                                            age.toSeconds(),
                                            watch.policy()
                                                    .heartbeatTimeout(heartbeat)
                                                    .toSeconds()));
            case LatestHeartbeat.Received(Heartbeat heartbeat, var _) ->
                    assess(watch, history, heartbeat);
        };
    }

    private static Verdict assess(
            ProgramWatchSpec watch, ProgramFlapHistory history, Heartbeat heartbeat) {
        if (heartbeat.attempt() != watch.attempt()) {
            return noData(
                    HealthFindingCode.OTHER_ATTEMPT,
                    "Heartbeats are of attempt %d, not of attempt %d."
                            .formatted(heartbeat.attempt(), watch.attempt()));
        }
        Optional<ProgramObservation> reported = heartbeat.findProgram(watch.program());
        if (reported.filter(s -> s.restarts() >= watch.policy().crashLoopRestarts()).isPresent()) {
            return unhealthy(
                    HealthFindingCode.CRASH_LOOP,
                    "The program was restarted %d times within the attempt"
                                    .formatted(reported.get().restarts())
                            + causeSuffix(reported.get()));
        }
        return findRelevantSignal(watch, heartbeat)
                .map(signal -> assess(watch, history, signal))
                .orElseGet(
                        () ->
                                settling(
                                        HealthFindingCode.NOT_RUNNING,
                                        "The run that this attempt started is not up."));
    }

    /**
     * The signal that counts: of the attempt, and of the run that start_node recorded or of one
     * that followed it. A process from before the start never counts (invariant F1).
     */
    static Optional<ProgramObservation> findRelevantSignal(
            ProgramWatchSpec watch, Heartbeat heartbeat) {
        return heartbeat
                .findProgram(watch.program())
                .filter(_ -> heartbeat.attempt() == watch.attempt())
                .filter(signal -> !signal.runId().isEmpty())
                .filter(signal -> signal.runId().equals(watch.runId()) || signal.restarts() > 0);
    }

    private static Verdict assess(
            ProgramWatchSpec watch, ProgramFlapHistory history, ProgramObservation signal) {
        if (!signal.runningDigest().equals(watch.digest().value())) {
            return unhealthy(
                    HealthFindingCode.WRONG_DIGEST,
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
        List<HealthFinding> bad = criticalOrStalledFindings(signal);
        if (!bad.isEmpty()) {
            return history.badInARow() >= BAD_IN_A_ROW
                    ? new Verdict.Unhealthy(bad)
                    : new Verdict.Settling(bad);
        }
        return assessHealthWait(watch, signal);
    }

    /** Silence about the configuration is waited out; a difference is not. */
    private static Optional<Verdict> assessConfig(
            ProgramWatchSpec watch, ProgramObservation signal) {
        return watch.configDigest()
                .filter(wanted -> !wanted.value().equals(signal.configDigest()))
                .map(
                        wanted ->
                                signal.configDigest().isEmpty()
                                        ? settling(
                                                HealthFindingCode.WRONG_CONFIG,
                                                "The node has not said which configuration it has.")
                                        : unhealthy(
                                                HealthFindingCode.WRONG_CONFIG,
                                                "The configuration (%s) is not the target (%s)"
                                                                .formatted(
                                                                        signal.configDigest(),
                                                                        wanted)
                                                        + causeSuffix(signal)));
    }

    static List<HealthFinding> criticalOrStalledFindings(ProgramObservation signal) {
        List<HealthFinding> bad = new ArrayList<>();
        if (signal.applicationHealth() == ApplicationHealth.CRITICAL) {
            bad.add(
                    new HealthFinding(
                            HealthFindingCode.APPLICATION_CRITICAL,
                            "Application health is critical" + causeSuffix(signal)));
        }
        if (signal.syncStatus() == SyncStatus.STALLED) {
            bad.add(
                    new HealthFinding(
                            HealthFindingCode.SYNC_STALLED,
                            "Synchronization is stalled" + causeSuffix(signal)));
        }
        return bad;
    }

    static String causeSuffix(ProgramObservation signal) {
        String probes = signal.failingProbeSummary();
        return probes.isEmpty() ? "." : ": " + probes;
    }

    /** A correct agent reports no more healthy time than up time; a broken one might. */
    private static Verdict assessHealthWait(ProgramWatchSpec watch, ProgramObservation signal) {
        boolean held =
                signal.healthyFor().compareTo(watch.hold()) >= 0
                        && signal.upFor().compareTo(watch.hold()) >= 0;
        return held
                ? new Verdict.Healthy()
                : settling(
                        HealthFindingCode.SOAKING,
                        "It has been well for %.1f s of %.1f s."
                                .formatted(
                                        signal.healthyFor().toMillis() / 1000.0,
                                        watch.hold().toMillis() / 1000.0));
    }

    private static Verdict noData(HealthFindingCode code, String sentence) {
        return new Verdict.NoData(List.of(new HealthFinding(code, sentence)));
    }

    private static Verdict settling(HealthFindingCode code, String sentence) {
        return new Verdict.Settling(List.of(new HealthFinding(code, sentence)));
    }

    private static Verdict unhealthy(HealthFindingCode code, String sentence) {
        return new Verdict.Unhealthy(List.of(new HealthFinding(code, sentence)));
    }
}
