package drover.manifest.parse;

import static org.assertj.core.api.Assertions.assertThat;

import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ValidationProblem;
import drover.manifest.document.YamlNode;
import drover.manifest.source.YamlReader;
import drover.model.ApplicationHealth;
import drover.model.ChainProfileId;
import drover.model.SyncStatus;
import drover.model.program.Probe;
import drover.model.program.ProgramDigestSource;
import drover.model.program.RuntimeName;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

public class ProfileParserTest {
    public static final String GOOD =
            """
            id: celestia
            runtime: { type: process }
            programs:
              - name: celestia-node
                path: /usr/local/bin/celestia
                service: celestia.service
                arguments: ["{path}", --port, "{{ .port }}"]
                environment: { HOME: "{root}/home", NODE: "{{ .node_id }}" }
                user: celestia
                identity: file
                stop: { signal: SIGINT, timeout: 30m }
                configs:
                  - path: /etc/celestia/config.toml
                    template: config.toml.tmpl
                    overrides: { max_peers: "40" }
                probes:
                  - { name: alive, kind: process, sets: { application_health: critical } }
                  - name: page
                    kind: http
                    interval: 1s
                    timeout: 500ms
                    grace: 1m
                    url: "http://127.0.0.1:{{ .port }}/health"
                    status: 204
                    json_pointer: /result/state
                    equals: "ok"
                    sets: { sync_status: stalled }
                  - name: door
                    kind: tcp
                    host: localhost
                    port: "{{ .port }}"
                    sets: { sync_status: syncing }
                  - name: tool
                    kind: exec
                    command: [/bin/check, "{{ .port }}"]
                    sets: { application_health: degraded }
            variables: { port: 26657, max_peers: "50" }
            health: { wait: 8s, crash_loop_restarts: 5 }
            standalone:
              name_prefix: node
              node_type: full
              labels: { var.port: "{port}", zone: "z{n}" }
              programs:
                - { name: celestia-node, version: v1, url: "file:/opt/celestia", checksum: %s }
            """
                    .formatted(ManifestParserTest.SHA);

    static ParseResult<Profile> parse(String yaml) {
        byte[] bytes = yaml.getBytes(StandardCharsets.UTF_8);
        return switch (YamlReader.read(bytes, "chains/celestia.yaml")) {
            case ParseResult.Valid<YamlNode>(YamlNode document) ->
                    ProfileParser.parse(
                            document,
                            new ChainProfileId("celestia"),
                            RawContentHash.of(bytes),
                            "chains/celestia.yaml");
            case ParseResult.Invalid<YamlNode>(List<ValidationProblem> problems) ->
                    new ParseResult.Invalid<>(problems);
        };
    }

    public static Profile good(String yaml) {
        ParseResult<Profile> parsed = parse(yaml);
        assertThat(parsed.problems()).isEmpty();
        return ((ParseResult.Valid<Profile>) parsed).value();
    }

    @Test
    void readsEveryField() {
        Profile profile = good(GOOD);

        assertThat(profile.runtime()).isEqualTo(RuntimeName.PROCESS);
        assertThat(profile.variables()).containsEntry("port", "26657");
        assertThat(profile.health())
                .isEqualTo(new Profile.HealthDefaults(Duration.ofSeconds(8), 5));
        ProgramTemplate program = profile.programs().getFirst();
        assertThat(program.service()).isEqualTo("celestia.service");
        assertThat(program.user()).isEqualTo("celestia");
        assertThat(program.identity()).isEqualTo(ProgramDigestSource.FILE);
        assertThat(program.arguments()).containsExactly("{path}", "--port", "{{ .port }}");
        assertThat(program.environment()).containsEntry("HOME", "{root}/home");
        assertThat(program.configs()).hasSize(1);
        assertThat(program.stop())
                .isEqualTo(
                        new StopSettings(
                                Optional.of(StopSignal.INT), Optional.of(Duration.ofMinutes(30))));
        assertThat(program.probes().get(1))
                .isEqualTo(
                        new ProbeTemplate(
                                "page",
                                Duration.ofSeconds(1),
                                Duration.ofMillis(500),
                                Duration.ofMinutes(1),
                                new ProbeTemplate.Check.Http(
                                        "http://127.0.0.1:{{ .port }}/health",
                                        204,
                                        "/result/state",
                                        "ok"),
                                new Probe.StatusWhileFailing.SyncStatusWhileFailing(
                                        SyncStatus.STALLED)));
        assertThat(program.probes().getFirst().sets())
                .isEqualTo(
                        new Probe.StatusWhileFailing.HealthWhileFailing(
                                ApplicationHealth.CRITICAL));
        StandaloneNodeTemplate standalone = profile.standalone().orElseThrow();
        assertThat(standalone.namePrefix()).isEqualTo("node");
        assertThat(standalone.labels()).containsEntry("var.port", "{port}");
        assertThat(standalone.programs().getFirst().version().value()).isEqualTo("v1");
    }

