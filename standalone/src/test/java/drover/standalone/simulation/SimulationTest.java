package drover.standalone.simulation;

import static org.assertj.core.api.Assertions.assertThat;

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
 * A thousand stories of the whole mesh. {@code -Dseed=N} runs one alone, {@code -Dseeds=N} as many.
 */
class SimulationTest {
    @BeforeAll
    static void whatGoesWrongOnPurposeIsNotLogged() {
        Logging.silent();
    }

    @AfterAll
    static void whatGoesWrongElsewhereIs() {
        Logging.quiet();
    }

    /** What must happen somewhere among the seeds; else the rules about it are not tried at all. */
    private static final List<String> EXPECTED =
            List.of(
                    "applied approve",
                    "applied cancel",
                    "applied create",
                    "applied force",
                    "applied pause",
                    "applied resume",
                    "applied retry",
                    "applied rollback",
                    "applied skip",
                    "applied start",
                    "end cancelled",
                    "end completed",
                    "end failed",
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
                    "fault evaluator killed",
                    "fault gateway killed",
                    "fault node offline",
                    "fault partition",
                    "fault power lost at work",
                    "fault probes fail",
                    "fault program falls",
                    "fault store away",
                    "fault stream broken",
                    "fault wall clock wrong",
                    "node failed",
                    "node failed_rollback",
                    "node restoring",
                    "node rolled_back",
                    "node succeeded",
                    "node unreachable",
                    "pause APPROVAL_EXPIRED",
                    "pause BLIND",
                    "pause CANARY_FAILED",
                    "pause FAILED_NODES_REMAIN",
                    "pause FAILURE_THRESHOLD",
                    "pause HEALTH_UNAVAILABLE",
                    "refused create",
                    "refused force",
                    "skip ALREADY_THERE",
                    "skip DRIFTED",
                    "skip OFFLINE");

    /** What a few of a thousand stories try, and in some thousands none. */
    private static final List<String> SELDOM =
            List.of("pause NODES_OFFLINE", "skip FAILED_ROLLBACK", "skip OTHER_ROLLOUT");

    @Test
    @DisplayName(
            "A1 A4–A7 A9–A14 B1 B6 C1–C5 C9 C10 D3 D4 D14 F1–F4 G1 G2 R1 R3, and C12 A18 in the"
                    + " end")
    void whateverGoesWrongTheRulesHoldAndItEnds() {
        Long only = Long.getLong("seed");
        long from = only == null ? 1 : only;
        int seeds = only == null ? Integer.getInteger("seeds", 1_000) : 1;
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
    void theSameSeedTellsTheSameStory() {
        assertThat(Simulation.run(42)).isEqualTo(Simulation.run(42));
    }
}
