package drover.system.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import drover.localenv.Await;
import drover.system.fixture.DroverProcess;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The data directory has a space and non-ASCII letters, and the user's locale has its own digits
 * (ar-EG): everything that a program or a shell reads is as everywhere else.
 */
class ForeignLocaleIT {
    private static final Map<String, String> EGYPT =
            Map.of("JAVA_TOOL_OPTIONS", "-Duser.language=ar -Duser.country=EG");
    private static final Pattern METRICS = Pattern.compile("metrics (http://\\S+)");
    private static final String METRIC_LINE =
            "#.*|[a-zA-Z_:][a-zA-Z0-9_:]*(\\{.*\\})? [-+]?[0-9][0-9.eE+-]*|\\S+ (NaN|[+]Inf)";

    @TempDir Path folder;

    @BeforeEach
    void needsEveryPart() {
        FullBuildAssumption.requireEverything();
    }

    @Test
    @Timeout(300)
    void programsReadTheNumbersAndShellsReadTheCommands() throws Exception {
        Path data = folder.resolve("josé’s flotte 東京");
        try (DroverProcess up =
                DroverProcess.start(
                        folder,
                        EGYPT,
                        "up",
                        "--data=" + data,
                        "--nodes=2",
                        "--http-port=0",
                        "--grpc-port=0",
                        "--agent-port=0",
                        "--metrics-port=0")) {
            assertThat(Await.until(Waits.LIMIT, () -> !up.isAlive() || isUp(up)))
                    .as(up.output())
                    .isTrue();
            String output = up.output();
            assertThat(output).contains("Drover is up with 2 nodes.", "--key-file '" + data + "'");
            assertThat(output.codePoints().filter(Character::isDigit)).allMatch(it -> it < 128);
            assertThat(metrics(output).lines()).allMatch(line -> line.matches(METRIC_LINE));
            assertThat(up.terminated().exitCode()).isNotNegative();
        }
        assertThat(Files.isDirectory(data)).isTrue();
    }

    private static boolean isUp(DroverProcess up) {
        try {
            return up.output().contains("Ctrl-C");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String metrics(String output) throws Exception {
        Matcher address = METRICS.matcher(output);
        assertThat(address.find()).as(output).isTrue();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(address.group(1))).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
