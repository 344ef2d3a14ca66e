package drover.opsagent.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** H11: programs that the agent starts do not inherit the files that the agent holds open. */
class NativeFileDescriptorTest {
    private static final int CLOSE_ON_EXEC = 02000000; // O_CLOEXEC

    @TempDir Path directory;

    @BeforeEach
    void create() throws IOException {
        Files.createDirectory(directory.resolve("etc"));
        Files.createFile(directory.resolve("file"));
    }

    /** The kernel closes these descriptors whenever a program is executed. */
    private static void assertClosedOnExec(NativeFileDescriptor handle) throws IOException {
        Path descriptor = handle.descriptorPath();
        Path info = Path.of("/proc/self/fdinfo").resolve(descriptor.getFileName());
        String flags =
                Files.readAllLines(info).stream()
                        .filter(line -> line.startsWith("flags:"))
                        .map(line -> line.substring("flags:".length()).strip())
                        .findFirst()
                        .orElseThrow();
        assertThat(Integer.parseInt(flags, 8) & CLOSE_ON_EXEC)
                .as("O_CLOEXEC in the flags of %s: %s", Files.readSymbolicLink(descriptor), flags)
                .isEqualTo(CLOSE_ON_EXEC);
    }

    @Test
    @DisplayName("H11: each descriptor of the agent is closed when a program is executed")
    void descriptorsAreNotInherited() throws IOException {
        try (NativeFileDescriptor top = NativeFileDescriptor.openDirectory(directory);
                NativeFileDescriptor etc = top.openSubdirectory(Path.of("etc"));
                NativeFileDescriptor file = top.openEntry(Path.of("file"));
                NativeFileDescriptor fresh = top.createFile(Path.of("fresh"))) {
            for (NativeFileDescriptor one : List.of(top, etc, file, fresh)) {
                assertClosedOnExec(one);
            }
        }
    }

    @Test
    @DisplayName("H11: a child process lists no descriptor of the agent's directories")
    void aChildProcessHasNoneOfThem() throws IOException, InterruptedException {
        try (NativeFileDescriptor top = NativeFileDescriptor.openDirectory(directory);
                NativeFileDescriptor etc = top.openSubdirectory(Path.of("etc"))) {
            Process child =
                    new ProcessBuilder("ls", "-l", "/proc/self/fd")
                            .redirectErrorStream(true)
                            .start();
            String listed =
                    new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(child.waitFor()).isZero();
            assertThat(Files.readSymbolicLink(etc.descriptorPath()))
                    .isEqualTo(directory.resolve("etc"));
            assertThat(listed).contains("/proc/").doesNotContain(directory.toString());
            assertThat(top.descriptorPath()).exists();
        }
    }
}
