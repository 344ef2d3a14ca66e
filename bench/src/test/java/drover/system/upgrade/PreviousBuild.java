package drover.system.upgrade;

import drover.bench.deployment.Build;
import drover.bench.deployment.LoggedMain;
import drover.opsagent.main.OpsAgentMain;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** The earlier build that {@code .ci/previous} made of this repository's own history. */
final class PreviousBuild {
    private static final String SCRIPT = ".ci/previous"; // which commit it is stands there alone

    /** Names of main classes in that commit, where they differ from today's. */
    private static final Map<String, String> RENAMED =
            Map.of(
                    LoggedMain.class.getName(), "drover.bench.mesh.LoggedMain",
                    OpsAgentMain.class.getName(), "drover.opsagent.OpsAgentMain");

    private PreviousBuild() {}

    /** Empty where nobody has made it. */
    static Optional<Build> find() throws IOException {
        Process requested =
                new ProcessBuilder(SCRIPT, "--print").directory(repository().toFile()).start();
        String answer =
                new String(requested.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                        .strip();
        Path build = Path.of(answer);
        Path libraries = build.resolve("lib");
        return Files.isDirectory(libraries)
                ? Optional.of(Build.of(build.getFileName().toString(), libraries, RENAMED))
                : Optional.empty();
    }

    /** Skips the test, aloud, where nobody has made it. */
    static Build required(String test) throws IOException {
        Optional<Build> previous = find();
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
