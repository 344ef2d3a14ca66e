package drover.model;

import java.util.regex.Pattern;

/** Identity of a rollout group; a UUID as the control plane makes them. */
public record GroupId(String value) implements Comparable<GroupId> {
    private static final Pattern GRAMMAR = Pattern.compile("[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");

    /**
     * Refuses, with {@link MalformedValue}, anything but 1 to 63 lower-case letters, digits and
     * inner hyphens.
     */
    public GroupId {
        MalformedValue.requireMatch(
                GRAMMAR, value, "1 to 63 lower-case letters, digits and inner hyphens");
    }

    @Override
    public int compareTo(GroupId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
