package drover.manifest.parse;

import static org.assertj.core.api.Assertions.assertThat;

import drover.manifest.document.FieldLocation;
import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ValidationProblem;
import drover.manifest.document.YamlNode;
import drover.manifest.source.YamlReader;
import drover.model.MigrationType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("H10 strict manifests")
class ManifestParserTest {
    static final String SHA = "sha256:" + "ab".repeat(32);
    static final String GOOD =
            """
            upgrade_id: v1.10
            chain_profile_id: celestia
            node_type: full
            binary_name: celestia-node
            target_version: 1.10
            target_url: https://releases.example.org/v1/celestia
            target_checksum: %s
            target_size: 1234
            state_compatibility:
              migration_type: breaking
              notes: "State format: changed"
            recovery_plan: Provision the node again.
            config_changes:
              - path: /etc/celestia/config.toml
                template: config.toml.tmpl
                overrides:
                  max_peers: 010
                  enabled: on
            artifacts:
              linux/arm64:
                url: https://releases.example.org/v1/arm64
                checksum: %s
                size: 99
            """
                    .formatted(SHA, "sha256:" + "cd".repeat(32));

    static ParseResult<Manifest> parse(String yaml) {
        byte[] bytes = yaml.getBytes(StandardCharsets.UTF_8);
        return switch (YamlReader.read(bytes, "f.yaml")) {
            case ParseResult.Valid<YamlNode>(YamlNode document) ->
                    ManifestParser.parse(
                            document,
                            new ExpectedIds("celestia", "v1.10"),
                            RawContentHash.of(bytes),
                            "f.yaml");
            case ParseResult.Invalid<YamlNode>(List<ValidationProblem> problems) ->
                    new ParseResult.Invalid<>(problems);
        };
    }

    /** F7: every field with a value that is not its default. */
    @Test
    @DisplayName("F7 every field is read, and text stays text")
    void readsEveryField() {
        ParseResult<Manifest> parsed = parse(GOOD);

        assertThat(parsed.problems()).isEmpty();
        Manifest manifest = ((ParseResult.Valid<Manifest>) parsed).value();
        assertThat(manifest.upgradeId().value()).isEqualTo("v1.10");
        assertThat(manifest.chain().value()).isEqualTo("celestia");
        assertThat(manifest.nodeType().value()).isEqualTo("full");
        assertThat(manifest.binary().value()).isEqualTo("celestia-node");
        assertThat(manifest.targetVersion().value()).isEqualTo("1.10");
        Artifact everywhere = manifest.defaultArtifact().orElseThrow();
        assertThat(everywhere.url()).isEqualTo("https://releases.example.org/v1/celestia");
        assertThat(everywhere.checksum().value()).isEqualTo(SHA);
        assertThat(everywhere.size()).isEqualTo(1234);
        assertThat(manifest.platformArtifacts()).containsOnlyKeys("linux/arm64");
        assertThat(manifest.platformArtifacts().values())
                .extracting(Artifact::size)
                .containsExactly(99L);
        assertThat(manifest.migration()).isEqualTo(MigrationType.BREAKING);
        assertThat(manifest.notes()).isEqualTo("State format: changed");
        assertThat(manifest.recoveryPlan()).isEqualTo("Provision the node again.");
        TemplatedConfigFile change = manifest.configChanges().getFirst();
        assertThat(change.path().value()).isEqualTo("/etc/celestia/config.toml");
        assertThat(change.template()).isEqualTo("config.toml.tmpl");
        assertThat(change.overrides()).isEqualTo(Map.of("max_peers", "010", "enabled", "on"));
        assertThat(manifest.contentHash())
                .isEqualTo(RawContentHash.of(GOOD.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void readsFailuresThatAreNoSurprise() {
        String declared =
                "expected_failures: { reasons: [DISK_FULL, START_FAILED], max_nodes: 5 }\n";

        Manifest manifest = ((ParseResult.Valid<Manifest>) parse(GOOD + declared)).value();

        assertThat(manifest.expectedFailures())
                .isEqualTo(new ExpectedFailures(List.of("DISK_FULL", "START_FAILED"), 5));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ reasons: [DISK_FULL] }          | expected_failures.max_nodes",
                "{ max_nodes: 5 }                    | expected_failures.reasons",
                "{ reasons: [full], max_nodes: 5 }   | expected_failures.reasons",
                "{ reasons: [X1], max_nodes: 0 }     | expected_failures.max_nodes",
                "{ reasons: [X1], max_nodes: 1, x: } | expected_failures.x"
            })
    void refusesExpectedFailuresWithoutReasonsOrCap(String written, String path) {
        ParseResult<Manifest> parsed = parse(GOOD + "expected_failures: " + written + "\n");

        assertThat(parsed.problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.location().path()).isEqualTo(path));
    }