    private static Arguments bad(String from, String to, String path, ProblemCode code) {
        return Arguments.of(from, to, path, code);
    }

    static Stream<Arguments> badProfiles() {
        String probe = "programs[0].probes[1].";
        return Stream.of(
                bad("id: celestia\n", "id: other\n", "id", ProblemCode.PLACE_MISMATCH),
                bad("type: process", "type: Lxc_1", "runtime.type", ProblemCode.MALFORMED_NAME),
                bad("runtime: { type: process }\n", "", "runtime", ProblemCode.MISSING_FIELD),
                bad(
                        "runtime: { type: process }",
                        "runtime: process",
                        "runtime",
                        ProblemCode.WRONG_TYPE),
                bad("SIGINT", "SIGKILL", "programs[0].stop.signal", ProblemCode.UNKNOWN_VALUE),
                bad("SIGINT", "2", "programs[0].stop.signal", ProblemCode.UNKNOWN_VALUE),
                bad("30m }", "61m }", "programs[0].stop.timeout", ProblemCode.NOT_A_DURATION),
                bad("30m }", "999ms }", "programs[0].stop.timeout", ProblemCode.NOT_A_DURATION),
                bad("30m }", "30m, x: 1 }", "programs[0].stop.x", ProblemCode.UNKNOWN_KEY),
                bad(
                        "type: process",
                        "type: systemd",
                        "programs[0].stop.signal",
                        ProblemCode.FIELD_NOT_FOR_RUNTIME),
                bad(
                        "type: process",
                        "type: systemd",
                        "programs[0].arguments",
                        ProblemCode.FIELD_NOT_FOR_RUNTIME),
                bad(
                        "type: process",
                        "type: systemd",
                        "programs[0].environment",
                        ProblemCode.FIELD_NOT_FOR_RUNTIME),
                bad(
                        "type: process",
                        "type: systemd",
                        "programs[0].user",
                        ProblemCode.FIELD_NOT_FOR_RUNTIME),
                bad(
                        "[/bin/check,",
                        "[\"{root}/bin/check\",",
                        "programs[0].probes[3].command",
                        ProblemCode.PLACEHOLDER_NOT_REPLACED),
                bad(
                        "service: celestia.service",
                        "service: 'a; rm'",
                        "programs[0].service",
                        ProblemCode.MALFORMED_NAME),
                bad(
                        "path: /usr/local/bin/celestia",
                        "path: bin",
                        "programs[0].path",
                        ProblemCode.MALFORMED_NAME),
                bad(
                        "identity: file",
                        "identity: image",
                        "programs[0].identity",
                        ProblemCode.UNKNOWN_VALUE),
                bad(
                        "{ HOME:",
                        "{ 'A B':",
                        "programs[0].environment.A B",
                        ProblemCode.MALFORMED_NAME),
                bad(
                        "\"{{ .port }}\"]\n    env",
                        "\"{{ .port \"]\n    env",
                        "programs[0].arguments[2]",
                        ProblemCode.TEMPLATE_INVALID),
                bad("interval: 1s", "interval: 1", probe + "interval", ProblemCode.NOT_A_DURATION),
                bad(
                        "interval: 1s",
                        "interval: 1ms",
                        probe + "interval",
                        ProblemCode.NOT_A_DURATION),
                bad("kind: http", "kind: ping", probe + "kind", ProblemCode.UNKNOWN_VALUE),
                bad("kind: http", "kind: tcp", probe + "url", ProblemCode.UNKNOWN_KEY),
                bad(
                        "        url: \"http://127.0.0.1:{{ .port }}/health\"\n",
                        "",
                        probe + "url",
                        ProblemCode.MISSING_FIELD),
                bad("status: 204", "status: 20", probe + "status", ProblemCode.NOT_A_NUMBER),
                bad("        equals: \"ok\"\n", "", probe + "equals", ProblemCode.MISSING_FIELD),
                bad(
                        "sets: { sync_status: stalled }",
                        "sets: {}",
                        probe + "sets",
                        ProblemCode.MISSING_FIELD),
                bad(
                        "{ sync_status: stalled }",
                        "{ sync_status: synced }",
                        probe + "sets.sync_status",
                        ProblemCode.UNKNOWN_VALUE),
                bad("name: page", "name: alive", probe + "name", ProblemCode.DUPLICATE_NAME),
                bad(
                        "port: \"{{ .port }}\"",
                        "port: 70000",
                        "programs[0].probes[2].port",
                        ProblemCode.NOT_A_NUMBER),
                bad(
                        "        command: [/bin/check, \"{{ .port }}\"]\n",
                        "",
                        "programs[0].probes[3].command",
                        ProblemCode.MISSING_FIELD),
                bad(
                        "variables: { port",
                        "variables: { node_id",
                        "variables.node_id",
                        ProblemCode.RESERVED_NAME),
                bad("wait: 8s", "wait: 4999ms", "health.wait", ProblemCode.WAIT_TOO_SHORT),
                bad("interval: 1s", "interval: 9s", "health.wait", ProblemCode.WAIT_TOO_SHORT),
                bad(
                        "crash_loop_restarts: 5",
                        "crash_loop_restarts: 0",
                        "health.crash_loop_restarts",
                        ProblemCode.NOT_A_NUMBER),
                bad(
                        "- { name: celestia-node, version",
                        "- { name: other, version",
                        "standalone.programs[0].name",
                        ProblemCode.PROGRAM_NOT_FOUND),
                bad(
                        "url: \"file:/opt/celestia\"",
                        "url: celestia",
                        "standalone.programs[0].url",
                        ProblemCode.MALFORMED_URL),
                bad("health: {", "helth: {", "helth", ProblemCode.UNKNOWN_KEY));
    }

