package drover.coordinator.plan.explain;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.explain.HashedPlan.BatchNodes;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.request.OperatorRequest;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HashedPlanTest {
    private static final String TERMS = "sha256:terms";
    private static final HashedPlan PLAN =
            new HashedPlan(
                    1,
                    TERMS,
                    List.of(
                            new BatchNodes(0, true, List.of("a")),
                            new BatchNodes(1, false, List.of("b", "c"))),
                    Map.of("d", "DRIFTED"),
                    List.of("c"));

    @Test
    void parsesWhatItWrites() {
        assertThat(HashedPlan.parse(PLAN.toText())).contains(PLAN);
        assertThat(HashedPlan.parse("")).isEmpty();
        assertThat(PLAN.toText())
                .isEqualTo(
                        "tier 1 terms sha256:terms\nbatch 0 canary a\nbatch 1 plain b,c\n"
                                + "skip d DRIFTED\nstuck c");
    }

    @Test
    void aPlanOfAnEarlierVersionKeepsItsHashAndStatesWhyItIsRefused() {
        String stored = "tier 1\nbatch 0 canary a\nbatch 1 plain b,c\nskip d DRIFTED\nstuck c";
        HashedPlan earlier = HashedPlan.parse(stored).orElseThrow();
        assertThat(earlier.toText()).isEqualTo(stored);
        assertThat(earlier.hash()).isNotEqualTo(PLAN.hash());
        assertThat(earlier.differencesTo(PLAN))
                .containsExactly(
                        "its hash is from an earlier version of Drover and does not cover artifacts,"
                                + " configurations and settings");
    }

    private static Rollout withHeldNode(Digest config) {
        Given given = Given.rolling(2, 1);
        Instant until = given.now.plusSeconds(3600);
        given.request(new OperatorRequest.HoldNode(Given.node(2), until));
        assertThat(given.state(Given.node(2))).isInstanceOf(NodeState.Held.class);
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>(given.rollout.nodes());
        NodeTarget target = given.upgrade(Given.node(2)).target();
        NodeTarget changed =
                new NodeTarget(
                        target.node(),
                        target.sourceVersion(),
                        target.sourceDigest(),
                        target.sourceConfig(),
                        target.sourceUrl(),
                        config,
                        target.changesConfig());
        nodes.put(
                Given.node(2), NodeUpgrade.withoutAttempts(changed, 1, given.state(Given.node(2))));
        return new Rollout(
                given.rollout.id(),
                1,
                given.rollout.spec(),
                given.rollout.state(),
                0,
                0,
                given.rollout.batches(),
                nodes);
    }

    @Test
    void coversNodesThatAreHeldBeforeTheStart() {
        HashedPlan held = HashedPlan.of(withHeldNode(Given.NEW_CONFIG), List.of());
        assertThat(held.batches())
                .extracting(BatchNodes::nodes)
                .containsExactly(List.of("node-01"), List.of("node-02"));
        assertThat(held.hash())
                .isEqualTo(HashedPlan.of(Given.rolling(2, 1).rollout, List.of()).hash())
                .isNotEqualTo(HashedPlan.of(withHeldNode(Digest.of("another")), List.of()).hash());
    }

    @Test
    void namesTheDifferenceOfEachNode() {
        HashedPlan now =
                new HashedPlan(
                        1,
                        "sha256:other",
                        List.of(
                                new BatchNodes(0, true, List.of("b")),
                                new BatchNodes(1, false, List.of("c", "d"))),
                        Map.of("c", "OFFLINE"),
                        List.of("c", "d"));
        assertThat(PLAN.differencesTo(now))
                .containsExactly(
                        "node a was to be in batch 1 and is no target now",
                        "node b was to be in batch 2 and is in batch 1 now",
                        "node c was to be in batch 2 and is left alone (OFFLINE) now",
                        "node d was to be left alone (DRIFTED) and is in batch 2 now",
                        "nothing could bring back node d",
                        "other artifacts, configurations or settings");
        assertThat(PLAN.differencesTo(PLAN)).isEmpty();
    }
}
