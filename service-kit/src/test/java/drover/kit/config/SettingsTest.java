package drover.kit.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private static final List<SettingDefinition> KNOWN =
            List.of(
                    SettingDefinition.required("id", "NAME", "Its name."),
                    SettingDefinition.of("listen", "HOST:PORT", "Where it listens.", "127.0.0.1:1"),
                    SettingDefinition.of("agent-listen", "HOST:PORT", "Where agents dial.", ""),
                    SettingDefinition.of("postgres", "URL", "Its database.", "").asSecret());

    @TempDir Path directory;

    private static Settings read(Map<String, String> environment, String... arguments) {
        return Settings.read("gateway", KNOWN, arguments, environment);
    }

    private String file(String content) throws IOException {
        return Files.writeString(directory.resolve("gateway.yaml"), content).toString();
    }

    @Test
    void theCommandLineWinsThenTheEnvironmentThenTheFileThenTheDefault() throws IOException {
        String file = file("id: of-file\nlisten: of-file:1\nagent-listen: of-file:2\n");
        Map<String, String> environment =
                Map.of(
                        "DROVER_GATEWAY_CONFIG_FILE", file,
                        "DROVER_GATEWAY_LISTEN", "of-environment:1",
                        "DROVER_GATEWAY_ID", "of-environment");

        Settings settings = read(environment, "--id", "of-flag");

        assertThat(settings.get("id")).isEqualTo("of-flag");
        assertThat(settings.get("listen")).isEqualTo("of-environment:1");
        assertThat(settings.get("agent-listen")).isEqualTo("of-file:2");
        assertThat(settings.get("postgres")).isEmpty();
        assertThat(settings.isSet("postgres")).isFalse();
        assertThat(read(Map.of()).get("listen")).isEqualTo("127.0.0.1:1");
    }

    @Test
    void refusesAnUnknownFlagWithASuggestion() {
        assertThatThrownBy(() -> read(Map.of(), "--lisen", "x"))
                .hasMessage("'--lisen' is not understood. Is --listen meant?");
        assertThatThrownBy(() -> read(Map.of(), "something-else-altogether", "x"))
                .hasMessage(
                        "'something-else-altogether' is not understood. Known are: --id, --listen,"
                                + " --agent-listen, --postgres, --config-file.");
    }

    @Test
    void refusesAVariableThatIsNotKnown() {
        assertThatThrownBy(() -> read(Map.of("DROVER_GATEWAY_LISTN", "x")))
                .hasMessage(
                        "The variable DROVER_GATEWAY_LISTN is no setting of the gateway. Is"
                                + " DROVER_GATEWAY_LISTEN meant?");
        assertThat(read(Map.of("DROVER_COORDINATOR_LISTN", "x")).isSet("listen")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DROVER_GATEWAY_SERVICE_HOST",
                "DROVER_GATEWAY_SERVICE_PORT",
                "DROVER_GATEWAY_SERVICE_PORT_AGENTS",
                "DROVER_GATEWAY_PORT",
                "DROVER_GATEWAY_PORT_7443_TCP_ADDR"
            })
    void leavesWhatKubernetesSetsForAServiceOfItsName(String variable) {
        assertThat(read(Map.of(variable, "tcp://10.0.0.1:7443")).isSet("listen")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "lisen: a:1        | 'lisen' in FILE is no setting. Is listen meant?",
                "listen: [a, b]    | 'listen' in FILE needs one value behind it.",
                "listen:           | 'listen' in FILE needs one value behind it.",
                "- a               | FILE holds no settings: write one a line, as in 'listen: 127.0.0.1:7443'.",
                "#                 | FILE holds no settings: write one a line, as in 'listen: 127.0.0.1:7443'.",
                "config-file: more | 'config-file' in FILE is no setting. Known are: id, listen, agent-listen, postgres."
            })
    void refusesAFileThatItDoesNotUnderstand(String content, String sentence) throws IOException {
        String file = file(content);
        assertThatThrownBy(() -> read(Map.of(), "--config-file", file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(sentence.replace("FILE", file));
    }

    @Test
    void refusesAMissingFileAndDuplicateKeys() throws IOException {
        assertThatThrownBy(() -> read(Map.of(), "--config-file", "/nowhere/x.yaml"))
                .hasMessageContaining("/nowhere/x.yaml cannot be read");
        String twice = file("id: a\nid: b\n");
        assertThatThrownBy(() -> read(Map.of(), "--config-file", twice))
                .hasMessageContaining("is no YAML")
                .message()
                .doesNotContain("\n");
    }

    @Test
    void namesAnOptionWithoutAValue() {
        assertThatThrownBy(() -> read(Map.of(), "--listen")).hasMessage("--listen needs a value.");
        assertThatThrownBy(() -> read(Map.of()).get("id")).hasMessage("--id is missing.");
        assertThat(read(Map.of()).missingFlags()).containsExactly("--id");
    }

    @Test
    @DisplayName("H14: what was said and by whom is shown, but no password")
    void showsRequestsAndTheirActors() throws IOException {
        String file = file("agent-listen: 127.0.0.1:2\n");
        Settings settings =
                read(
                        Map.of("DROVER_GATEWAY_POSTGRES", "jdbc:canary"),
                        "--config-file",
                        file,
                        "--id",
                        "one");

        assertThat(settings.formatTable().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "SETTING VALUE FROM",
                        "id one --id",
                        "listen 127.0.0.1:1 default",
                        "agent-listen 127.0.0.1:2 " + file,
                        "postgres (hidden) DROVER_GATEWAY_POSTGRES",
                        "config-file " + file + " --config-file");
        assertThat(read(Map.of()).formatTable()).contains("(missing)").doesNotContain("canary");
    }

    @Test
    void explainsEverySetting() {
        assertThat(ServiceLauncher.usageText("gateway", KNOWN))
                .contains("DROVER_GATEWAY_...")
                .contains("--listen HOST:PORT")
                .contains("(needed)")
                .contains("Where agents dial.")
                .contains("--print-config");
    }

    @Test
    void failureHasItsInnermostReason() {
        Exception inner = new IllegalStateException("connection refused");
        assertThat(
                        ServiceLauncher.failureSentence(
                                new IllegalStateException("The database is away", inner)))
                .isEqualTo("The database is away: connection refused");
    }
}
