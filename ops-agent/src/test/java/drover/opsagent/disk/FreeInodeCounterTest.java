package drover.opsagent.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real file system that takes few files. */
class FreeInodeCounterTest {
    private static final int INODES = 20;

    @TempDir Path directory;
    private final LocalDisk disk = new LocalDisk();

    @BeforeEach
    void mount() throws IOException, InterruptedException {
        int failed =
                run("mount", "-t", "tmpfs", "-o", "nr_inodes=" + INODES, "t", directory.toString());
        assumeTrue(failed == 0, "This user may not mount a file system");
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        run("umount", directory.toString());
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    @Test
    void countsFreeInodes() throws IOException {
        long free = disk.freeFiles(directory.resolve("not/there"));
        assertThat(free).isLessThan(INODES).isPositive();
        Files.write(directory.resolve("one"), new byte[1]);
        assertThat(disk.freeFiles(directory)).isEqualTo(free - 1);
    }

    @Test
    @DisplayName("B29: a replacement is tried, and fails with the reason of the system")
    void triesAReplacementWithoutAFreeInode() throws IOException {
        Path target = Files.write(directory.resolve("target"), new byte[1]);
        for (long left = disk.freeFiles(directory); left > 0; left--) {
            Files.write(directory.resolve("file-" + left), new byte[1]);
        }
        DurableFiles files = new DurableFiles(disk, new Random(1));
        assertThatThrownBy(() -> files.tryReplacement(target, FileAttributes.CONFIG, 1))
                .isInstanceOfSatisfying(
                        DiskFailure.class, failure -> assertThat(failure.isFull()).isTrue())
                .hasMessage("Cannot create " + target + ": No space left on device");
    }
}
