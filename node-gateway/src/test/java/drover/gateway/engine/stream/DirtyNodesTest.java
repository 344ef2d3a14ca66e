package drover.gateway.engine.stream;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class DirtyNodesTest {
    private static final NodeId ONE = new NodeId("n1");
    private static final NodeId TWO = new NodeId("n2");

    private final DirtyNodes dirty = new DirtyNodes();

    @Test
    void aRoundThatWasTakenBeforeAQuestionKnowsNothingOfIt() throws Exception {
        dirty.mark(ONE);
        DirtyNodes.TakenChanges before = dirty.take();
        dirty.updateInterest(List.of(ONE), List.of(), 7);

        assertThat(before)
                .isEqualTo(new DirtyNodes.TakenChanges(Map.of(ONE, false), Map.of(), List.of()));
        assertThat(dirty.take())
                .isEqualTo(
                        new DirtyNodes.TakenChanges(
                                Map.of(ONE, true), Map.of(ONE, true), List.of(7L)));
        assertThat(dirty.isEmpty()).isTrue();
    }

    @Test
    void aQuestionStaysOneHoweverOftenTheNodeChanges() throws Exception {
        dirty.updateInterest(List.of(ONE), List.of(), 1);
        dirty.mark(ONE);

        assertThat(dirty.take().nodes()).containsExactly(Map.entry(ONE, true));
    }

    @Test
    void theLatestWishOfANodeCounts() throws Exception {
        Set<NodeId> interest = new HashSet<>(Set.of(TWO));
        dirty.updateInterest(List.of(ONE), List.of(), 1);
        dirty.updateInterest(List.of(TWO), List.of(ONE), 2);
        dirty.updateInterest(List.of(), List.of(TWO), 3);
        DirtyNodes.TakenChanges round = dirty.take();
        round.applyInterestTo(interest);

        assertThat(interest).isEmpty();
        assertThat(round.revisions()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void afterTheEndThereIsNothing() throws Exception {
        dirty.updateInterest(List.of(ONE), List.of(), 1);
        dirty.close();

        assertThat(dirty.take())
                .isEqualTo(new DirtyNodes.TakenChanges(Map.of(), Map.of(), List.of()));
    }
}
