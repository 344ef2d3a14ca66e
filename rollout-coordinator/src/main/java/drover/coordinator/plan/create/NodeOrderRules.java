package drover.coordinator.plan.create;

import drover.coordinator.plan.create.CreationFieldRules.Refusal;
import drover.coordinator.plan.model.NodeOrder;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.math.BigInteger;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Sorts the targets of a rollout by its {@link NodeOrder}, and refuses orders without meaning. */
public final class NodeOrderRules {
    private static final Pattern NUMBER = Pattern.compile("[0-9]+");

    private NodeOrderRules() {}

    /**
     * A target, as the order sees it.
     *
     * @param labels labels of the node
     */
    public record LabeledTarget(NodeId node, Map<String, String> labels) {
        public LabeledTarget {
            labels = Map.copyOf(labels);
        }
    }

    /** Why these targets cannot have this order; empty if they can. */
    public static Optional<Refusal> findRefusal(
            NodeOrder order, Collection<LabeledTarget> targets, Set<String> listed) {
        return checkListed(order, listed)
                .or(() -> checkLabels(order, targets))
                .or(() -> checkLastNodes(order, targets));
    }

    private static Optional<Refusal> checkListed(NodeOrder order, Set<String> listed) {
        return order.kind() == NodeOrder.Kind.AS_LISTED && listed.isEmpty()
                ? invalidFieldRefusal(
                        "order", "The order as-listed needs node_ids: list the nodes in order.")
                : Optional.empty();
    }

    private static Optional<Refusal> checkLabels(
            NodeOrder order, Collection<LabeledTarget> targets) {
        if (order.kind() != NodeOrder.Kind.LABEL) {
            return Optional.empty();
        }
        List<NodeId> lacking =
                targets.stream()
                        .filter(target -> !target.labels().containsKey(order.label()))
                        .map(LabeledTarget::node)
                        .sorted()
                        .toList();
        if (lacking.isEmpty()) {
            return Optional.empty();
        }
        String who =
                lacking.size() == targets.size()
                        ? "no target has the label "
                        : lacking.size()
                                + " of "
                                + targets.size()
                                + " targets, first "
                                + lacking.getFirst()
                                + ", do not have the label ";
        return invalidFieldRefusal(
                "order",
                "Cannot sort the nodes by "
                        + order.toText()
                        + ": "
                        + who
                        + order.label()
                        + ". Add it to the nodes, or choose another order.");
    }

    private static Optional<Refusal> checkLastNodes(
            NodeOrder order, Collection<LabeledTarget> targets) {
        Set<NodeId> known = targets.stream().map(LabeledTarget::node).collect(Collectors.toSet());
        return order.last().stream()
                .filter(node -> !known.contains(node))
                .findFirst()
                .flatMap(
                        node ->
                                invalidFieldRefusal(
                                        "last_node_ids",
                                        "Node "
                                                + node
                                                + " is in last_node_ids but is not a target. Remove"
                                                + " it there, or add it to the targets."));
    }

    private static Optional<Refusal> invalidFieldRefusal(String field, String sentence) {
        return Optional.of(new Refusal(RefusalCode.INVALID_FIELD, field, sentence));
    }

    /**
     * Position of each target, from 0; all have 0 in the default order, where ids decide.
     *
     * @param listed node ids as the request lists them
     */
    public static Map<NodeId, Integer> positions(
            NodeOrder order, Collection<LabeledTarget> targets, Collection<String> listed) {
        Map<NodeId, Integer> positions = new HashMap<>();
        if (order.isDefault()) {
            targets.forEach(target -> positions.put(target.node(), 0));
            return positions;
        }
        Map<NodeId, Integer> last = indexes(order.last());
        Comparator<LabeledTarget> sorted =
                Comparator.comparing((LabeledTarget target) -> last.getOrDefault(target.node(), -1))
                        .thenComparing(orderComparator(order, listed))
                        .thenComparing(LabeledTarget::node);
        targets.stream()
                .sorted(sorted)
                .forEach(target -> positions.put(target.node(), positions.size()));
        return positions;
    }

    private static Comparator<LabeledTarget> orderComparator(
            NodeOrder order, Collection<String> listed) {
        return switch (order.kind()) {
            case NAME -> Comparator.comparing(LabeledTarget::node);
            case LABEL ->
                    Comparator.comparing(
                            target -> target.labels().getOrDefault(order.label(), ""),
                            NodeOrderRules::compareValues);
            case AS_LISTED -> {
                Map<String, Integer> index = indexes(listed);
                yield Comparator.comparing(
                        target -> index.getOrDefault(target.node().value(), index.size()));
            }
        };
    }

    /** Numbers come before texts and are compared by value, so that 10 follows 9. */
    private static int compareValues(String one, String other) {
        boolean number = NUMBER.matcher(one).matches();
        boolean otherNumber = NUMBER.matcher(other).matches();
        if (number && otherNumber) {
            return new BigInteger(one).compareTo(new BigInteger(other));
        }
        return number == otherNumber ? one.compareTo(other) : number ? -1 : 1;
    }

    private static <T> Map<T, Integer> indexes(Collection<T> values) {
        Map<T, Integer> index = new HashMap<>();
        values.forEach(value -> index.putIfAbsent(value, index.size()));
        return index;
    }
}
