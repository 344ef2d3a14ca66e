package drover.opsagent.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check of an ordinary user's agent, compared with a rename. */
class FileReplaceabilityCheckIT {
    private static final String SETPRIV = "/usr/bin/setpriv";
    private static final String AGENT = "65534";
    private static final int OWNER = 2;

    @TempDir Path folder;

    @ParameterizedTest(name = "capabilities {0}")
    @DisplayName("Another user's file in a sticky directory can be replaced with CAP_FOWNER only")
    @CsvSource({
        "'+dac_read_search', sticky, Operation not permitted",
        "'+dac_read_search,+fowner', replaceable, renamed"
    })
    void agreesWithTheRename(String capabilities, String check, String rename) throws Exception {
        assumeTrue(
                System.getProperty("user.name").equals("root")
                        && Files.isExecutable(Path.of(SETPRIV)),
                "Only root can start a process of another user, by setpriv");
        Path directory = Files.createDirectory(folder.resolve("sticky"));
        Path file = Files.writeString(directory.resolve("file"), "old");
        Files.setAttribute(file, "unix:uid", OWNER);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setAttribute(directory, "unix:mode", 01777);

        assertThat(run(capabilities, file)).contains("check: " + check, "rename: " + rename);
    }

    @Test
    void namesAnImmutableDirectory() throws Exception {
        Path directory = Files.createDirectory(folder.resolve("immutable"));
        assumeTrue(chattr("+i", directory), "This file system or user has no immutable files");
        try {
            assertThatThrownBy(
                            () ->
                                    FileReplaceabilityCheck.requireReplaceable(
                                            directory.resolve("new")))
                    .hasMessageContaining("the directory " + directory + " is immutable")
                    .hasMessageContaining("lsattr -d");
        } finally {
            chattr("-i", directory);
        }
    }

    private static boolean chattr(String change, Path directory) throws Exception {
        Path tool = Path.of("/usr/bin/chattr");
        return Files.isExecutable(tool)
                && new ProcessBuilder(tool.toString(), change, directory.toString())
                                .start()
                                .waitFor()
                        == 0;
    }

    private static String run(String capabilities, Path file) throws IOException {
        Process process =
                new ProcessBuilder(
                                SETPRIV,
                                "--reuid=" + AGENT,
                                "--regid=" + AGENT,
                                "--clear-groups",
                                "--inh-caps=-all," + capabilities,
                                "--ambient-caps=" + capabilities,
                                System.getProperty("java.home") + "/bin/java",
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Agent.class.getName(),
                                file.toString())
                        .redirectErrorStream(true)
                        .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** Process that prints what the check and a rename report of the file that it is given. */
    static final class Agent {
        private Agent() {}

        public static void main(String[] arguments) throws IOException {
            Path file = Path.of(arguments[0]);
            System.out.println("check: " + check(file));
            System.out.println("rename: " + rename(file));
        }

        private static String check(Path file) {
            try {
                FileReplaceabilityCheck.requireReplaceable(file);
                return "replaceable";
            } catch (IOException e) {
                return String.valueOf(e.getMessage()).contains("sticky") ? "sticky" : e.toString();
            }
        }

        private static String rename(Path file) throws IOException {
            Path fresh = Files.writeString(file.resolveSibling("new"), "new");
            try {
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
                return "renamed";
            } catch (IOException e) {
                return e.toString().replaceAll(".*: ", "");
            }
        }
    }
}
