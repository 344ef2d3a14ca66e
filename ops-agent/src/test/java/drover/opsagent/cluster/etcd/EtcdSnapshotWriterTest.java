package drover.opsagent.cluster.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.LocalDisk;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshot streams, complete and broken. */
class EtcdSnapshotWriterTest {
    private static final byte[] DATA =
            "a snapshot of some length".repeat(9).getBytes(StandardCharsets.UTF_8);

    @TempDir private Path directory;

    private static InputStream stream(List<byte[]> blobs, String end) {
        String text =
                blobs.stream()
                        .map(
                                blob ->
                                        "{\"result\":{\"blob\":\""
                                                + Base64.getEncoder().encodeToString(blob)
                                                + "\"}}\n")
                        .collect(Collectors.joining());
        return new ByteArrayInputStream((text + end).getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] digest() throws NoSuchAlgorithmException {
        return MessageDigest.getInstance("SHA-256").digest(DATA);
    }

    @Test
    void writesDataAndDigestHoweverTheyAreSplit() throws Exception {
        Path target = directory.resolve("s.db");
        byte[] digest = digest();
        byte[] start = {digest[0], digest[1]};
        byte[] rest = Arrays.copyOfRange(digest, 2, 32);
        EtcdSnapshotWriter.Snapshot written = write(stream(List.of(DATA, start, rest), ""), target);
        assertThat(written.size()).isEqualTo(DATA.length + 32);
        assertThat(written.digest()).isEqualTo(Digest.of(Files.readAllBytes(target)));
        assertThat(Files.readAllBytes(target)).startsWith(DATA).endsWith(digest);
        assertThat(Files.getPosixFilePermissions(target))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    private static EtcdSnapshotWriter.Snapshot write(InputStream stream, Path target)
            throws IOException {
        return write(stream, target, Long.MAX_VALUE);
    }

    private static EtcdSnapshotWriter.Snapshot write(InputStream stream, Path target, long limit)
            throws IOException {
        try (Disk.DiskFileWriter file = new LocalDisk().createExclusive(target)) {
            return EtcdSnapshotWriter.write(stream, file, limit);
        }
    }

    @Test
    void anIncompleteStreamIsRejected() throws Exception {
        assertRejected(stream(List.of(DATA), ""), "incomplete");
        assertRejected(stream(List.of(), ""), "incomplete");
        assertRejected(stream(List.of(DATA, digest()), "{\"resu"), "breaks off");
        assertRejected(
                stream(List.of(DATA), "{\"error\":{\"message\":\"stopped\u202e\"}}"), "stopped");
    }

    private void assertRejected(InputStream stream, String why) {
        Path target = directory.resolve("s" + System.nanoTime());
        assertThatThrownBy(() -> write(stream, target))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(why)
                .hasMessageNotContaining("\u202e");
    }

    @Test
    @DisplayName("D2: a stream that is longer than the limit fills no disk")
    void aStreamOverTheLimitIsRejected() throws Exception {
        List<byte[]> blobs = List.of(DATA, digest());
        long length = DATA.length + 32L;
        assertThat(write(stream(blobs, ""), directory.resolve("s"), length).size())
                .isEqualTo(length);
        Path target = directory.resolve("t");
        assertThatThrownBy(() -> write(stream(blobs, ""), target, length - 1))
                .hasMessageContaining("exceeds " + (length - 1) + " bytes");
        assertThat(Files.size(target)).isEqualTo(DATA.length);
    }
}
