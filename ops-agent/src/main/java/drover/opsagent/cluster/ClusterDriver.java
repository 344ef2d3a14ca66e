package drover.opsagent.cluster;

import drover.model.cluster.ClusterReport;
import java.nio.file.Path;

/**
 * Access to one member of a clustered program. Each verb may be repeated: it acts on the state of
 * the cluster, not on earlier calls.
 */
public interface ClusterDriver {
    /** Result of a probe. */
    sealed interface ProbeResult {
        /** The member returned a report. */
        record Reported(ClusterReport report) implements ProbeResult {}

        /**
         * There is no report.
         *
         * @param reason one sentence
         */
        record Failed(String reason) implements ProbeResult {}
    }

    /**
     * Reads the state of the cluster as the member sees it, within 5 s; killing a driver that hangs
     * may add some seconds.
     */
    ProbeResult probe();

    /** Transfers leadership from the member to another voter. */
    VerbResult stepDown();

    /**
     * Transfers leadership from the member to a certain voter.
     *
     * @param target its name, as reports have it
     */
    VerbResult stepDownTo(String target);

    /** Writes a snapshot of the member's data into an existing directory. */
    VerbResult snapshot(Path directory);
}
