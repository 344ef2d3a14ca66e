package drover.system.compose;

import static org.assertj.core.api.Assertions.assertThat;

import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code deploy/compose/make-certificates} as it is, below a directory of the test's own and with a
 * `drover` that makes authorities of one line.
 */
@Timeout(600)
class MakeCertificatesTest {
    private static final String DROVER =
            """
            #!/bin/bash
            [ "$2 $3" != "authority create" ] || { mkdir -p "$4" && echo "of $4" > "$4/authority.pem"; }
            """;

    @TempDir Path place;

    private Path trust;

    @BeforeEach
    void layOut() throws IOException {
        trust = Files.createDirectories(place.resolve("drover/trust"));
        Path bin = Files.createDirectory(place.resolve("bin"));
        executable(bin.resolve("java"), DROVER);
        executable(
                bin.resolve("sync"),
                "#!/bin/bash\ncat '%s'/services.pem >> '%s' 2>&1\n"
                        .formatted(trust, place.resolve("synced")));
    }

    private static void executable(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private void run() throws IOException, InterruptedException {
        String script =
                Files.readString(Path.of("../deploy/compose/make-certificates"))
                        .replace("/var/lib/drover", place.resolve("drover").toString());
        ProcessBuilder bash =
                new ProcessBuilder("bash", "-c", script)
                        .redirectErrorStream(true)
                        .redirectOutput(place.resolve("said").toFile());
        bash.environment().merge("PATH", place.resolve("bin") + ":", (old, own) -> own + old);
        bash.environment().put("DROVER_TRUST_DOMAIN", "mesh.test");
        Process process = bash.start();
        assertThat(process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(place.resolve("said"))).isZero();
    }

    private Object services() throws IOException {
        return Files.getAttribute(trust.resolve("services.pem"), "unix:ino");
    }

    @Test
    @DisplayName("D-105: what services believe is replaced as a whole, once it is on the disk")
    void whatIsTrustedIsReplacedAsAWhole() throws Exception {
        Files.writeString(trust.resolve("services.pem"), "before");
        Files.createLink(place.resolve("open"), trust.resolve("services.pem")); // for who reads it

        run();
        assertThat(trust.resolve("services.pem")).hasContent("of authority");
        assertThat(trust.resolve("stores.pem")).hasContent("of stores-authority");
        assertThat(place.resolve("open")).as("a reader sees no half").hasContent("before");
        assertThat(Files.readString(place.resolve("synced"))).startsWith("before");
        assertThat(trust.toFile().list()).containsOnly("services.pem", "stores.pem");

        Object made = services();
        run();
        assertThat(services()).as("the same each time").isEqualTo(made);
    }
}
