package drover.evaluator.assess;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ApplicationHealth;
import drover.model.SyncStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Findings name the failing probes and what they saw. */
class ProgramSignalTest {
    private static List<String> sentences(
            ApplicationHealth health, SyncStatus sync, String... details) {
        ProgramObservation signal =
                new ProgramObservation(
                        "chain",
                        "run-1",
                        "sha256:a",
                        "sha256:b",
                        Duration.ofMinutes(1),
                        Duration.ZERO,
                        0,
                        health,
                        sync,
                        List.of(details));
        return ProgramHealthRules.criticalOrStalledFindings(signal).stream()
                .map(HealthFinding::sentence)
                .toList();
    }

    @Test
    void aFindingNamesTheFailingProbesAndWhatTheySaw() {
        assertThat(
                        sentences(
                                ApplicationHealth.CRITICAL,
                                SyncStatus.UNKNOWN,
                                "page: answered 503, not 200",
                                "port: refused"))
                .containsExactly(
                        "Application health is critical: page: answered 503, not 200; port:"
                                + " refused");
        assertThat(sentences(ApplicationHealth.OK, SyncStatus.STALLED, "height: exit code 1"))
                .containsExactly("Synchronization is stalled: height: exit code 1");
    }

    @Test
    void withoutDetailsTheSentenceNamesNoProbe() {
        assertThat(sentences(ApplicationHealth.CRITICAL, SyncStatus.STALLED))
                .containsExactly("Application health is critical.", "Synchronization is stalled.");
    }

    @Test
    void detailsAreBounded() {
        String sentence =
                sentences(
                                ApplicationHealth.CRITICAL,
                                SyncStatus.UNKNOWN,
                                "a".repeat(5_000),
                                "b".repeat(5_000),
                                "c",
                                "left out")
                        .getFirst();
        assertThat(sentence)
                .hasSizeLessThan(900)
                .contains("a".repeat(400) + "…; " + "b".repeat(400) + "…; c")
                .doesNotContain("left out");
    }
}
