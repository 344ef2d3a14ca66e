package drover.opsagent.selfupgrade;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which of the agent's versions side by side one is. Build metadata tells builds of one version
 * apart in reports, never on the disk, so that the place follows from the version (seed 001).
 */
public record AgentVersionNumber(int major, int minor, int patch)
        implements Comparable<AgentVersionNumber> {
    private static final String NUMBER = "(0|[1-9][0-9]{0,5})";
    private static final Pattern GRAMMAR =
            Pattern.compile(
                    "v?" + NUMBER + "\\." + NUMBER + "\\." + NUMBER + "(?:\\+[0-9A-Za-z.-]+)?");

    /**
     * Reads {@code 1.2.3}, {@code v1.2.3} or {@code 1.2.3+build}.
     *
     * @throws IllegalArgumentException with one sentence, for anything else
     */
    public static AgentVersionNumber of(String text) {
        Matcher matcher = GRAMMAR.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "An agent's version is MAJOR.MINOR.PATCH, with +BUILD at most: '"
                            + text
                            + "' is not that.");
        }
        return new AgentVersionNumber(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)));
    }

    /** Whether {@link #of} takes it. */
    public static boolean isValid(String text) {
        return GRAMMAR.matcher(text).matches();
    }

    /** Name of its directory. */
    public String directoryName() {
        return "v" + this;
    }

    @Override
    public int compareTo(AgentVersionNumber other) {
        return Comparator.comparingInt(AgentVersionNumber::major)
                .thenComparingInt(AgentVersionNumber::minor)
                .thenComparingInt(AgentVersionNumber::patch)
                .compare(this, other);
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