    @ParameterizedTest
    @MethodSource("badProfiles")
    void reportsEachProblem(String from, String to, String path, ProblemCode code) {
        assertThat(GOOD).contains(from);

        assertThat(parse(GOOD.replace(from, to)).problems())
                .filteredOn(problem -> problem.location().line() > 0)
                .extracting(problem -> problem.location().path(), ValidationProblem::code)
                .contains(org.assertj.core.groups.Tuple.tuple(path, code));
    }

    @Test
    void requiresTheNameOfAUnitOrContainer() {
        for (String runtime : List.of("systemd", "docker")) {
            String profile =
                    "runtime: { type: %s }\nprograms:\n  - { name: p, path: /bin/p }\n"
                            .formatted(runtime);
            assertThat(parse(profile).problems())
                    .extracting(ValidationProblem::code)
                    .containsExactly(ProblemCode.MISSING_FIELD);
        }
    }

    @Test
    void aUnitMayHaveAStopTimeout() {
        Profile profile =
                good(
                        "runtime: { type: systemd }\nprograms:\n"
                                + "  - { name: p, path: /bin/p, service: p.service,"
                                + " stop: { timeout: 90s } }\n");

        assertThat(profile.programs().getFirst().stop())
                .isEqualTo(new StopSettings(Optional.empty(), Optional.of(Duration.ofSeconds(90))));
    }

    @Test
    void theNameOfARuntimeIsOpen() {
        Profile profile =
                good("runtime: { type: plain }\nprograms:\n  - { name: p, path: /bin/p }\n");

        assertThat(profile.runtime()).isEqualTo(new RuntimeName("plain"));
        assertThat(ArtifactParser.incompatibility(profile.runtime(), "https://a.example/p"))
                .isEmpty();
        assertThat(
                        ArtifactParser.incompatibility(
                                profile.runtime(), "a.example/p@sha256:" + "0".repeat(64)))
                .isEmpty();
    }

    @Test
    void fillsInWhatIsLeftOut() {
        Profile profile =
                good("runtime: { type: process }\nprograms:\n  - { name: p, path: /bin/p }\n");

        assertThat(profile.health()).isEqualTo(Profile.HealthDefaults.DEFAULT);
        assertThat(profile.standalone()).isEmpty();
        assertThat(profile.programs().getFirst().identity()).isEqualTo(ProgramDigestSource.EXE);
        assertThat(profile.programs().getFirst().stop()).isEqualTo(StopSettings.RUNTIME_DEFAULT);
    }
}
