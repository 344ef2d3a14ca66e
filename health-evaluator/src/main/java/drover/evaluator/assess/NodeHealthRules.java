package drover.evaluator.assess;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides whether everything on a node is well now. The criteria are those of a settling program
 * (seed 000, WaitForHealthValidation); which run, digest or attempt it is does not matter. Silence
 * is no data, never unwell (invariant F3).
 */
public final class NodeHealthRules {
    private NodeHealthRules() {}

    /**
     * The verdict; the same arguments give the same.
     *
     * @param watchedFor since when it is watched; an older heartbeat says nothing
     */
    public static Verdict assess(
            AllProgramsWatchSpec watch,
            NodeHealthHistory history,
            LatestHeartbeat latest,
            Duration watchedFor) {
        return switch (latest) {
            case LatestHeartbeat.None() -> noHeartbeat("No heartbeat was received yet.");
            case LatestHeartbeat.Invalid(String why) -> noHeartbeat(why);
            case LatestHeartbeat.NodeOffline() ->
                    noData(
                            HealthFindingCode.NODE_OFFLINE,
                            "The node's agent is not connected to any gateway.");
            case LatestHeartbeat.Received(Heartbeat heartbeat, Duration age) ->
                    age.compareTo(watchedFor) > 0
                            ? noHeartbeat("No heartbeat was received since it was asked for.")
                            : age.compareTo(watch.policy().heartbeatTimeout(heartbeat)) > 0
                                    ? noHeartbeat("The latest heartbeat is too old.")
                                    : assess(watch, history, heartbeat);
        };
    }

    private static Verdict assess(
            AllProgramsWatchSpec watch, NodeHealthHistory history, Heartbeat heartbeat) {
        if (heartbeat.programs().isEmpty()) {
            return noHeartbeat("The node says of no program how it is.");
        }
        List<HealthFinding> broken = new ArrayList<>();
        List<HealthFinding> waitingOn = new ArrayList<>();
        for (ProgramObservation program : heartbeat.programs()) {
            assessProgram(watch, history, program, broken, waitingOn);
        }
        if (!broken.isEmpty()) {
            return new Verdict.Unhealthy(broken);
        }
        return waitingOn.isEmpty() ? new Verdict.Healthy() : new Verdict.Settling(waitingOn);
    }

    /** A program that is bad once stumbles; three heartbeats in a row are a state. */
    private static void assessProgram(
            AllProgramsWatchSpec watch,
            NodeHealthHistory history,
            ProgramObservation program,
            List<HealthFinding> broken,
            List<HealthFinding> waitingOn) {
        List<HealthFinding> bad = new ArrayList<>();
        if (program.runId().isEmpty()) {
            bad.add(
                    finding(
                            HealthFindingCode.NOT_RUNNING,
                            program,
                            "does not run" + ProgramHealthRules.causeSuffix(program)));
        }
        for (HealthFinding value : ProgramHealthRules.criticalOrStalledFindings(program)) {
            bad.add(new HealthFinding(value.code(), program.name() + ": " + value.sentence()));
        }
        boolean state =
                history.consecutiveBadHeartbeats(program) >= ProgramHealthRules.BAD_IN_A_ROW;
        (state ? broken : waitingOn).addAll(bad);
        if (history.restartsSinceFirstHeartbeat(program) >= watch.policy().crashLoopRestarts()) {
            broken.add(
                    finding(
                            HealthFindingCode.CRASH_LOOP,
                            program,
                            "was restarted %d times meanwhile"
                                            .formatted(history.restartsSinceFirstHeartbeat(program))
                                    + ProgramHealthRules.causeSuffix(program)));
        }
        boolean held =
                program.healthyFor().compareTo(watch.hold()) >= 0
                        && program.upFor().compareTo(watch.hold()) >= 0;
        if (bad.isEmpty() && !held) {
            waitingOn.add(
                    finding(
                            HealthFindingCode.SOAKING,
                            program,
                            "has been well for %.1f s of %.1f s."
                                    .formatted(
                                            program.healthyFor().toMillis() / 1000.0,
                                            watch.hold().toMillis() / 1000.0)));
        }
    }

    private static HealthFinding finding(
            HealthFindingCode code, ProgramObservation program, String what) {
        return new HealthFinding(code, program.name() + " " + what);
    }

    private static Verdict noHeartbeat(String sentence) {
        return noData(HealthFindingCode.NO_HEARTBEAT, sentence);
    }

    private static Verdict noData(HealthFindingCode code, String sentence) {
        return new Verdict.NoData(List.of(new HealthFinding(code, sentence)));
    }
}
