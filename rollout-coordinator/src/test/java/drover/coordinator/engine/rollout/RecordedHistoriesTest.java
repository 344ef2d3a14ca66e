package drover.coordinator.engine.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.plan.replay.RecordedDecisionInput;
import drover.coordinator.store.export.DecisionInputExporter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Histories that earlier code recorded ({@link ReplayIT} writes new ones). Code that decides
 * otherwise on purpose raises {@link RecordedDecisionInput#VERSION} and records them anew.
 */
final class RecordedHistoriesTest {
    private static final String CANARY = "breaking-canary-failed-rolled-back";

    @ParameterizedTest
    @ValueSource(strings = CANARY)
    @DisplayName("A20: newer code decides from a recorded history as the code did that recorded it")
    void decidesAsItWasDecided(String history) throws IOException {
        List<String> export = lines(history + "/decisions.jsonl");
        int version = DecisionInputExporter.parseJsonLine(export.getFirst()).version();
        Assumptions.assumeTrue(
                version == RecordedDecisionInput.VERSION,
                "SKIPPED: recorded by version " + version + " of the decisions; record it anew");

        assertThat(moves(ReplayTranscript.by(export)))
                .isEqualTo(moves(lines(history + "/told.txt")))
                .hasSizeGreaterThan(15);
    }

    /** Without their sentences, which may be worded better. */
    private static List<String> moves(List<String> received) {
        return received.stream().map(line -> line.replaceFirst(": .*", "")).toList();
    }

    @Test
    void aHistoryWithAGapIsFoundOut() throws IOException {
        List<String> export = new ArrayList<>(lines(CANARY + "/decisions.jsonl"));
        export.removeFirst();

        assertThatThrownBy(() -> ReplayTranscript.by(export))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The first decision must carry the rollout");
    }

    private static List<String> lines(String name) throws IOException {
        try (InputStream in =
                RecordedHistoriesTest.class.getResourceAsStream("/histories/" + name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }
}
