package drover.model;

import java.util.regex.Pattern;

/** Identity of an upgrade manifest: the name of its file without the ending. */
public record UpgradeId(String value) implements Comparable<UpgradeId> {
    private static final Pattern GRAMMAR =
            Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?");

    /**
     * Refuses, with {@link MalformedValue}, anything but 1 to 100 letters, digits and inner dots,
     * hyphens and underscores.
     */
    public UpgradeId {
        MalformedValue.requireMatch(
                GRAMMAR, value, "1 to 100 letters, digits and inner dots, hyphens and underscores");
    }

    @Override
    public int compareTo(UpgradeId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
