package drover.opsagent.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A full disk and other errors, as this machine makes them, in this process and in a German one.
 */
class IOExceptionReasonsTest {
    private static final Path FULL = Path.of("/dev/full"); // takes no byte: there is no room
    private static final Path GERMAN = Path.of("/usr/share/locale/de/LC_MESSAGES/libc.mo");

    private static final String ENGLISH = "No space left on device: full";

    @TempDir Path directory;

    @Test
    void distinguishesAFullDiskFromAnotherError() {
        IOException full = fullDisk();
        assertThat(IOExceptionReasons.isFull(full)).isTrue();
    }

    @Test
    void distinguishesAnotherErrorFromAFullDisk() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> Files.createDirectory(file.resolve("below")))
                .isInstanceOfSatisfying(
                        IOException.class,
                        e -> assertThat(IOExceptionReasons.isFull(e)).as("%s", e).isFalse());
    }

    @Test
    void seesNothingBelowAFile() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThat(new LocalDisk().kind(file.resolve("below"))).isEqualTo(Disk.EntryKind.ABSENT);
    }

    @Test
    @DisplayName("D15: a full disk is told from another in whatever language it is said")
    void recognizesAFullDiskInGerman() throws Exception {
        assumeTrue(
                Files.exists(GERMAN),
                "The C library speaks no German here: install its translations to see it tried");
        Process german = german();
        List<String> lines = german.inputReader(StandardCharsets.UTF_8).lines().toList();
        assertThat(german.waitFor()).as("%s", lines).isZero();
        assumeFalse(
                lines.equals(List.of(ENGLISH)), // from glibc 2.39 on, in C.UTF-8
                "The C library does not speak German in the locale that is always there");
        assertThat(lines)
                .containsExactly("Auf dem Gerät ist kein Speicherplatz mehr verfügbar: full");
    }

    private static Process german() throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=ALL-UNNAMED",
                                "-Dstdout.encoding=UTF-8",
                                "-cp",
                                System.getProperty("java.class.path"),
                                GermanDisk.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(Map.of("LC_ALL", "C.UTF-8", "LANGUAGE", "de"));
        return builder.start();
    }

    /** Says what it takes a full disk for. */
    static final class GermanDisk {
        private GermanDisk() {}

        /** Needs no arguments. */
        public static void main(String[] arguments) throws IOException {
            IOException full = fullDisk();
            System.out.println(
                    full.getMessage() + ": " + (IOExceptionReasons.isFull(full) ? "full" : "odd"));
        }
    }

    private static IOException fullDisk() {
        try (FileChannel channel = FileChannel.open(FULL, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[1]));
        } catch (IOException e) {
            return e;
        }
        throw new IllegalStateException(FULL + " took a byte");
    }
}
