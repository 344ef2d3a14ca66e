package drover.standalone.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import drover.kit.log.Logging;
import java.util.Set;
import java.util.TreeSet;
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

    @Test
    @DisplayName("A1 A4–A6 A10–A13 B1 B6 C1–C5 C9 C10 D3 D4 F2 F3 R1, and C12 A18 in the end")
    void whateverGoesWrongTheRulesHoldAndItEnds() {
        Long only = Long.getLong("seed");
        long from = only == null ? 1 : only;
        long to = only == null ? Integer.getInteger("seeds", 1_000) : only;
        Set<String> ends = new ConcurrentSkipListSet<>();

        LongStream.rangeClosed(from, to)
                .parallel()
                .forEach(seed -> ends.addAll(Simulation.run(seed).ends()));

        if (only == null) {
            assertThat(new TreeSet<>(ends))
                    .as("the seeds reach the ways to end")
                    .contains("completed", "cancelled", "rolled_back", "failed");
        }
    }

    @Test
    void theSameSeedTellsTheSameStory() {
        assertThat(Simulation.run(42)).isEqualTo(Simulation.run(42));
    }
}
