package drover.model;

import java.util.regex.Pattern;

/**
 * Identity of a node, fixed by its credential. A UUID (seed 000) has this form, and so have names
 * people can say.
 */
public record NodeId(String value) implements Comparable<NodeId> {
    private static final Pattern GRAMMAR = Pattern.compile("[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");

    /**
     * Refuses, with {@link MalformedValue}, anything but 1 to 63 lower-case letters, digits and
     * inner hyphens.
     */
    public NodeId {
        MalformedValue.requireMatch(
                GRAMMAR, value, "1 to 63 lower-case letters, digits and inner hyphens");
    }

    @Override
    public int compareTo(NodeId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
