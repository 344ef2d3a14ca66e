package drover.opsagent.fetch;

import drover.opsagent.disk.Disk;
import drover.opsagent.journal.Artifact;
import drover.opsagent.time.Deadline;
import java.util.function.IntConsumer;

/** Gets an artifact into a file. */
public interface Fetcher {
    /**
     * Writes the artifact's bytes, synced, and checks their size and digest.
     *
     * @param percent told how far it is, 0 to 100
     * @throws FetchFailed with a reason of its own for each way it can go wrong
     */
    void fetch(Artifact artifact, Disk.DiskFileWriter into, Deadline deadline, IntConsumer percent);
}
