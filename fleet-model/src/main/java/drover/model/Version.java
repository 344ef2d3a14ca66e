package drover.model;

import java.util.regex.Pattern;

/** A version as people write it. Text, never a number: {@code 1.10} is not {@code 1.1}. */
public record Version(String value) implements Comparable<Version> {
    private static final Pattern GRAMMAR =
            Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9._+-]{0,48}[A-Za-z0-9])?");

    /**
     * Refuses, with {@link MalformedValue}, anything but 1 to 50 letters, digits and inner dots,
     * plus signs, hyphens and underscores.
     */
    public Version {
        MalformedValue.requireMatch(
                GRAMMAR,
                value,
                "1 to 50 letters, digits and inner dots, plus signs, hyphens and underscores");
    }

    @Override
    public int compareTo(Version other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
