package drover.opsagent.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.Digest;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** E2: the digest is verified on the bytes that were written, not on the bytes that were staged. */
class DurableFilesTest {
    private static final Path STAGED = Path.of("/state/staging/artifact");
    private static final Path TARGET = Path.of("/node/bin/app");
    private static final byte[] OLD = bytes("old program");
    private static final byte[] NEW = bytes("new program");
    private static final byte[] OTHER = bytes("something else");

    private final SimulatedDisk disk = new SimulatedDisk();

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns other bytes for one of the times that the staged file is read. */
    private static final class ChangingDisk extends ForwardingDisk {
        private final int wrongRead;
        private int reads;

        ChangingDisk(Disk disk, int wrongRead) {
            super(disk);
            this.wrongRead = wrongRead;
        }

        @Override
        public InputStream read(Path file) {
            boolean wrong = file.equals(STAGED) && ++reads == wrongRead;
            return wrong ? new ByteArrayInputStream(OTHER) : super.read(file);
        }
    }

    private void failsToReplaceAndLeavesNothing(long bytes, String reason) {
        DurableFiles files = new DurableFiles(disk, new Random(1));
        assertThatThrownBy(() -> files.tryReplacement(TARGET, FileAttributes.PROGRAM, bytes))
                .isInstanceOf(DiskFailure.class)
                .hasMessageContaining(reason);
        assertThat(disk.list(Path.of("/node/bin"))).containsExactly(TARGET);
    }

    @Test
    @DisplayName("B29: a quota is found, although the file system has room")
    void findsThatTheQuotaIsTooSmall() {
        disk.putDurableFile(TARGET, OLD, FileAttributes.PROGRAM);
        disk.limitQuota(1_000);
        failsToReplaceAndLeavesNothing(2_000, "quota");
    }

    @Test
    @DisplayName("B29: an immutable file is found, although its directory takes new files")
    void findsThatTheFileIsImmutable() {
        disk.putDurableFile(TARGET, OLD, FileAttributes.PROGRAM);
        disk.makeImmutable(TARGET);
        failsToReplaceAndLeavesNothing(1, "immutable");
    }

    @Test
    @DisplayName("A rename that fails leaves no temporary file")
    void deletesTheTemporaryFileIfTheRenameFails() {
        disk.putDurableFile(TARGET, OLD, FileAttributes.PROGRAM);
        disk.makeImmutable(TARGET);
        DurableFiles files = new DurableFiles(disk, new Random(1));
        assertThatThrownBy(() -> files.replace(TARGET, NEW, FileAttributes.PROGRAM))
                .isInstanceOf(DiskFailure.class);
        assertThat(disk.list(Path.of("/node/bin"))).containsExactly(TARGET);
    }

    @ParameterizedTest(name = "read {0} of the staged file returns other bytes")
    @DisplayName("E2: if the staged file changes between two reads, the target is old or verified")
    @ValueSource(ints = {1, 2, 3})
    void neverInstallsUnverifiedBytes(int wrongRead) {
        disk.putDurableFile(STAGED, NEW, FileAttributes.PRIVATE);
        disk.putDurableFile(TARGET, OLD, FileAttributes.PROGRAM);
        DurableFiles files = new DurableFiles(new ChangingDisk(disk, wrongRead), new Random(1));
        boolean installed = true;
        try {
            files.copy(STAGED, TARGET, Digest.of(NEW), FileAttributes.PROGRAM);
        } catch (DigestMismatch _) {
            installed = false;
        }
        assertThat(disk.readAll(TARGET)).isEqualTo(installed ? NEW : OLD);
        assertThat(disk.list(Objects.requireNonNull(TARGET.getParent())))
                .as("no leftover")
                .containsExactly(TARGET);
    }

    @Test
    @DisplayName("E2: bytes that the disk changes while it writes them are not installed")
    void verifiesWhatTheDiskWrote() {
        disk.putDurableFile(STAGED, NEW, FileAttributes.PRIVATE);
        disk.putDurableFile(TARGET, OLD, FileAttributes.PROGRAM);
        Disk damaging =
                new ForwardingDisk(disk) {
                    @Override
                    public DiskFileWriter createExclusive(Path file) {
                        return new DamagingFile(super.createExclusive(file));
                    }
                };
        boolean installed = true;
        try {
            new DurableFiles(damaging, new Random(1))
                    .copy(STAGED, TARGET, Digest.of(NEW), FileAttributes.PROGRAM);
        } catch (DigestMismatch _) {
            installed = false;
        }
        assertThat(installed).isFalse();
        assertThat(disk.readAll(TARGET)).isEqualTo(OLD);
    }

    /** Flips a bit of everything that is written. */
    private record DamagingFile(Disk.DiskFileWriter file) implements Disk.DiskFileWriter {
        @Override
        public void write(byte[] bytes, int offset, int length) {
            byte[] damaged = bytes.clone();
            damaged[offset] ^= 1;
            file.write(damaged, offset, length);
        }

        @Override
        public void reserve(long bytes) {
            file.reserve(bytes);
        }

        @Override
        public void truncate() {
            file.truncate();
        }

        @Override
        public void setAttributes(FileAttributes attributes) {
            file.setAttributes(attributes);
        }

        @Override
        public void sync() {
            file.sync();
        }

        @Override
        public void close() {
            file.close();
        }
    }

    @Test
    @DisplayName("An agent deletes its own temporary files, not those of another agent")
    void deletesOnlyItsOwnTemporaryFilesInASharedDirectory() {
        SimulatedDisk disk = new SimulatedDisk();
        Path shared = Path.of("/srv");
        DurableFiles one = new DurableFiles(disk, new Random(1)).ownedBy(Path.of("/var/lib/one"));
        DurableFiles other = new DurableFiles(disk, new Random(2)).ownedBy(Path.of("/var/lib/two"));
        one.createDirectories(shared);
        interruptTrial(disk, one, shared);
        Path ofOne = disk.list(shared).getFirst();
        interruptTrial(disk, other, shared);

        other.deleteTrialDirectoriesAbove(shared.resolve("app"));
        other.deleteOwnTemporaryFiles(shared);
        assertThat(disk.list(shared)).containsExactly(ofOne);

        one.deleteTrialDirectoriesAbove(shared.resolve("app"));
        assertThat(disk.list(shared)).isEmpty();
    }

    /** Leaves the directory of a trial, as an agent that is killed in it. */
    private static void interruptTrial(SimulatedDisk disk, DurableFiles files, Path shared) {
        int before = disk.list(shared).size();
        disk.setWriteHook(
                () -> {
                    if (disk.list(shared).size() > before) {
                        throw new AgentKilled();
                    }
                });
        assertThatThrownBy(
                        () ->
                                files.tryReplacement(
                                        shared.resolve("app/app.toml"), FileAttributes.CONFIG, 1))
                .isInstanceOf(AgentKilled.class);
        disk.setWriteHook(() -> {});
        assertThat(disk.list(shared)).hasSize(before + 1);
    }

    private static final class AgentKilled extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
