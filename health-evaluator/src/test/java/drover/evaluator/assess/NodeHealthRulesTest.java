package drover.evaluator.assess;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ApplicationHealth;
import drover.model.NodeId;
import drover.model.SyncStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The gate of a rollout group: every program of a node, as it is now. */
class NodeHealthRulesTest {
    private static final Duration HOLD = Duration.ofSeconds(10);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final AllProgramsWatchSpec WATCH =
            new AllProgramsWatchSpec(new NodeId("n-1"), HOLD, HealthThresholds.DEFAULT);

    private static ProgramObservation up(String name, Duration healthyFor) {
        return signal(name, "run", healthyFor, 0, SyncStatus.SYNCED);
    }

    private static ProgramObservation signal(
            String name, String run, Duration healthyFor, int restarts, SyncStatus sync) {
        return new ProgramObservation(
                name,
                run,
                "",
                "",
                healthyFor,
                healthyFor,
                restarts,
                ApplicationHealth.OK,
                sync,
                List.of());
    }

    private static ProgramObservation stalled(String name, Duration healthyFor) {
        return signal(name, "run", healthyFor, 0, SyncStatus.STALLED);
    }

    /** The verdict after these heartbeats, the last one just heard. */
    private static Verdict after(Heartbeat... heartbeats) {
        NodeHealthHistory history = NodeHealthHistory.EMPTY;
        for (Heartbeat heartbeat : heartbeats) {
            history = history.withHeartbeat(heartbeat);
        }
        return NodeHealthRules.assess(
                WATCH,
                history,
                new LatestHeartbeat.Received(heartbeats[heartbeats.length - 1], Duration.ZERO),
                Duration.ofSeconds(30));
    }

    private static Heartbeat beat(int number, ProgramObservation... programs) {
        return new Heartbeat(number, List.of(programs)); // numbers keep them apart
    }

    @Test
    void isHealthyWhenEveryProgramHasBeenHealthyForTheHoldRegardlessOfTheAttempt() {
        assertThat(after(beat(7, up("geth", LONG), up("lighthouse", HOLD))))
                .isEqualTo(new Verdict.Healthy());
    }

    @Test
    void oneProgramThatIsNotYetHealthyKeepsItSettling() {
        Verdict verdict = after(beat(7, up("geth", LONG), up("lighthouse", Duration.ofSeconds(9))));
        assertThat(verdict).isInstanceOf(Verdict.Settling.class);
        assertThat(verdict.reasons().getFirst().sentence()).startsWith("lighthouse ");
    }

    @Test
    void aProgramThatStumblesOnceIsWaitedFor() {
        assertThat(after(beat(1, up("geth", LONG), stalled("lighthouse", LONG))))
                .isInstanceOf(Verdict.Settling.class);
    }

    @Test
    void oneProgramThatIsBadThreeTimesInARowMakesTheNodeUnhealthy() {
        ProgramObservation stalls = stalled("lighthouse", Duration.ZERO);
        ProgramObservation healthy = up("geth", LONG);
        Verdict verdict =
                after(beat(1, healthy, stalls), beat(2, healthy, stalls), beat(3, healthy, stalls));
        assertThat(verdict).isInstanceOf(Verdict.Unhealthy.class);
        assertThat(verdict.reasons().getFirst().code()).isEqualTo(HealthFindingCode.SYNC_STALLED);
    }

    @Test
    void aProgramThatStaysDownMakesTheNodeUnhealthy() {
        ProgramObservation down = signal("geth", "", Duration.ZERO, 0, SyncStatus.SYNCED);
        Verdict verdict = after(beat(1, down), beat(2, down), beat(3, down));
        assertThat(verdict).isInstanceOf(Verdict.Unhealthy.class);
        assertThat(verdict.reasons().getFirst().code()).isEqualTo(HealthFindingCode.NOT_RUNNING);
    }

    @Test
    void restartsBeforeTheWatchDoNotCount() {
        assertThat(after(beat(1, signal("geth", "run", LONG, 9, SyncStatus.SYNCED))))
                .isEqualTo(new Verdict.Healthy());
    }

    @Test
    void restartsSinceTheWatchAreACrashLoop() {
        Verdict verdict =
                after(
                        beat(1, signal("geth", "run", LONG, 9, SyncStatus.SYNCED)),
                        beat(2, signal("geth", "run", Duration.ZERO, 12, SyncStatus.SYNCED)));
        assertThat(verdict).isInstanceOf(Verdict.Unhealthy.class);
        assertThat(verdict.reasons().getFirst().code()).isEqualTo(HealthFindingCode.CRASH_LOOP);
    }

    @Test
    @DisplayName("F3: a heartbeat from before it was asked says nothing, however well it was")
    void ignoresAHeartbeatFromBeforeTheSubscription() {
        Heartbeat healthy = beat(1, up("geth", LONG));
        LatestHeartbeat old = new LatestHeartbeat.Received(healthy, Duration.ofSeconds(5));
        assertThat(
                        NodeHealthRules.assess(
                                WATCH,
                                NodeHealthHistory.EMPTY.withHeartbeat(healthy),
                                old,
                                Duration.ofSeconds(4)))
                .isInstanceOf(Verdict.NoData.class);
        assertThat(
                        NodeHealthRules.assess(
                                WATCH,
                                NodeHealthHistory.EMPTY.withHeartbeat(healthy),
                                old,
                                Duration.ofSeconds(6)))
                .isEqualTo(new Verdict.Healthy());
    }

    @Test
    @DisplayName("F3: silence, absence and a node without programs are never healthy nor unwell")
    void nothingIsNoData() {
        Duration watched = Duration.ofMinutes(10);
        List<LatestHeartbeat> nothing =
                List.of(
                        new LatestHeartbeat.None(),
                        new LatestHeartbeat.NodeOffline(),
                        new LatestHeartbeat.Received(beat(1), Duration.ZERO),
                        new LatestHeartbeat.Received(
                                beat(1, up("geth", LONG)), Duration.ofMinutes(3)));
        assertThat(nothing)
                .allSatisfy(
                        latest ->
                                assertThat(
                                                NodeHealthRules.assess(
                                                        WATCH,
                                                        NodeHealthHistory.EMPTY,
                                                        latest,
                                                        watched))
                                        .isInstanceOf(Verdict.NoData.class));
    }
}
