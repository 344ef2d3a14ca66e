package drover.system.upgrade;

import drover.bench.deployment.DroverBuild;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** The earlier build that {@code .ci/previous} made of this repository's own history. */
final class PreviousBuild {
    private static final String SCRIPT = ".ci/previous"; // which commit it is stands there alone

    private PreviousBuild() {}

    /** Empty where nobody has made it. */
    static Optional<DroverBuild> find() throws IOException {
        Process requested =
                new ProcessBuilder(SCRIPT, "--print").directory(repository().toFile()).start();
        String answer =
                new String(requested.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                        .strip();
        Path build = Path.of(answer);
        Path libraries = build.resolve("lib");
        return Files.isDirectory(libraries)
                ? Optional.of(DroverBuild.of(build.getFileName().toString(), libraries))
                : Optional.empty();
    }

    /** Skips the test, aloud, where nobody has made it. */
    static DroverBuild required(String test) throws IOException {
        Optional<DroverBuild> previous = find();
        if (previous.isEmpty()) {
            String why = "SKIPPED: no previous build of Drover is here; .ci/previous makes it.";
            System.out.println(test + ": " + why);
            Assumptions.abort(why);
        }
        System.out.println(test + ": from " + previous.orElseThrow().name());
        return previous.orElseThrow();
    }

    private static Path repository() {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.exists(here.resolve(SCRIPT))) { // ends at the root
            Path above = here.getParent();
            if (above == null) {
                throw new IllegalStateException("This test runs in Drover's repository.");
            }
            here = above;
        }
        return here;
    }
}
