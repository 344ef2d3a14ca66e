package drover.opsagent.peers;

import drover.model.Digest;
import drover.opsagent.probe.Signals;
import drover.opsagent.script.ConfigFile;
import drover.opsagent.store.KnownVersion;
import java.time.Duration;
import java.util.List;

/**
 * A program as it is reported.
 *
 * @param runningDigest of what runs; empty when nothing does
 * @param fileDigest of the installed file; empty when there is none
 */
public record ProgramView(
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
        Signals signals) {
    public ProgramView {
        configFiles = List.copyOf(configFiles);
    }

    /** Whether it runs. */
    public boolean running() {
        return !runId.isEmpty();
    }
}
