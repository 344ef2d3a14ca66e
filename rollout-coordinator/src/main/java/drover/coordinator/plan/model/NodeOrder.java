package drover.coordinator.plan.model;

import drover.model.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Order in which a rollout upgrades its nodes: batches follow it, and nodes within a batch. An
 * offline node is deferred behind the others in any order (A7).
 *
 * @param kind what nodes are sorted by
 * @param label key of the label; empty for the other kinds
 * @param last nodes that come after all others, in this order
 */
public record NodeOrder(Kind kind, String label, List<NodeId> last) {
    /** By id. */
    public static final NodeOrder DEFAULT = new NodeOrder(Kind.NAME, "", List.of());

    private static final String LABEL_PREFIX = "label:";
    private static final Pattern LABEL = Pattern.compile("[^\\p{Cntrl}]{1,100}");

    public NodeOrder {
        last = List.copyOf(last);
    }

    /** What nodes are sorted by; equal ones by id. */
    public enum Kind {
        /** Id of the node. */
        NAME,
        /** Value of a label: numbers by value, then texts. */
        LABEL,
        /** Position in the list of node ids of the request. */
        AS_LISTED
    }

    /** Parses {@code name}, {@code as-listed} or {@code label:KEY}; empty text is the default. */
    public static Optional<NodeOrder> parse(String text) {
        return switch (text) {
            case "", "name" -> Optional.of(DEFAULT);
            case "as-listed" -> Optional.of(new NodeOrder(Kind.AS_LISTED, "", List.of()));
            default ->
                    Optional.of(text)
                            .filter(it -> it.startsWith(LABEL_PREFIX))
                            .map(it -> it.substring(LABEL_PREFIX.length()))
                            .filter(key -> LABEL.matcher(key).matches())
                            .map(key -> new NodeOrder(Kind.LABEL, key, List.of()));
        };
    }

    /** Text that {@link #parse} accepts, without the last nodes. */
    public String toText() {
        return switch (kind) {
            case NAME -> "name";
            case AS_LISTED -> "as-listed";
            case LABEL -> LABEL_PREFIX + label;
        };
    }

    /** This order, with these nodes after all others. */
    public NodeOrder withLast(List<NodeId> nodes) {
        return new NodeOrder(kind, label, nodes);
    }

    /** Whether nodes have positions of their own; otherwise their ids decide. */
    public boolean isDefault() {
        return kind == Kind.NAME && last.isEmpty();
    }

    /** Whether the canary is the first nodes in this order; otherwise it is chosen at random. */
    public boolean isCanaryFirstInOrder() {
        return kind != Kind.NAME;
    }
}