    private static Arguments bad(
            String from, String to, String path, int line, int column, ProblemCode code) {
        return Arguments.of(from, to, path, line, column, code);
    }

    static Stream<Arguments> badManifests() {
        return Stream.of(
                bad("node_type: full", "node_typ: full", "node_typ", 3, 1, ProblemCode.UNKNOWN_KEY),
                bad("notes:", "note:", "state_compatibility.note", 11, 3, ProblemCode.UNKNOWN_KEY),
                bad(
                        "    overrides:",
                        "    override:",
                        "config_changes[0].override",
                        16,
                        5,
                        ProblemCode.UNKNOWN_KEY),
                bad(
                        "node_type: full",
                        "upgrade_id: v1.10",
                        "upgrade_id",
                        3,
                        1,
                        ProblemCode.DUPLICATE_KEY),
                bad("node_type: full\n", "", "node_type", 1, 1, ProblemCode.MISSING_FIELD),
                bad("node_type: full", "node_type:", "node_type", 3, 11, ProblemCode.BLANK_FIELD),
                bad(
                        "node_type: full",
                        "node_type: '  '",
                        "node_type",
                        3,
                        12,
                        ProblemCode.BLANK_FIELD),
                bad(
                        "node_type: full",
                        "node_type: Full Node",
                        "node_type",
                        3,
                        12,
                        ProblemCode.MALFORMED_NAME),
                bad(
                        "node_type: full",
                        "node_type: [full]",
                        "node_type",
                        3,
                        12,
                        ProblemCode.WRONG_TYPE),
                bad(
                        "target_version: 1.10",
                        "target_version: {a: b}",
                        "target_version",
                        5,
                        17,
                        ProblemCode.WRONG_TYPE),
                bad(
                        "target_version: 1.10",
                        "target_version: !!float 1.10",
                        "target_version",
                        5,
                        17,
                        ProblemCode.TAG_NOT_ALLOWED),
                bad(
                        "binary_name: celestia-node",
                        "binary_name: ../x",
                        "binary_name",
                        4,
                        14,
                        ProblemCode.MALFORMED_NAME),
                bad(
                        "upgrade_id: v1.10",
                        "upgrade_id: v1.1",
                        "upgrade_id",
                        1,
                        13,
                        ProblemCode.PLACE_MISMATCH),
                bad(
                        "chain_profile_id: celestia",
                        "chain_profile_id: other",
                        "chain_profile_id",
                        2,
                        19,
                        ProblemCode.PLACE_MISMATCH),
                bad(
                        "https://releases.example.org/v1/celestia",
                        "ftp://x/y",
                        "target_url",
                        6,
                        13,
                        ProblemCode.MALFORMED_URL),
                bad(
                        "https://releases.example.org/v1/celestia",
                        "https://user:pass@releases.example.org/v1/celestia",
                        "target_url",
                        6,
                        13,
                        ProblemCode.MALFORMED_URL),
                bad(
                        "https://releases.example.org/v1/celestia",
                        "https://releases.example.org/with space",
                        "target_url",
                        6,
                        13,
                        ProblemCode.MALFORMED_URL),
                bad(
                        "https://releases.example.org/v1/celestia",
                        "registry/x:latest",
                        "target_url",
                        6,
                        13,
                        ProblemCode.MALFORMED_URL),
                bad(
                        "target_checksum: " + SHA,
                        "target_checksum: abc",
                        "target_checksum",
                        7,
                        18,
                        ProblemCode.CHECKSUM_NOT_SHA256),
                bad(
                        "target_checksum: " + SHA + "\n",
                        "",
                        "target_checksum",
                        1,
                        1,
                        ProblemCode.MISSING_FIELD),
                bad(
                        "target_size: 1234",
                        "target_size: 012",
                        "target_size",
                        8,
                        14,
                        ProblemCode.NOT_A_NUMBER),
                bad(
                        "target_size: 1234",
                        "target_size: -1",
                        "target_size",
                        8,
                        14,
                        ProblemCode.NOT_A_NUMBER),
                bad(
                        "migration_type: breaking",
                        "migration_type: Breaking",
                        "state_compatibility.migration_type",
                        10,
                        19,
                        ProblemCode.UNKNOWN_VALUE),
                bad(
                        "recovery_plan: Provision the node again.\n",
                        "",
                        "recovery_plan",
                        1,
                        1,
                        ProblemCode.BREAKING_NEEDS_RECOVERY_PLAN),
                bad(
                        "path: /etc/celestia/config.toml",
                        "path: /etc/../shadow",
                        "config_changes[0].path",
                        14,
                        11,
                        ProblemCode.MALFORMED_NAME),
                bad(
                        "path: /etc/celestia/config.toml",
                        "path: etc/x",
                        "config_changes[0].path",
                        14,
                        11,
                        ProblemCode.MALFORMED_NAME),
                bad(
                        "template: config.toml.tmpl",
                        "template: ../../etc/passwd",
                        "config_changes[0].template",
                        15,
                        15,
                        ProblemCode.MALFORMED_NAME),
                bad(
                        "      max_peers: 010",
                        "      max-peers: 010",
                        "config_changes[0].overrides.max-peers",
                        17,
                        7,
                        ProblemCode.MALFORMED_NAME),
                bad(
                        "      max_peers: 010",
                        "      node_id: 010",
                        "config_changes[0].overrides.node_id",
                        17,
                        7,
                        ProblemCode.RESERVED_NAME),
                bad(
                        "      max_peers: 010",
                        "      max_peers: [1]",
                        "config_changes[0].overrides.max_peers",
                        17,
                        18,
                        ProblemCode.WRONG_TYPE),
                bad(
                        "  linux/arm64:",
                        "  Linux:",
                        "artifacts.Linux",
                        20,
                        3,
                        ProblemCode.MALFORMED_NAME),
                bad(
                        "    size: 99",
                        "    size: many",
                        "artifacts.linux/arm64.size",
                        23,
                        11,
                        ProblemCode.NOT_A_NUMBER),
                bad(
                        "node_type: full",
                        "node_type: &a full",
                        "node_type",
                        3,
                        12,
                        ProblemCode.ALIAS_NOT_ALLOWED),
                bad(
                        "node_type: full",
                        "node_type: *a",
                        "node_type",
                        3,
                        12,
                        ProblemCode.ALIAS_NOT_ALLOWED),
                bad("node_type: full", "node_type: \"full", "", 11, 11, ProblemCode.YAML_SYNTAX),
                bad("node_type: full", "<<: {a: b}", "<<", 3, 1, ProblemCode.UNKNOWN_KEY),
                bad("node_type: full", "---\nnode_type: full", "", 3, 1, ProblemCode.YAML_SYNTAX),
                bad("node_type: full", "\tnode_type: full", "", 3, 1, ProblemCode.YAML_SYNTAX));
    }

