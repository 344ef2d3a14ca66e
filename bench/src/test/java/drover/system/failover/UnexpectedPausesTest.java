package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.system.fault.Fault.Killed;
import drover.system.fault.FaultPlan;
import drover.system.fault.FaultPlan.FaultEpisode;
import drover.system.fault.FaultPlan.Turn;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class UnexpectedPausesTest {
    private static final FaultEpisode ONE_EVALUATOR = killed("health-1");
    private static final FaultEpisode BOTH_EVALUATORS = killed("health-1", "health-2");

    private final UnexpectedPauses pauses = new UnexpectedPauses();

    private static FaultEpisode killed(String... processes) {
        return new FaultEpisode(
                0,
                Stream.of(processes)
                        .map(it -> new Turn(new Killed(it), Duration.ZERO, FaultPlan.LONGEST))
                        .toList());
    }

    private static HistoryEntry paused(String actor, String code) {
        return paused(actor, code, Instant.EPOCH);
    }

    private static HistoryEntry paused(String actor, String code, Instant at) {
        return new HistoryEntry(
                at, 1, actor, "rollout", "", "running", "paused", new Cause(code, ""));
    }

    @Test
    void findsAPauseWithoutARequest() {
        HistoryEntry requested = paused("alice", "OPERATOR");
        HistoryEntry unasked = paused("drover", "HEALTH_UNAVAILABLE");

        assertThat(ConsistencyCheck.unasked(List.of(requested, unasked))).containsExactly(unasked);
    }

    @Test
    void explainsThatNoEvaluatorReachesAGateway() {
        HistoryEntry pause = paused("drover", "HEALTH_UNAVAILABLE");
        pauses.during(BOTH_EVALUATORS);

        assertThat(pauses.unexplained(List.of(pause))).isEmpty();
    }

    @Test
    void isNotReportedWhileAnotherEvaluatorHasAllData() {
        HistoryEntry pause = paused("drover", "HEALTH_UNAVAILABLE");
        pauses.during(ONE_EVALUATOR);

        assertThat(pauses.unexplained(List.of(pause))).containsExactly(pause);
    }

    @Test
    void whatOneBoutExplainsTheNextDoesNot() {
        HistoryEntry earlier = paused("drover", "HEALTH_UNAVAILABLE");
        HistoryEntry later = paused("drover", "HEALTH_UNAVAILABLE", Instant.EPOCH.plusSeconds(300));
        pauses.during(BOTH_EVALUATORS);
        assertThat(pauses.unexplained(List.of(earlier))).isEmpty();

        pauses.during(ONE_EVALUATOR);

        assertThat(pauses.unexplained(List.of(earlier, later))).containsExactly(later);
    }

    @Test
    void itExplainsNothingElse() {
        HistoryEntry entry = paused("drover", "NO_FLEET_VISIBILITY");
        pauses.during(BOTH_EVALUATORS);

        assertThat(pauses.unexplained(List.of(entry))).containsExactly(entry);
    }

    @Test
    void beforeAnyBoutNothingIsExplained() {
        HistoryEntry pause = paused("drover", "HEALTH_UNAVAILABLE");

        assertThat(pauses.unexplained(List.of(pause))).containsExactly(pause);
    }
}
