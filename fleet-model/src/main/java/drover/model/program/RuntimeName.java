package drover.model.program;

import drover.model.MalformedValue;
import java.util.regex.Pattern;

/**
 * Name of a runtime: one of Drover's four, or the name of a runtime from an external jar. The set
 * of names is open; the nodes report the names that exist.
 */
public record RuntimeName(String value) {
    private static final Pattern GRAMMAR = Pattern.compile("[a-z](?:[a-z0-9-]{0,30}[a-z0-9])?");

    /** The agent supervises the program. */
    public static final RuntimeName PROCESS = new RuntimeName("process");

    /** Nothing runs; for tests and demonstrations. */
    public static final RuntimeName SIMULATED = new RuntimeName("simulated");

    /** A systemd unit. */
    public static final RuntimeName SYSTEMD = new RuntimeName("systemd");

    /** A container. */
    public static final RuntimeName DOCKER = new RuntimeName("docker");

    /** Rejects other text with {@link MalformedValue}. */
    public RuntimeName {
        MalformedValue.requireMatch(
                GRAMMAR,
                value,
                "1 to 32 lowercase letters, digits and inner hyphens, with a letter first");
    }

    /** Whether its programs are container images. */
    public boolean runsOnlyImages() {
        return equals(DOCKER);
    }

    /** Whether its programs are files; a runtime that is not Drover's may accept both. */
    public boolean runsOnlyFiles() {
        return equals(PROCESS) || equals(SIMULATED) || equals(SYSTEMD);
    }

    /** Whether a program needs the name of its unit or container. */
    public boolean needsServiceName() {
        return equals(SYSTEMD) || equals(DOCKER);
    }

    /**
     * Whether a program is started with the arguments, environment and user of its launch
     * specification; under systemd the unit file has them.
     */
    public boolean launchesAsSpecified() {
        return !equals(SYSTEMD);
    }

    @Override
    public String toString() {
        return value;
    }
}