    @Test
    void refusesControlCharactersAndHalfCharacters() {
        List<String> values = List.of("\\0", "\\x1b", "\\ud83d");

        assertThat(values)
                .allSatisfy(
                        value ->
                                assertThat(
                                                parse(
                                                                GOOD.replace(
                                                                        "max_peers: 010",
                                                                        "max_peers: \"a"
                                                                                + value
                                                                                + "\""))
                                                        .problems())
                                        .isNotEmpty());
    }

    @ParameterizedTest
    @MethodSource("badManifests")
    void reportsEachProblemWithItsPlaceAndCode(
            String from, String to, String path, int line, int column, ProblemCode code) {
        assertThat(GOOD).contains(from);

        List<ValidationProblem> problems = parse(GOOD.replace(from, to)).problems();

        assertThat(problems)
                .extracting(ValidationProblem::location, ValidationProblem::code)
                .contains(
                        org.assertj.core.groups.Tuple.tuple(
                                new FieldLocation(path, line, column), code));
        assertThat(problems).allSatisfy(p -> assertThat(p.message()).endsWith("."));
    }

    @Test
    void reportsAllProblemsAtOnce() {
        List<ValidationProblem> problems =
                parse("upgrade_id: v1.10\nfoo: 1\nbar: 2\ntarget_checksum: x\n").problems();

        assertThat(problems)
                .extracting(ValidationProblem::code)
                .containsExactlyInAnyOrder(
                        ProblemCode.MISSING_FIELD,
                        ProblemCode.MISSING_FIELD,
                        ProblemCode.MISSING_FIELD,
                        ProblemCode.MISSING_FIELD,
                        ProblemCode.MISSING_FIELD,
                        ProblemCode.CHECKSUM_NOT_SHA256,
                        ProblemCode.UNKNOWN_KEY,
                        ProblemCode.UNKNOWN_KEY);
    }

    @Test
    void takesArtifactsPerPlatformAlone() {
        String yaml = GOOD.replaceAll("(?m)^target_(url|checksum|size):.*\n", "");

        assertThat(parse(yaml).problems()).isEmpty();
    }
}
