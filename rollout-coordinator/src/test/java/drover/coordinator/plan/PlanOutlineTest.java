package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.PlanOutline.Part;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlanOutlineTest {
    private static final PlanOutline PLAN =
            new PlanOutline(
                    1,
                    List.of(new Part(0, true, List.of("a")), new Part(1, false, List.of("b", "c"))),
                    Map.of("d", "DRIFTED"),
                    List.of("c"));

    @Test
    void whatIsWrittenIsReadAgain() {
        assertThat(PlanOutline.parse(PLAN.text())).contains(PLAN);
        assertThat(PlanOutline.parse("")).isEmpty();
        assertThat(PLAN.text())
                .isEqualTo("tier 1\nbatch 0 canary a\nbatch 1 plain b,c\nskip d DRIFTED\nstuck c");
    }

    @Test
    void everythingThatAPersonAgreesToIsInTheHash() {
        List<PlanOutline> others =
                List.of(
                        new PlanOutline(2, PLAN.batches(), PLAN.skips(), PLAN.stuck()),
                        new PlanOutline(
                                1,
                                List.of(new Part(0, true, List.of("a", "b", "c"))),
                                PLAN.skips(),
                                PLAN.stuck()),
                        new PlanOutline(1, PLAN.batches(), Map.of("d", "OFFLINE"), PLAN.stuck()),
                        new PlanOutline(1, PLAN.batches(), PLAN.skips(), List.of()));
        assertThat(others).extracting(PlanOutline::hash).doesNotContain(PLAN.hash());
        assertThat(others).allSatisfy(other -> assertThat(other.hash()).isNotNull());
    }

    @Test
    void saysOfEachNodeWhatIsDifferentNow() {
        PlanOutline now =
                new PlanOutline(
                        1,
                        List.of(
                                new Part(0, true, List.of("b")),
                                new Part(1, false, List.of("c", "d"))),
                        Map.of("c", "OFFLINE"),
                        List.of("c", "d"));
        assertThat(PLAN.differencesTo(now))
                .containsExactly(
                        "node a was to be in batch 1 and is no target now",
                        "node b was to be in batch 2 and is in batch 1 now",
                        "node c was to be in batch 2 and is left alone (OFFLINE) now",
                        "node d was to be left alone (DRIFTED) and is in batch 2 now",
                        "nothing could bring back node d");
        assertThat(PLAN.differencesTo(PLAN)).isEmpty();
    }
}
