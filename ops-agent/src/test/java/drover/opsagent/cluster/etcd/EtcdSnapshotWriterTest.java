package drover.opsagent.cluster.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @Test
    void writesDataAndDigestHoweverTheyAreSplit() throws Exception {
        Path target = directory.resolve("s.db");
        byte[] digest = digest();
        byte[] start = {digest[0], digest[1]};
        byte[] rest = Arrays.copyOfRange(digest, 2, 32);
        EtcdSnapshotWriter.Snapshot written =
                EtcdSnapshotWriter.write(stream(List.of(DATA, start, rest), ""), target);
        assertThat(written.size()).isEqualTo(DATA.length + 32);
        assertThat(Files.readAllBytes(target)).startsWith(DATA).endsWith(digest);
        assertThat(files()).containsExactly(target);
    }

    @Test
    void anIncompleteStreamLeavesNoFile() throws Exception {
        Path target = directory.resolve("s.db");
        assertThatThrownBy(() -> EtcdSnapshotWriter.write(stream(List.of(DATA), ""), target))
                .hasMessageContaining("incomplete");
        assertThatThrownBy(() -> EtcdSnapshotWriter.write(stream(List.of(), ""), target))
                .hasMessageContaining("incomplete");
        byte[] digest = digest();
        assertThatThrownBy(
                        () ->
                                EtcdSnapshotWriter.write(
                                        stream(List.of(DATA, digest), "{\"resu"), target))
                .hasMessageContaining("breaks off");
        assertThatThrownBy(
                        () ->
                                EtcdSnapshotWriter.write(
                                        stream(
                                                List.of(DATA),
                                                "{\"error\":{\"message\":\"stopped\u202e\"}}"),
                                        target))
                .hasMessage("stopped");
        assertThat(files()).isEmpty();
    }
}
