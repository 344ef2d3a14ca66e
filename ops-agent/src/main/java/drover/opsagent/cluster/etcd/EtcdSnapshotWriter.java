package drover.opsagent.cluster.etcd;

import drover.model.Digest;
import drover.model.cluster.PrintableLine;
import drover.opsagent.disk.Disk;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MappingIterator;

/**
 * Writes the snapshot stream of etcd into a file, and verifies it: etcd ends the stream with the
 * SHA-256 digest of the data.
 */
final class EtcdSnapshotWriter {
    private static final int DIGEST_LENGTH = 32;

    private final Disk.DiskFileWriter target;
    private final long limit;
    private final MessageDigest data = Digest.sha256();
    private final MessageDigest file = Digest.sha256();
    private byte[] tail = {};
    private long size;

    private EtcdSnapshotWriter(Disk.DiskFileWriter target, long limit) {
        this.target = target;
        this.limit = limit;
    }

    /**
     * Snapshot that was written.
     *
     * @param digest of the file
     */
    record Snapshot(long size, Digest digest) {}

    /**
     * Writes a stream.
     *
     * @param limit maximum size of the file, in bytes
     * @throws IOException if the stream is incomplete or longer than the limit
     */
    static Snapshot write(InputStream stream, Disk.DiskFileWriter target, long limit)
            throws IOException {
        EtcdSnapshotWriter writer = new EtcdSnapshotWriter(target, limit);
        writer.copy(stream);
        return new Snapshot(writer.size, Digest.ofHash(writer.file.digest()));
    }

    private void copy(InputStream stream) throws IOException {
        try (MappingIterator<JsonNode> messages =
                EtcdGateway.JSON.readerFor(JsonNode.class).readValues(stream)) {
            while (messages.hasNextValue()) {
                append(blobOf(messages.nextValue()));
            }
        } catch (JacksonException e) {
            throw new IOException("the stream breaks off", e);
        }
        if (tail.length < DIGEST_LENGTH || !Arrays.equals(tail, data.digest())) {
            throw new IOException("the stream is incomplete: its digest does not match");
        }
    }

    private static byte[] blobOf(JsonNode message) throws IOException {
        if (message.has("error")) {
            String why = message.path("error").path("message").asString("unknown error");
            throw new IOException(PrintableLine.of(why));
        }
        JsonNode blob = message.path("result").path("blob");
        return blob.isString() ? blob.binaryValue() : new byte[0];
    }

    /** All but the last 32 bytes of the stream are data. */
    private void append(byte[] blob) throws IOException {
        size += blob.length;
        if (size > limit) {
            throw new IOException(
                    "the stream exceeds " + limit + " bytes, more than etcd's database has");
        }
        target.write(blob, 0, blob.length);
        file.update(blob);
        byte[] joined = Arrays.copyOf(tail, tail.length + blob.length);
        System.arraycopy(blob, 0, joined, tail.length, blob.length);
        int known = Math.max(0, joined.length - DIGEST_LENGTH);
        data.update(joined, 0, known);
        tail = Arrays.copyOfRange(joined, known, joined.length);
    }
}
