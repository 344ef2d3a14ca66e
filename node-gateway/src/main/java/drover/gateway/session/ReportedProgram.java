package drover.gateway.session;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A program of a node as its agent last reported it.
 *
 * @param version {@code unknown} for a digest that the agent never installed
 * @param runningDigest of what runs, else of the installed file; empty when there is none
 * @param configFiles digests of the managed files by path; empty when not known
 * @param launchDigest empty when not known
 * @param runId empty when it does not run
 * @param artifactUrl where the running version came from; empty when not known
 */
public record ReportedProgram(
        String name,
        String version,
        String runningDigest,
        String configDigest,
        SortedMap<String, String> configFiles,
        String launchDigest,
        boolean running,
        String runId,
        String artifactUrl) {
    /** The version of a digest that nobody named. */
    public static final String UNKNOWN_VERSION = "unknown";

    public ReportedProgram {
        configFiles = Collections.unmodifiableSortedMap(new TreeMap<>(configFiles));
    }

    /** A program that was never reported whole. */
    static ReportedProgram named(String name) {
        return new ReportedProgram(
                name, UNKNOWN_VERSION, "", "", Collections.emptySortedMap(), "", false, "", "");
    }

    /** Characters of everything that is known of it. */
    int characterCount() {
        int files =
                configFiles.entrySet().stream()
                        .mapToInt(file -> file.getKey().length() + file.getValue().length())
                        .sum();
        return files
                + name.length()
                + version.length()
                + runningDigest.length()
                + configDigest.length()
                + launchDigest.length()
                + runId.length()
                + artifactUrl.length();
    }

    /**
     * The program after a signal. What the signal contradicts is forgotten, not kept: another
     * digest loses its url, another configuration its list of files. A program that is down keeps
     * the digest of its file.
     */
    ReportedProgram withObservation(ProgramObservation signal) {
        boolean otherDigest = isReportedDifferently(signal.runningDigest(), runningDigest);
        boolean otherConfig = isReportedDifferently(signal.configDigest(), configDigest);
        return new ReportedProgram(
                name,
                versionAfter(signal.version(), otherDigest),
                otherDigest ? signal.runningDigest() : runningDigest,
                otherConfig ? signal.configDigest() : configDigest,
                otherConfig ? Collections.emptySortedMap() : configFiles,
                otherConfig ? "" : launchDigest,
                !signal.runId().isEmpty(),
                signal.runId(),
                otherDigest ? "" : artifactUrl);
    }

    private String versionAfter(String message, boolean otherDigest) {
        if (!message.isEmpty()) {
            return message;
        }
        return otherDigest ? UNKNOWN_VERSION : version;
    }

    private static boolean isReportedDifferently(String message, String known) {
        return !message.isEmpty() && !message.equals(known);
    }
}
