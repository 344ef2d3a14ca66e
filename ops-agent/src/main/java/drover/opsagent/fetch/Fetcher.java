package drover.opsagent.fetch;

import drover.opsagent.journal.Artifact;
import drover.opsagent.time.Deadline;
import java.util.function.IntConsumer;

/** Downloads artifacts. */
public interface Fetcher {
    /**
     * Writes the artifact's bytes, synced, and checks their size and digest.
     *
     * @param percent receives the progress, 0 to 100
     * @throws FetchFailed with a separate reason for each kind of failure
     */
    void fetch(Artifact artifact, DownloadTarget into, Deadline deadline, IntConsumer percent);
}
