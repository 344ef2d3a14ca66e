package drover.opsagent.fetch;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.journal.ReasonCode;
import java.security.MessageDigest;
import java.util.function.IntConsumer;

/** What has come of an artifact so far. */
final class PartialDownload {
    private final Disk.DiskFileWriter into;
    private final long limit;
    private final long size;
    private final IntConsumer percent;
    private MessageDigest hash = Digest.sha256();
    private long bytes;
    private String entityTag = "";

    /**
     * Nothing yet.
     *
     * @param limit most bytes taken
     * @param size stated size; 0 when not known
     */
    PartialDownload(Disk.DiskFileWriter into, long limit, long size, IntConsumer percent) {
        this.into = into;
        this.limit = limit;
        this.size = size;
        this.percent = percent;
    }

    void restart(String tag) {
        if (bytes > 0) {
            into.truncate();
            hash = Digest.sha256();
            bytes = 0;
        }
        entityTag = tag;
    }

    boolean canResume() {
        return bytes > 0 && !entityTag.isEmpty();
    }

    /** Refuses before the first byte what announces more than may come. */
    void requireWithinLimit(long announced) {
        if (announced > 0 && bytes + announced > limit) {
            throw tooLarge();
        }
        if (announced >= 0) {
            into.expectSize(bytes + announced);
        }
    }

    void append(byte[] buffer, int length) {
        if (bytes + length > limit) {
            throw tooLarge();
        }
        into.write(buffer, 0, length);
        hash.update(buffer, 0, length);
        bytes += length;
        if (size > 0) {
            percent.accept((int) (bytes * 100 / size));
        }
    }

    private FetchFailed tooLarge() {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_TOO_LARGE,
                "The artifact is larger than " + limit + " bytes: correct the manifest.");
    }

    long receivedBytes() {
        return bytes;
    }

    String entityTag() {
        return entityTag;
    }

    Digest digest() {
        return Digest.ofHash(hash.digest());
    }
}
