package drover.system.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code drover} in a checkout whose program prints its arguments. */
class LauncherTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String PROGRAM =
            """
            package drover.standalone.command;

            class Main {
                public static void main(String[] words) {
                    System.out.writeBytes(
                            String.join("|", words).getBytes(java.nio.charset.StandardCharsets.UTF_8));
                }
            }
            """;

    @TempDir Path folder;
    private Path home = Path.of(".");

    @BeforeEach
    void makeBuiltCheckout() throws Exception {
        home = Files.createDirectories(folder.resolve("checkout")).toRealPath();
        Files.createDirectories(home.resolve(".mvn"));
        Files.copy(ROOT.resolve("drover"), home.resolve("drover"));
        Files.copy(ROOT.resolve(".mvn/find-jdk.sh"), home.resolve(".mvn/find-jdk.sh"));
        Path built = Files.createDirectories(home.resolve("standalone/target"));
        Path source = Files.writeString(folder.resolve("Main.java"), PROGRAM);
        Path classes = folder.resolve("classes");
        assertThat(run(Map.of(), jdk("javac"), "-d", classes + "", source + "").code()).isZero();
        Path jar = built.resolve("standalone.jar");
        assertThat(run(Map.of(), jdk("jar"), "cf", jar + "", "-C", classes + "", ".").code())
                .isZero();
        Files.writeString(built.resolve("classpath"), jar.toString());
        Files.createDirectories(home.resolve("bench/target"));
        Files.copy(jar, home.resolve("bench/target/bench.jar"));
        Files.writeString(built.resolve("drover.stamp"), home.toString());
    }

    /** B18: history would keep "Pr??fung" from a cron job. */
    @ParameterizedTest
    @ValueSource(strings = {"C", "POSIX", "C.UTF-8", "xx_YY.UTF-8"})
    void passesTextOfEveryScriptOnInEveryLocale(String locale) throws Exception {
        Ended ended =
                run(
                        Map.of("LC_ALL", locale),
                        home.resolve("drover") + "",
                        "hold",
                        "Prüfung läuft – 東京");
        assertThat(ended).isEqualTo(new Ended(0, "hold|Prüfung läuft – 東京"));
    }

    /** N1: what another user has built belongs to that user. */
    @Test
    void namesTheDirectoryThatItCannotBuildIn() throws Exception {
        Files.delete(home.resolve("bench/target/bench.jar"));
        Files.delete(home.resolve("standalone/target/drover.stamp"));
        // The superuser may write to every directory, so the lock is made one that none can open.
        Files.createDirectory(home.resolve("standalone/target/.drover-build.lock"));
        Ended ended = run(Map.of(), home.resolve("drover") + "", "status");
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.output())
                .hasLineCount(1)
                .startsWith("drover: cannot build in " + home.resolve("standalone/target"))
                .contains("run ./drover once as that user, or use a clone of your own");
    }

    private record Ended(int code, String output) {}

    private static String jdk(String tool) {
        return Path.of(System.getProperty("java.home"), "bin", tool).toString();
    }

    private static Ended run(Map<String, String> environment, String... line)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(List.of(line)).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output.strip());
    }
}
