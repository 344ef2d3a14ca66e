package drover.opsagent.cluster.etcd;

import drover.model.Digest;
import drover.model.cluster.PrintableLine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MappingIterator;

/**
 * Writes the snapshot stream of etcd into a file. The file gets its name only when it is complete:
 * etcd ends the stream with the SHA-256 digest of the data.
 */
final class EtcdSnapshotWriter {
    private static final int DIGEST_LENGTH = 32;

    private final MessageDigest data = Digest.sha256();
    private final MessageDigest file = Digest.sha256();
    private byte[] tail = {};
    private long size;

    private EtcdSnapshotWriter() {}

    /**
     * Snapshot that was written.
     *
     * @param sha256 of the file, in hexadecimal digits
     */
    record Snapshot(Path file, long size, String sha256) {}

    /**
     * Writes a stream, and closes it.
     *
     * @throws IOException if the file cannot be written or the stream is incomplete
     */
    static Snapshot write(InputStream stream, Path target) throws IOException {
        Path part = target.resolveSibling("." + target.getFileName() + ".part");
        Files.deleteIfExists(part);
        try {
            EtcdSnapshotWriter writer = new EtcdSnapshotWriter();
            writer.copy(stream, part);
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
            return new Snapshot(
                    target, writer.size, HexFormat.of().formatHex(writer.file.digest()));
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private void copy(InputStream stream, Path part) throws IOException {
        var attributes =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Set<StandardOpenOption> options =
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (stream;
                FileChannel channel = FileChannel.open(part, options, attributes);
                MappingIterator<JsonNode> messages =
                        EtcdGateway.JSON.readerFor(JsonNode.class).readValues(stream)) {
            while (messages.hasNextValue()) {
                append(channel, blobOf(messages.nextValue()));
            }
            channel.force(true);
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
    private void append(FileChannel channel, byte[] blob) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(blob);
        while (left.hasRemaining()) {
            channel.write(left);
        }
        file.update(blob);
        size += blob.length;
        byte[] joined = Arrays.copyOf(tail, tail.length + blob.length);
        System.arraycopy(blob, 0, joined, tail.length, blob.length);
        int known = Math.max(0, joined.length - DIGEST_LENGTH);
        data.update(joined, 0, known);
        tail = Arrays.copyOfRange(joined, known, joined.length);
    }
}
