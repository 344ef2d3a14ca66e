package drover.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What buf says of the contracts; skipped, saying so, where buf is not on the path. */
final class BufTest {
    private static final int MINUTES = 2; // seconds are usual; its first start is slow

    private static final String MISSING =
            "buf is not on the path, so lint and breaking changes are not checked here;"
                    + " .ci/run installs it";

    private String buf = "";

    @BeforeEach
    void findBuf() {
        Optional<Path> found =
                Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .map(directory -> Path.of(directory, "buf"))
                        .filter(Files::isExecutable)
                        .findFirst();
        if (found.isEmpty()) {
            System.err.println(MISSING); // the report alone would not be aloud
        }
        assumeTrue(found.isPresent(), MISSING);
        buf = found.orElseThrow().toString();
    }

    @Test
    void lintFindsNothing() throws Exception {
        assertThat(run("lint", Contracts.PRESENT.toString())).isEmpty();
    }

    @Test
    void nothingBreaksWhatWasPublished() throws Exception {
        assertThat(
                        run(
                                "breaking",
                                Contracts.PRESENT.toString(),
                                "--against",
                                Contracts.BASELINE.toString()))
                .isEmpty();
    }

    /** What buf complains of, one line each. */
    private List<String> run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(buf));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--config", "buf.yaml", "--path", "drover"));
        Path output = Files.createTempFile("buf", ".txt");
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
            if (!ended) {
                process.destroyForcibly();
            }
            assertThat(ended).as("buf ended within %d minutes", MINUTES).isTrue();
            List<String> lines =
                    new ArrayList<>(Files.readAllLines(output, StandardCharsets.UTF_8));
            if (process.exitValue() != 0 && lines.isEmpty()) {
                lines.add("buf ended with " + process.exitValue());
            }
            return lines;
        } finally {
            Files.delete(output);
        }
    }
}
