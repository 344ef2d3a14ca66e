package drover.standalone.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.localenv.UserFacingError;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodesFileReaderTest {
    private static final String CHECKSUM = "sha256:" + "a".repeat(64);

    private static final String GOOD =
            """
            nodes:
              - name: edge-1
                chain: harbour
                type: edge
                labels: { var.port: "{port}", zone: on }
                programs:
                  - name: greeter
                    version: 1.10
                    url: file:///srv/greeter-1.10
                    checksum: %s
            """
                    .formatted(CHECKSUM);

    @Test
    void readsANodeAndKeepsTextsAsTheyAreH10() {
        List<PlannedNode> nodes = NodesFileReader.parse("nodes.yaml", GOOD);
        assertThat(nodes).hasSize(1);
        assertThat(nodes.getFirst().labels()).isEqualTo(Map.of("var.port", "{port}", "zone", "on"));
        assertThat(nodes.getFirst().programs().getFirst().version().value()).isEqualTo("1.10");
    }

    @Test
    void leavesAnAgentToTheOperatorOnlyByOption() {
        String external = GOOD.replace("    type: edge", "    type: edge\n    agent: external");
        assertThat(NodesFileReader.parse("nodes.yaml", GOOD).getFirst().externalAgent()).isFalse();
        assertThat(NodesFileReader.parse("nodes.yaml", external).getFirst().externalAgent())
                .isTrue();
        assertThatThrownBy(
                        () ->
                                NodesFileReader.parse(
                                        "nodes.yaml", external.replace("external", "elsewhere")))
                .hasMessageContaining("nodes.yaml:5: nodes[0].agent: 'elsewhere' is not known");
    }

    @Test
    void reportsEveryProblemAtOnceWithItsLine() {
        String text =
                GOOD.replace("edge-1", "Edge_1")
                        .replace("type: edge", "typ: edge")
                        .replace("file:///", "ftp://")
                        .replace(CHECKSUM, "abc");
        assertThatThrownBy(() -> NodesFileReader.parse("nodes.yaml", text))
                .isInstanceOf(UserFacingError.class)
                .hasMessageContaining("nodes.yaml:2: nodes[0].name:")
                .hasMessageContaining("nodes.yaml:4: nodes[0]: 'typ' is not known here")
                .hasMessageContaining("'type' is missing")
                .hasMessageContaining("nodes.yaml:9: nodes[0].programs[0].url:")
                .hasMessageContaining("nodes.yaml:10: nodes[0].programs[0].checksum:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32"})
    @DisplayName("A file in another encoding is refused in one sentence that names UTF-8")
    void refusesAnotherEncoding(String encoding, @TempDir Path folder) throws IOException {
        Path file = folder.resolve("nodes.yaml");
        Files.write(file, GOOD.getBytes(Charset.forName(encoding)));

        assertThatThrownBy(() -> NodesFileReader.read(file))
                .isInstanceOf(UserFacingError.class)
                .hasMessage(file + " is not UTF-8 text; save it as such.");
    }

    @Test
    void refusesAnAddressThatNoAgentDownloadsFrom() {
        for (String url : List.of("http://u:p@h/x", "http://h/with space", "file:relative")) {
            assertThatThrownBy(
                            () ->
                                    NodesFileReader.parse(
                                            "nodes.yaml",
                                            GOOD.replace("file:///srv/greeter-1.10", url)))
                    .hasMessageContaining("nodes.yaml:9: nodes[0].programs[0].url: The address")
                    .hasMessageNotContaining("u:p");
        }
    }

    @Test
    void refusesANameThatIsThereTwice() {
        String text = GOOD + GOOD.substring(GOOD.indexOf('\n') + 1);
        assertThatThrownBy(() -> NodesFileReader.parse("nodes.yaml", text))
                .hasMessageContaining("'edge-1' is there twice");
    }

    @Test
    void refusesADuplicateKey() {
        String text = GOOD.replace("    type: edge\n", "    type: edge\n    type: core\n");
        assertThatThrownBy(() -> NodesFileReader.parse("nodes.yaml", text))
                .hasMessageContaining("nodes.yaml:5: nodes[0]: 'type' is there twice");
    }

    @Test
    void refusesWhatIsNoYamlWithItsLine() {
        assertThatThrownBy(() -> NodesFileReader.parse("nodes.yaml", "nodes:\n  - {name: a\n"))
                .isInstanceOf(UserFacingError.class)
                .hasMessageContaining("this is no YAML");
    }

    @Test
    void refusesAnEmptyFile() {
        assertThatThrownBy(() -> NodesFileReader.parse("nodes.yaml", ""))
                .hasMessageContaining("empty");
        assertThatThrownBy(() -> NodesFileReader.parse("nodes.yaml", "nodes: []\n"))
                .hasMessageContaining("at least one node");
    }

    @Test
    void refusesAnAliasBombAtOnceH9() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x]\n");
        for (int i = 1; i < 30; i++) {
            bomb.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
        }
        assertThatThrownBy(() -> NodesFileReader.parse("nodes.yaml", bomb.toString()))
                .isInstanceOf(UserFacingError.class);
    }
}
