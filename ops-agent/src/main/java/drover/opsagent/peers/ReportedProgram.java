package drover.opsagent.peers;

import drover.model.Digest;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.probe.ProbeSummary;
import drover.opsagent.store.KnownVersion;
import java.time.Duration;
import java.util.List;

/**
 * A program as it is reported.
 *
 * @param runningDigest of what runs; empty when nothing does
 * @param fileDigest of the installed file; empty when there is none
 */
public record ReportedProgram(
        String name,
        KnownVersion version,
        String runningDigest,
        String fileDigest,
        String runId,
        Digest configDigest,
        Digest launchDigest,
        List<ConfigFile> configFiles,
        Duration upFor,
        int startsSince,
        ProbeSummary signals) {
    public ReportedProgram {
        configFiles = List.copyOf(configFiles);
    }

    /** Whether it runs. */
    public boolean isRunning() {
        return !runId.isEmpty();
    }
}
