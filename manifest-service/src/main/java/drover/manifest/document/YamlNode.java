package drover.manifest.document;

import java.util.List;

/**
 * A document as a tree in which every value is text until a rule gives it a type: {@code 1.10},
 * {@code on}, {@code 010} and {@code no} stay what was written (invariant H10).
 */
public sealed interface YamlNode {
    /** Where it stands. */
    FieldLocation location();

    /** A single value. */
    record Scalar(FieldLocation location, String value) implements YamlNode {}

    /** A list. */
    record Sequence(FieldLocation location, List<YamlNode> items) implements YamlNode {
        public Sequence {
            items = List.copyOf(items);
        }
    }

    /** A mapping, in the order written; its keys differ from one another. */
    record Mapping(FieldLocation location, List<Entry> fields) implements YamlNode {
        public Mapping {
            fields = List.copyOf(fields);
        }
    }

    /** A key and its value. */
    record Entry(FieldLocation keyLocation, String key, YamlNode value) {}

    /** What the node is, for sentences. */
    default String kind() {
        return switch (this) {
            case Scalar _ -> "a single value";
            case Sequence _ -> "a list";
            case Mapping _ -> "a mapping";
        };
    }
}
