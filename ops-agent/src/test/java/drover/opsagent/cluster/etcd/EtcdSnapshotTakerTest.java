package drover.opsagent.cluster.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import drover.opsagent.cluster.VerbResult;
import drover.opsagent.cluster.VerbResult.Outcome;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.ForwardingDisk;
import drover.opsagent.disk.LocalDisk;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Snapshots of members that are not healthy, too large, or too slow. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EtcdSnapshotTakerTest {
    private static final String SNAPSHOT = "/v3/maintenance/snapshot";
    private static final long MIB = 1L << 20;

    @TempDir private Path directory;
    private final List<String> steps = new ArrayList<>();
    private final FakeEtcd etcd = FakeEtcd.start(1);
    private volatile long free = Long.MAX_VALUE;
    private volatile byte[] data = "a snapshot".getBytes(StandardCharsets.UTF_8);

    @BeforeEach
    void formACluster() {
        etcd.setMembers(FakeEtcd.member(1, etcd.url()));
        etcd.handle(SNAPSHOT, this::send);
    }

    @AfterEach
    void close() {
        etcd.close();
    }

    private void send(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream body = exchange.getResponseBody()) {
            for (int at = 0; at < data.length; at += (int) MIB) {
                int end = (int) Math.min(data.length, at + MIB);
                body.write(message(Arrays.copyOfRange(data, at, end)));
            }
            body.write(message(MessageDigest.getInstance("SHA-256").digest(data)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] message(byte[] blob) {
        return ("{\"result\":{\"blob\":\"" + Base64.getEncoder().encodeToString(blob) + "\"}}\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Disk with a given space, which notes the steps of a change. */
    private final class NotingDisk extends ForwardingDisk {
        NotingDisk() {
            super(new LocalDisk());
        }

        @Override
        public DiskFileWriter createExclusive(Path file) {
            steps.add("create");
            return super.createExclusive(file);
        }

        @Override
        public void rename(Path from, Path to) {
            steps.add("rename");
            super.rename(from, to);
        }

        @Override
        public void syncDirectory(Path synced) {
            steps.add("sync " + synced);
            super.syncDirectory(synced);
        }

        @Override
        public long freeBytes(Path path) {
            return free;
        }
    }

    private EtcdSnapshotTaker snapshots() {
        URI endpoint = URI.create(etcd.url());
        return new EtcdSnapshotTaker(
                new EtcdGateway(EtcdAccess.NONE, Set.of(endpoint)),
                endpoint,
                new DurableFiles(new NotingDisk(), new SecureRandom()));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    private boolean requestedASnapshot() {
        return etcd.received().stream().anyMatch(each -> each.startsWith(SNAPSHOT));
    }

    @Test
    @DisplayName("D2: a snapshot is done when the directory is synced after the rename")
    void syncsTheDirectory() throws IOException {
        VerbResult result = snapshots().take(directory);
        assertThat(result.outcome()).as(result.detail()).isEqualTo(Outcome.DONE);
        assertThat(steps).containsExactly("create", "rename", "sync " + directory);
        assertThat(files()).hasSize(1);
        assertThat(result.detail())
                .contains(files().getFirst().toString(), "sha256:")
                .doesNotContain(".part");
    }

    @Test
    @DisplayName("A snapshot replaces no earlier one, whose digest may be recorded")
    void replacesNoOtherSnapshot() throws IOException {
        EtcdSnapshotTaker snapshots = snapshots();
        snapshots.take(directory);
        Path first = files().getFirst();
        byte[] content = Files.readAllBytes(first);
        data = "another snapshot at the same index".getBytes(StandardCharsets.UTF_8);
        assertThat(snapshots.take(directory).outcome()).isEqualTo(Outcome.DONE);
        assertThat(files()).hasSize(2).contains(first);
        assertThat(Files.readAllBytes(first)).isEqualTo(content);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"leader\": \"0\", \"errors\": [\"etcdserver: no leader\"] | no leader",
                "\"leader\": \"1\", \"errors\": [\"memberID:1 alarm:CORRUPT\"] | CORRUPT",
                "\"leader\": \"2\" | not caught up"
            })
    @DisplayName("K5: a member that may lack acknowledged writes gives no snapshot")
    void refusesAMemberThatIsNotHealthy(String status, String why) throws IOException {
        etcd.setStatus(status);
        VerbResult result = snapshots().take(directory);
        assertThat(result.outcome()).isEqualTo(Outcome.NOT_NOW);
        assertThat(result.detail()).contains(why);
        assertThat(files()).isEmpty();
        assertThat(requestedASnapshot()).isFalse();
    }

    @Test
    @DisplayName("K5: a member that is cut off from the majority gives no snapshot")
    void refusesAMemberWithoutContact() {
        etcd.loseQuorum();
        VerbResult result = snapshots().take(directory);
        assertThat(result.outcome()).isEqualTo(Outcome.NOT_NOW);
        assertThat(result.detail()).contains("majority");
        assertThat(requestedASnapshot()).isFalse();
    }

    @Test
    @DisplayName("A snapshot that does not fit is refused before the transfer")
    void requiresSpace() throws IOException {
        etcd.setStatus("\"leader\": \"1\", \"dbSize\": \"" + 100 * MIB + "\"");
        free = 180 * MIB - 1;
        VerbResult result = snapshots().take(directory);
        assertThat(result.outcome()).isEqualTo(Outcome.NOT_NOW);
        assertThat(result.detail()).contains("has 179 MiB free", "snapshot of 100 MiB");
        assertThat(requestedASnapshot()).isFalse();
        free = 180 * MIB;
        assertThat(snapshots().take(directory).outcome()).isEqualTo(Outcome.DONE);

        etcd.setStatus("\"leader\": \"1\", \"dbSize\": \"" + Long.MAX_VALUE + "\"");
        assertThat(snapshots().take(directory).outcome()).isEqualTo(Outcome.NOT_NOW);
        assertThat(files()).hasSize(1);
    }

    @Test
    @DisplayName("A stream that exceeds the database's size by more than 64 MiB is ended")
    void endsALongStream() throws IOException {
        data = new byte[(int) (65 * MIB)];
        VerbResult result = snapshots().take(directory);
        assertThat(result.outcome()).isEqualTo(Outcome.NOT_NOW);
        assertThat(result.detail()).contains("exceeds " + 64 * MIB + " bytes");
        assertThat(files()).isEmpty();
    }

    @Test
    void deletesThePartsOfKilledCalls() throws IOException {
        Path left = directory.resolve(".etcd-63-1.0123.part");
        Path other = directory.resolve(".etcd-63-11.0123.part");
        Files.writeString(left, "half");
        Files.writeString(other, "of another member");
        snapshots().take(directory);
        assertThat(files()).hasSize(2).contains(other).doesNotContain(left);
    }

    @Test
    @DisplayName("Two calls for one member do not write at the same time")
    void writesOneSnapshotAtATime() throws Exception {
        CountDownLatch requested = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        etcd.handle(
                SNAPSHOT,
                exchange -> {
                    requested.countDown();
                    await(released);
                    send(exchange);
                });
        EtcdSnapshotTaker snapshots = snapshots();
        FutureTask<VerbResult> first = new FutureTask<>(() -> snapshots.take(directory));
        Thread.ofVirtual().start(first); // the common pool is the HTTP client's
        await(requested);
        VerbResult second = snapshots.take(directory);
        released.countDown();
        assertThat(second.outcome()).isEqualTo(Outcome.NOT_NOW);
        assertThat(first.get().outcome()).isEqualTo(Outcome.DONE);
        assertThat(snapshots.take(directory).outcome()).isEqualTo(Outcome.DONE);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aMissingDirectoryIsNeverWritten() {
        assertThat(snapshots().take(directory.resolve("missing")).outcome())
                .isEqualTo(Outcome.NEVER);
    }
}
