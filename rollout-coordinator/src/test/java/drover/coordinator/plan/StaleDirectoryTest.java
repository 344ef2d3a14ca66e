package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.StaleDirectory.Proven;
import drover.coordinator.plan.StaleDirectory.Said;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("D-159: what is frozen is not what nodes ran before their last upgrade")
class StaleDirectoryTest {
    private static final Instant CLOSED = Instant.parse("2026-01-01T10:00:00Z");
    private static final NodeId NODE = new NodeId("demo-00007");
    private static final List<String> SAID = List.of("new", "old", "");

    /** Every digest, configuration and time, with the rule said once more in other words. */
    record Case(String digest, String config, Instant heard) {
        boolean isStale() {
            boolean differs = !(digest + "/" + config).equals("new/new");
            return differs && heard != null && heard.compareTo(CLOSED) < 0;
        }
    }

    static Stream<Case> cases() {
        List<Instant> times = new ArrayList<>();
        times.add(null);
        times.add(CLOSED.minusSeconds(120));
        times.add(CLOSED.minusNanos(1));
        times.add(CLOSED);
        times.add(CLOSED.plusNanos(1));
        return SAID.stream()
                .flatMap(
                        digest ->
                                SAID.stream()
                                        .flatMap(
                                                config ->
                                                        times.stream()
                                                                .map(
                                                                        at ->
                                                                                new Case(
                                                                                        digest,
                                                                                        config,
                                                                                        at))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void onlyWhatDiffersAndWasHeardBeforeIsStale(Case said) {
        assertThat(refusal(said(NODE, said), Map.of(NODE, proven()))).isEqualTo(said.isStale());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aNodeOfWhichNothingIsProvenNeverIs(Case said) {
        assertThat(refusal(said(NODE, said), Map.of())).isFalse();
        assertThat(refusal(said(NODE, said), Map.of(new NodeId("demo-00008"), proven()))).isFalse();
    }

    @Test
    void theSentenceCountsThemNamesOneAndSaysWhyAndWhatToDo() {
        Case before = new Case("old", "new", CLOSED.minusSeconds(5));
        NodeId next = new NodeId("demo-00008");
        NodeId well = new NodeId("demo-00009");

        Optional<CreationRules.Refusal> refusal =
                StaleDirectory.refusal(
                        List.of(
                                said(well, new Case("new", "new", CLOSED.minusSeconds(5))),
                                said(NODE, before),
                                said(next, before)),
                        Map.of(NODE, proven(), next, proven(), well, proven()));

        assertThat(refusal)
                .contains(
                        new CreationRules.Refusal(
                                RefusalCode.NODES_NOT_HEARD_SINCE,
                                "",
                                "What 2 nodes run is not known, for example demo-00007: its gateway"
                                        + " has not written that down since the node's last upgrade"
                                        + " ended at 2026-01-01T10:00:00Z; look at that gateway's"
                                        + " way to PostgreSQL, then create the rollout again."));
    }

    private static boolean refusal(Said said, Map<NodeId, Proven> proven) {
        return StaleDirectory.refusal(List.of(said), proven).isPresent();
    }

    private static Said said(NodeId node, Case of) {
        return new Said(node, of.digest(), of.config(), of.heard());
    }

    private static Proven proven() {
        return new Proven("new", "new", CLOSED);
    }
}
