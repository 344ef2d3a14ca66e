package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code .ci/run} asks of Maven. */
class CiRunTest {
    @Test
    void theLongRunMakesImagesAndSoRunsTheComposedMesh() throws Exception {
        assertThat(asks(Map.of("CI_LONG", "1"))).isEqualTo("./mvnw -B verify -Plong,images");
        assertThat(asks(Map.of())).isEqualTo("./mvnw -B verify");
    }

    /** Its line that starts Maven, as the shell understands it. */
    private static String asks(Map<String, String> environment)
            throws IOException, InterruptedException {
        String maven =
                Files.readAllLines(Path.of("../.ci/run")).stream()
                        .filter(line -> line.startsWith("./mvnw "))
                        .reduce((first, second) -> second)
                        .orElseThrow()
                        .replace(" || result=$?", "");
        ProcessBuilder shell = new ProcessBuilder("bash", "-c", "echo " + maven);
        shell.environment().remove("CI_LONG");
        shell.environment().putAll(environment);
        Process process = shell.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return said.strip();
    }
}
