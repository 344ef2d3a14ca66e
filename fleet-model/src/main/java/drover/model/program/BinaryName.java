package drover.model.program;

import drover.model.MalformedValue;
import java.util.regex.Pattern;

/** Name of a program on a node; rollouts upgrade one program (invariant H15: a strict grammar). */
public record BinaryName(String value) implements Comparable<BinaryName> {
    private static final Pattern GRAMMAR =
            Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?");

    /** What an agent calls itself among the programs of its node (seed 001). */
    public static final BinaryName AGENT = new BinaryName("drover-agent");

    /**
     * Refuses, with {@link MalformedValue}, anything but 1 to 100 letters, digits and inner dots,
     * hyphens and underscores.
     */
    public BinaryName {
        MalformedValue.requireMatch(
                GRAMMAR, value, "1 to 100 letters, digits and inner dots, hyphens and underscores");
    }

    @Override
    public int compareTo(BinaryName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
