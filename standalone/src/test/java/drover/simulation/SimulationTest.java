package drover.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import drover.gateway.Faults;
import drover.kit.log.Logging;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Simulated deployments from seeds 1 to 100, and to 1,000 in the full suite. {@code -Dseed=N} runs
 * one seed, {@code -Dseeds=N} as many.
 */
class SimulationTest {
    @BeforeAll
    static void whatGoesWrongOnPurposeIsNotLogged() {
        Logging.disable();
    }

    @AfterAll
    static void whatGoesWrongElsewhereIs() {
        Logging.startWarningsOnly();
    }

    /** What must happen somewhere among the seeds; else the rules about it are not tried at all. */
    private static final List<String> EXPECTED =
            List.of(
                    "applied approve",
                    "applied cancel",
                    "applied create",
                    "applied force",
                    "applied group cancel",
                    "applied group create",
                    "applied group pause",
                    "applied group resume",
                    "applied group rollback",
                    "applied group skip",
                    "applied group start",
                    "applied hold",
                    "applied pause",
                    "applied release",
                    "applied resume",
                    "applied retry",
                    "applied rollback",
                    "applied skip",
                    "applied skip together",
                    "applied start",
                    "cleared",
                    "end cancelled",
                    "end completed",
                    "end failed",
                    "end group cancelled",
                    "end group completed",
                    "end group failed",
                    "end group partial",
                    "end group paused",
                    "end group rolled_back",
                    "end paused",
                    "end rolled_back",
                    "expired start",
                    "fault agent killed",
                    "fault agent killed at work",
                    "fault another coordinator elected",
                    "fault coordinator killed",
                    "fault coordinator killed at a commit",
                    "fault coordinator stands still",
                    "fault disk full",
                    "fault evaluator away for long",
                    "fault evaluator deaf for long",
                    "fault evaluator killed",
                    "fault gateway killed",
                    "fault node offline",
                    "fault partition",
                    "fault power lost at work",
                    "fault probes fail",
                    "fault program falls",
                    "fault store away",
                    "fault stream broken",
                    "fault two leaders at once",
                    "fault wall clock wrong",
                    "fenced write",
                    "group because COMPONENT_COMPLETED",
                    "group because GATE_OPEN",
                    "group because GATE_UNHEALTHY",
                    "group because ROLLED_BACK",
                    "group because SKIPPED",
                    "group cancelling to cancelled",
                    "group cancelling to failed",
                    "group cancelling to partial",
                    "group completed to rolling_back",
                    "group pause COMPONENT_FAILED",
                    "group pause COMPONENT_PAUSED",
                    "group pause OPERATOR",
                    "group paused to cancelling",
                    "group paused to rolling_back",
                    "group paused to running",
                    "group pending to cancelling",
                    "group pending to running",
                    "group rolling_back to failed",
                    "group rolling_back to paused",
                    "group rolling_back to rolled_back",
                    "group running to cancelling",
                    "group running to completed",
                    "group running to partial",
                    "group running to paused",
                    "group running to rolling_back",
                    "incident CRASH_LOOP",
                    "incident NODE_UNHEALTHY",
                    "incident UPGRADE_FAILED",
                    "incident UPGRADE_ROLLBACK_FAILED",
                    "incident UPGRADE_STALLED",
                    "incident because NO_FLEET_VISIBILITY",
                    "incident because HEALTH_UNAVAILABLE",
                    "incident because UNHEARD",
                    "incident acknowledged",
                    "incident resolved",
                    "node failed",
                    "node failed_rollback",
                    "node held",
                    "node restoring",
                    "node restored",
                    "node rolled_back",
                    "node succeeded",
                    "node unhealthy",
                    "node unreachable",
                    "pause APPROVAL_EXPIRED",
                    "pause NO_FLEET_VISIBILITY",
                    "pause CANARY_FAILED",
                    "pause FAILED_NODES_REMAIN",
                    "pause RESTORED_UNHEALTHY",
                    "pause SUCCEEDED_UNHEALTHY",
                    "pause TARGETS_UNHEALTHY",
                    "pause FAILURE_THRESHOLD",
                    "pause HEALTH_UNAVAILABLE",
                    "restored after a clear",
                    "refused create",
                    "refused create INVENTORY_STALE",
                    "refused force",
                    "retired",
                    "skip ALREADY_THERE",
                    "skip HELD",
                    "skip OFFLINE",
                    "gate after a failed compensation",
                    "upgrade not compensated");

    /** What a few of a thousand stories try, and in some thousands none. */
    private static final List<String> SELDOM =
            List.of(
                    "group because GATE_SKIPPED",
                    "group because NEVER_STARTED",
                    "group cancelled to rolling_back",
                    "group cancelling to rolling_back",
                    "group failed to rolling_back",
                    "group partial to rolling_back",
                    "group pause GATE_UNHEALTHY",
                    "group pause GATE_UNKNOWN",
                    "group running to failed",
                    "pause NODES_OFFLINE",
                    "skip FAILED_ROLLBACK",
                    "skip OTHER_ROLLOUT");

    @Test
    @DisplayName(
            "A1–A7 A9–A14 A16 B1 B3 B6 B8 C1–C5 C9 C10 D3 D4 D14 F1–F4 F6 G1 G2 R1 R3 R4, and C12 A18"
                    + " in the end")
    void rulesHoldUnderFaultsAndTheRolloutEnds() {
        Long only = Long.getLong("seed");
        long from = only == null ? 1 : only;
        int seeds = only == null ? Integer.getInteger("seeds", Faults.FULL_SUITE ? 1_000 : 100) : 1;
        Set<String> happened = new ConcurrentSkipListSet<>();

        LongStream.range(from, from + seeds)
                .parallel()
                .forEach(seed -> happened.addAll(Simulation.run(seed).counts().keySet()));

        if (seeds >= 1_000) {
            assertThat(happened).as("the seeds try everything").containsAll(EXPECTED);
        }
        if (seeds >= 10_000) {
            assertThat(happened).as("many seeds try the rest").containsAll(SELDOM);
        }
    }

    @Test
    @DisplayName("A22: a cleared node whose upgrade was not compensated passes the gate of a retry")
    void retriesAClearedNodeThatRunsTheTarget() {
        assertThat(Simulation.run(1027).counts()).containsKey("gate after a failed compensation");
    }

    @Test
    void sameSeedReplaysTheSameStory() {
        assertThat(Simulation.run(42)).isEqualTo(Simulation.run(42));
    }
}
