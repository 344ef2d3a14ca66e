package drover.opsagent.fetch;

import drover.model.Digest;
import drover.model.program.DownloadAddress;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.time.Deadline;
import java.util.Map;
import java.util.function.IntConsumer;

/** Artifacts in memory, by address. */
public record SimulatedFetcher(Map<String, byte[]> artifacts) implements Fetcher {
    @Override
    public void fetch(
            Artifact artifact, DownloadTarget into, Deadline deadline, IntConsumer percent) {
        byte[] bytes = artifacts.get(artifact.url());
        if (bytes == null) {
            throw new FetchFailed(
                    ReasonCode.ARTIFACT_NOT_FOUND,
                    "Nothing is at "
                            + DownloadAddress.redact(artifact.url())
                            + ": correct the artifact's url.");
        }
        if (!into.entityTag().isEmpty()) {
            into.restart("");
        }
        into.write(bytes, 0, bytes.length);
        into.sync();
        percent.accept(100);
        if (!Digest.of(bytes).equals(artifact.digest())) {
            throw new FetchFailed(
                    ReasonCode.CHECKSUM_MISMATCH,
                    "What is at "
                            + DownloadAddress.redact(artifact.url())
                            + " has another digest: correct the manifest.");
        }
    }
}
