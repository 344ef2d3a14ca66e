package drover.opsagent.runtime.files;

import drover.model.program.DownloadAddress;
import drover.opsagent.fetch.DownloadTarget;
import drover.opsagent.fetch.FetchFailed;
import drover.opsagent.fetch.Fetcher;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.time.Deadline;
import java.io.ByteArrayOutputStream;

/**
 * The beginning of an artifact, got the very way the whole of it would be: by the same address,
 * rules and credentials. A small one comes whole, and with it the proof of its digest.
 */
final class FirstBytesDownload implements DownloadTarget {
    private static final int PROBE_BYTES = 64 * 1024; // a header, and all of what is small

    private final Artifact artifact;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private FirstBytesDownload(Artifact artifact) {
        this.artifact = artifact;
    }

    /**
     * Gets them.
     *
     * @throws FetchFailed as getting the artifact would
     */
    static byte[] download(Artifact artifact, Fetcher fetcher, Deadline deadline) {
        FirstBytesDownload first = new FirstBytesDownload(artifact);
        try {
            fetcher.fetch(artifact, first, deadline, _ -> {});
        } catch (FirstBytesComplete _) {
            // what follows is for the upgrade to get
        }
        return first.bytes.toByteArray();
    }

    @Override
    public void expectSize(long size) {
        if (artifact.size() > 0 && size != artifact.size()) {
            throw new FetchFailed(
                    size < artifact.size()
                            ? ReasonCode.DOWNLOAD_TRUNCATED
                            : ReasonCode.DOWNLOAD_TOO_LARGE,
                    DownloadAddress.redact(artifact.url())
                            + " has "
                            + size
                            + " bytes, the manifest says "
                            + artifact.size()
                            + ": correct one of them.");
        }
    }

    @Override
    public void write(byte[] from, int offset, int length) {
        bytes.write(from, offset, Math.min(length, PROBE_BYTES));
        if (bytes.size() >= PROBE_BYTES) {
            throw new FirstBytesComplete();
        }
    }

    @Override
    public void restart(String entityTag) {
        bytes.reset();
    }

    @Override
    public void sync() {}

    private static final class FirstBytesComplete extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
