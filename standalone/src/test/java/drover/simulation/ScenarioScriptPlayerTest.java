package drover.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import drover.kit.log.Logging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Stories of operator and fleet, each with its approved transcript beside it. What was received
 * instead is in {@code target/scenarios}: who approves it moves it beside the script.
 */
class ScenarioScriptPlayerTest {
    private static final Path SCRIPTS = Path.of("src/test/resources/scenarios");
    private static final Path RECEIVED = Path.of("target/scenarios");

    @BeforeAll
    static void whatGoesWrongOnPurposeIsNotLogged() {
        Logging.disable();
    }

    @AfterAll
    static void whatGoesWrongElsewhereIs() {
        Logging.startWarningsOnly();
    }

    static List<Path> scripts() throws IOException {
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            return files.filter(file -> file.toString().endsWith(".scenario")).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void printsTheApprovedStory(Path script) throws IOException {
        String name = String.valueOf(script.getFileName()).replace(".scenario", ".transcript");
        Path approved = SCRIPTS.resolve(name);

        String received = ScenarioScriptPlayer.play(Files.readString(script));

        Files.createDirectories(RECEIVED);
        Files.writeString(RECEIVED.resolve(name), received);
        assertThat(approved).as("approve %s", RECEIVED.resolve(name)).exists();
        assertThat(received).isEqualTo(Files.readString(approved));
    }
}
