package drover.opsagent.peers;

import drover.model.Digest;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.probe.ClusterReading;
import drover.opsagent.probe.ProbeSummary;
import drover.opsagent.store.KnownVersion;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A program as it is reported.
 *
 * @param runningDigest of what runs; empty when nothing does
 * @param fileDigest of the installed file; empty when there is none
 * @param cluster state of its cluster; empty if it is no member of one
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
        ProbeSummary signals,
        Optional<ClusterReading> cluster) {
    public ReportedProgram {
        configFiles = List.copyOf(configFiles);
    }

    /** A program that is no member of a cluster. */
    public ReportedProgram(
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
        this(
                name,
                version,
                runningDigest,
                fileDigest,
                runId,
                configDigest,
                launchDigest,
                configFiles,
                upFor,
                startsSince,
                signals,
                Optional.empty());
    }

    /** Returns the program with the state of its cluster. */
    public ReportedProgram withCluster(Optional<ClusterReading> reading) {
        return reading.isEmpty()
                ? this
                : new ReportedProgram(
                        name,
                        version,
                        runningDigest,
                        fileDigest,
                        runId,
                        configDigest,
                        launchDigest,
                        configFiles,
                        upFor,
                        startsSince,
                        signals,
                        reading);
    }

    /** Whether it runs. */
    public boolean isRunning() {
        return !runId.isEmpty();
    }
}
