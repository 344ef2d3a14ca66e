package drover.manifest.check;

import java.util.List;

/**
 * A document as a tree in which every value is text until a rule gives it a type: {@code 1.10},
 * {@code on}, {@code 010} and {@code no} stay what was written (invariant H10).
 */
public sealed interface Node {
    /** Where it stands. */
    Place place();

    /** A single value. */
    record Text(Place place, String value) implements Node {}

    /** A list. */
    record Items(Place place, List<Node> items) implements Node {
        public Items {
            items = List.copyOf(items);
        }
    }

    /** A mapping, in the order written; its keys differ from one another. */
    record Fields(Place place, List<Field> fields) implements Node {
        public Fields {
            fields = List.copyOf(fields);
        }
    }

    /** A key and its value. */
    record Field(Place keyPlace, String key, Node value) {}

    /** What the node is, for sentences. */
    default String kind() {
        return switch (this) {
            case Text _ -> "a single value";
            case Items _ -> "a list";
            case Fields _ -> "a mapping";
        };
    }
}
