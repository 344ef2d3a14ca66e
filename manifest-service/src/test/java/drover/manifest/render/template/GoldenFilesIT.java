package drover.manifest.render.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The committed goldens are what Go says today. */
class GoldenFilesIT {
    @TempDir Path temporary;

    @Test
    void goStillMakesTheCommittedGoldens() throws Exception {
        assumeTrue(goIsOnPath(), "Skipped: 'go' is not on PATH, so the goldens are not re-made");
        Path output = temporary.resolve("expected.json");
        ProcessBuilder builder =
                new ProcessBuilder(
                        "go",
                        "run",
                        "src/test/go/main.go",
                        "src/test/resources/goldens/cases.json");
        builder.environment().put("GOCACHE", temporary.resolve("cache").toString());
        builder.environment().put("GO111MODULE", "off");
        builder.redirectOutput(output.toFile()).redirectError(temporary.resolve("errors").toFile());
        Process go = builder.start();
        boolean ended = go.waitFor(3, TimeUnit.MINUTES);
        go.destroyForcibly();

        assertThat(ended).isTrue();
        assertThat(go.exitValue()).isZero();
        String made = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(GoldenCases.goldens(GoldenCases.json(made))).isEqualTo(GoldenCases.expected());
    }

    private static boolean goIsOnPath() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "go")));
    }
}
