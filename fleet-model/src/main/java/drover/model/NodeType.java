package drover.model;

import java.util.regex.Pattern;

/** Type of a node, for example {@code full}; rollouts target one chain and type. */
public record NodeType(String value) implements Comparable<NodeType> {
    private static final Pattern GRAMMAR = Pattern.compile("[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");

    /**
     * Refuses, with {@link MalformedValue}, anything but 1 to 63 lower-case letters, digits and
     * inner hyphens.
     */
    public NodeType {
        MalformedValue.requireMatch(
                GRAMMAR, value, "1 to 63 lower-case letters, digits and inner hyphens");
    }

    @Override
    public int compareTo(NodeType other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
