package drover.coordinator.plan.create;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.create.NodeOrderRules.LabeledTarget;
import drover.coordinator.plan.model.NodeOrder;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeOrderRulesTest {
    private static final NodeOrder BY_RACK = new NodeOrder(NodeOrder.Kind.LABEL, "rack", List.of());
    private static final NodeOrder AS_LISTED =
            new NodeOrder(NodeOrder.Kind.AS_LISTED, "", List.of());

    private static final List<LabeledTarget> TARGETS =
            List.of(
                    target("a", "10"),
                    target("b", "9"),
                    target("c", "east"),
                    target("d", "9"),
                    target("e", "09"));

    private static LabeledTarget target(String id, String rack) {
        return new LabeledTarget(new NodeId(id), Map.of("rack", rack));
    }

    private static String sorted(NodeOrder order, String... listed) {
        Map<NodeId, Integer> positions =
                NodeOrderRules.positions(order, TARGETS, new LinkedHashSet<>(List.of(listed)));
        List<NodeId> nodes = new ArrayList<>(positions.keySet());
        nodes.sort(
                Comparator.comparing((NodeId node) -> positions.get(node))
                        .thenComparing(Comparator.naturalOrder()));
        return String.join("", nodes.stream().map(NodeId::value).toList());
    }

    private static NodeOrder last(NodeOrder order, String... ids) {
        return order.withLast(List.of(ids).stream().map(NodeId::new).toList());
    }

    @Test
    void theDefaultOrderHasNoPositions() {
        assertThat(NodeOrderRules.positions(NodeOrder.DEFAULT, TARGETS, Set.of()).values())
                .hasSize(5)
                .containsOnly(0);
    }

    @Test
    void numbersAreComparedByValueAndComeBeforeTexts() {
        assertThat(sorted(BY_RACK)).isEqualTo("bdeac");
    }

    @Test
    void listedNodesKeepTheirOrder() {
        assertThat(sorted(AS_LISTED, "d", "a", "e", "b", "c")).isEqualTo("daebc");
    }

    @Test
    void lastNodesComeAfterAllOthersInTheirOrder() {
        assertThat(sorted(last(NodeOrder.DEFAULT, "d", "a"))).isEqualTo("bceda");
        assertThat(sorted(last(BY_RACK, "b"))).isEqualTo("deacb");
        assertThat(sorted(last(AS_LISTED, "e"), "d", "a", "e", "b", "c")).isEqualTo("dabce");
    }

    private static CreationFieldRules.Refusal refusal(NodeOrder order, String... listed) {
        return NodeOrderRules.findRefusal(order, TARGETS, Set.of(listed)).orElseThrow();
    }

    @Test
    void ordersWithMeaningAreAccepted() {
        assertThat(NodeOrderRules.findRefusal(last(BY_RACK, "a", "e"), TARGETS, Set.of()))
                .isEmpty();
        assertThat(NodeOrderRules.findRefusal(AS_LISTED, TARGETS, Set.of("a"))).isEmpty();
        assertThat(NodeOrderRules.findRefusal(NodeOrder.DEFAULT, TARGETS, Set.of())).isEmpty();
    }

    @Test
    void anUnknownLabelIsRefused() {
        CreationFieldRules.Refusal refusal =
                refusal(new NodeOrder(NodeOrder.Kind.LABEL, "zone", List.of()));
        assertThat(refusal.code()).isEqualTo(RefusalCode.INVALID_FIELD);
        assertThat(refusal.field()).isEqualTo("order");
        assertThat(refusal.sentence())
                .isEqualTo(
                        "Cannot sort the nodes by label:zone: no target has the label zone. Add it"
                                + " to the nodes, or choose another order.");
    }

    @Test
    void aLabelThatSomeTargetsLackIsRefusedAndNamesOne() {
        List<LabeledTarget> targets = new ArrayList<>(TARGETS);
        targets.add(new LabeledTarget(new NodeId("z"), Map.of()));
        assertThat(NodeOrderRules.findRefusal(BY_RACK, targets, Set.of()).orElseThrow().sentence())
                .startsWith(
                        "Cannot sort the nodes by label:rack: 1 of 6 targets, first z, do not have"
                                + " the label rack.");
    }

    @Test
    void aLastNodeThatIsNoTargetIsRefused() {
        CreationFieldRules.Refusal refusal = refusal(last(NodeOrder.DEFAULT, "a", "x"));
        assertThat(refusal.field()).isEqualTo("last_node_ids");
        assertThat(refusal.sentence())
                .isEqualTo(
                        "Node x is in last_node_ids but is not a target. Remove it there, or add it"
                                + " to the targets.");
    }

    @Test
    void anOrderOfAListNeedsTheList() {
        assertThat(refusal(AS_LISTED).sentence())
                .isEqualTo("The order as-listed needs node_ids: list the nodes in order.");
    }
}
