package drover.opsagent.fetch;

import drover.model.Digest;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.journal.ReasonCode;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.function.IntConsumer;

/** The bytes of an artifact that have arrived so far, with their digest. */
final class DownloadReceiver {
    private static final int MOST_AT_ONCE = 64 * 1024;
    private final DownloadTarget into;
    private final long limit;
    private final long size;
    private final IntConsumer percent;
    private MessageDigest hash = Digest.sha256();
    private long bytes;
    private long mostBytes;
    private boolean continuesEarlier;
    private String entityTag = "";

    /**
     * Starts with the bytes that the target holds, if they can be continued.
     *
     * @param limit most bytes taken
     * @param size stated size; 0 when not known
     */
    DownloadReceiver(DownloadTarget into, long limit, long size, IntConsumer percent) {
        this.into = into;
        this.limit = limit;
        this.size = size;
        this.percent = percent;
        if (!into.entityTag().isEmpty()) {
            readExisting();
        }
    }

    private void readExisting() {
        byte[] buffer = new byte[MOST_AT_ONCE];
        try (InputStream in = into.openExisting()) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                hash.update(buffer, 0, n);
                bytes += n;
            }
        } catch (IOException e) {
            throw new DiskFailure("Cannot read the unfinished download", false, e);
        }
        entityTag = into.entityTag();
        mostBytes = bytes;
        continuesEarlier = true;
        if (bytes > limit) {
            restart("");
        }
    }

    /** Removes what has arrived; what follows is of the object with this entity tag. */
    void restart(String tag) {
        if (bytes > 0 || !tag.equals(entityTag)) {
            into.restart(tag);
            hash = Digest.sha256();
            bytes = 0;
        }
        continuesEarlier = false;
        entityTag = tag;
    }

    /** Whether some of the bytes come from an earlier download. */
    boolean continuesEarlier() {
        return continuesEarlier;
    }

    boolean canResume() {
        return bytes > 0 && !entityTag.isEmpty();
    }

    /** Refuses before the first byte what announces more than may come. */
    void checkAndReportSize(long announced) {
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
        mostBytes = Math.max(mostBytes, bytes);
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

    /** Most bytes that had arrived at any time, restarts included. */
    long peakReceivedBytes() {
        return mostBytes;
    }

    void sync() {
        into.sync();
    }

    String entityTag() {
        return entityTag;
    }

    /** Digest of what has arrived. */
    Digest digest() {
        try {
            return Digest.ofHash(((MessageDigest) hash.clone()).digest());
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("SHA-256 of the JDK can be cloned", e);
        }
    }
}
