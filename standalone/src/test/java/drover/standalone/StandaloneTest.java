package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import drover.localenv.DataDirectory;
import drover.localenv.KeepProgramsRequestFile;
import drover.localenv.RunningDeployment;
import drover.localenv.UserFacingError;
import drover.model.NodeId;
import drover.standalone.StandaloneConfig.AgentTimings;
import drover.standalone.StandaloneConfig.ApiAuthenticationSettings;
import drover.standalone.StandaloneConfig.IdentityProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class StandaloneTest {
    @TempDir Path folder;

    @Test
    void endsInTheOppositeOrderOfItsStart() {
        ScriptedServiceFactory services = new ScriptedServiceFactory();
        start(services, 0).close();
        assertThat(services.log)
                .containsExactly(
                        "+metrics",
                        "+database",
                        "+manifests",
                        "+health",
                        "+gateway",
                        "install berth-01",
                        "install berth-02",
                        "+coordinator",
                        "+agent berth-01",
                        "+agent berth-02",
                        "-agent berth-02",
                        "-agent berth-01",
                        "-coordinator",
                        "-gateway",
                        "-health",
                        "-manifests",
                        "-database",
                        "-metrics");
    }

    @Test
    void installsANodeOnceOnly() {
        ScriptedServiceFactory services = new ScriptedServiceFactory();
        start(services, 0).close();
        start(services, 0).close();
        assertThat(services.log).containsOnlyOnce("install berth-01", "install berth-02");
    }

    @Test
    void endsWhatItStartedWhenAPartFails() {
        ScriptedServiceFactory services = new ScriptedServiceFactory().breaking("coordinator");
        assertThatThrownBy(() -> start(services, 0)).hasMessage("The coordinator is broken.");
        assertThat(services.log)
                .endsWith("-gateway", "-health", "-manifests", "-database", "-metrics");
        start(new ScriptedServiceFactory(), 0).close(); // the directory is free again
    }

    @Test
    @DisplayName(
            "D-164: if no node can be installed, each is named and the deployment does not start")
    void namesEachNodeThatCannotBeLaidOutAndEnds() {
        ScriptedServiceFactory services = new ScriptedServiceFactory();
        for (String node : List.of("berth-01", "berth-02")) {
            services.atInstall(
                    node,
                    () -> {
                        throw new UserFacingError("Its disk is broken.");
                    });
        }
        assertThatThrownBy(() -> start(services, 0))
                .isInstanceOf(UserFacingError.class)
                .hasMessageContaining("berth-01 is not ready: Its disk is broken.")
                .hasMessageContaining("berth-02 is not ready: Its disk is broken.");
        assertThat(services.log).doesNotContain("+coordinator").endsWith("-metrics");
    }

    @ParameterizedTest
    @ValueSource(strings = {"programs", "agent"})
    @DisplayName("A node that cannot start is named and left out; the others start")
    void leavesOutANodeThatCannotStart(String broken) {
        ScriptedServiceFactory services = new ScriptedServiceFactory();
        if (broken.equals("agent")) {
            services.breaking("agent berth-01");
        } else {
            services.atInstall(
                    "berth-01",
                    () -> {
                        throw new UserFacingError("Its profile.json is damaged.");
                    });
        }
        List<String> progress = new ArrayList<>();

        try (StandaloneDeployment up = start(services, 0, progress::add)) {
            assertThat(up.deployment().nodes()).isEqualTo(1);
            assertThat(services.log)
                    .contains("+coordinator", "+agent berth-02")
                    .doesNotContain("+agent berth-01");
            assertThat(progress)
                    .anySatisfy(
                            line ->
                                    assertThat(line)
                                            .matches(
                                                    "Node berth-01 is left out: .* Repair it, then"
                                                            + " stop Drover and start it again\\."));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("Programs stop with their deployment unless the request keeps them; it says which")
    void keepsProgramsOnRequest(boolean kept) throws IOException {
        List<String> progress = new ArrayList<>();
        StandaloneDeployment up = start(new ScriptedServiceFactory(), 0, progress::add);
        Process running = startProgram("berth-01");
        try {
            if (kept) {
                KeepProgramsRequestFile.write(data(), ProcessHandle.current().pid());
            }
            up.close();
            assertThat(running.isAlive()).isEqualTo(kept);
            assertThat(progress)
                    .contains(
                            kept
                                    ? "Left running: 1 process of the nodes' programs."
                                    : "Stopped 1 process of the nodes' programs.");
        } finally {
            running.destroyForcibly();
        }
        StandaloneDeployment next = start(new ScriptedServiceFactory(), 0);
        assertThat(KeepProgramsRequestFile.isForThisProcess(data())).as("used up").isFalse();
        next.close();
    }

    @Test
    @DisplayName("A start in which no agent starts leaves programs running that ran before it")
    void leavesProgramsRunningIfNoAgentStarts() throws IOException {
        start(new ScriptedServiceFactory(), 0).close();
        Process running = startProgram("berth-01");
        List<String> progress = new ArrayList<>();
        ScriptedServiceFactory services =
                new ScriptedServiceFactory().breaking("agent berth-01").breaking("agent berth-02");
        try {
            assertThatThrownBy(() -> start(services, 0, progress::add))
                    .isInstanceOf(UserFacingError.class);
            assertThat(running.isAlive()).isTrue();
            assertThat(progress).contains("Left running: 1 process of the nodes' programs.");
        } finally {
            running.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent", "programs"})
    @DisplayName("Nodes with external agents do not count as nodes that the deployment can start")
    void doesNotStartWithExternalAgentsOnly(String broken) throws IOException {
        ScriptedServiceFactory services = new ScriptedServiceFactory();
        if (broken.equals("agent")) {
            services.breaking("agent own");
        } else {
            services.atInstall(
                    "own",
                    () -> {
                        throw new UserFacingError("Its profile.json is damaged.");
                    });
        }
        Path config = Files.createDirectories(folder.resolve("config"));
        Files.writeString(config.resolve("nodes.yaml"), nodesFile());
        StandaloneConfig wanted =
                new StandaloneConfig(
                        data(),
                        Optional.of(config),
                        OptionalInt.empty(),
                        0,
                        0,
                        0,
                        Optional.empty(),
                        AgentTimings.USUAL);
        assertThatThrownBy(() -> StandaloneDeployment.start(wanted, services, step -> {}).close())
                .isInstanceOf(UserFacingError.class);
    }

    /** One node of the deployment, and one whose agent the operator runs. */
    private static String nodesFile() {
        String node =
                """
                  - name: %s
                    chain: harbour
                    type: edge
                    agent: %s
                    programs:
                      - { name: greeter, version: v1, url: "file:///greeter", checksum: "sha256:%s" }
                """;
        String checksum = "c".repeat(64);
        return "nodes:\n"
                + node.formatted("own", "standalone", checksum)
                + node.formatted("other", "external", checksum);
    }

    /** A process that the run record of the node's program names. */
    private Process startProgram(String node) throws IOException {
        String marker = UUID.randomUUID().toString();
        Path run = data().node(new NodeId(node)).state().resolve("run/greeter");
        Files.createDirectories(run);
        Files.writeString(run.resolve("run.json"), "{\"marker\":\"" + marker + "\"}");
        ProcessBuilder program = new ProcessBuilder("sleep", "60");
        program.environment().put("DROVER_RUN", marker);
        return program.start();
    }

    @Test
    void refusesASecondDeploymentOnItsDirectory() {
        try (StandaloneDeployment first = start(new ScriptedServiceFactory(), 0)) {
            assertThat(first.deployment().nodes()).isEqualTo(2);
            assertThatThrownBy(() -> start(new ScriptedServiceFactory(), 0))
                    .isInstanceOf(UserFacingError.class)
                    .hasMessageContaining("Another Drover runs on");
            assertThat(RunningDeployment.read(data().runningDeploymentFile()))
                    .contains(first.deployment());
        }
        assertThat(RunningDeployment.read(data().runningDeploymentFile())).isEmpty();
    }

    @Test
    void refusesATakenPortBeforeItStartsAnything() throws IOException {
        ScriptedServiceFactory services = new ScriptedServiceFactory();
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> start(services, other.getLocalPort()))
                    .hasMessageContaining("--http-port");
        }
        assertThat(services.log).isEmpty();
        assertThat(data().root()).doesNotExist();
    }

    @ParameterizedTest
    @MethodSource("senseless")
    void refusesSenselessKeysBeforeItStartsAnything(
            ApiAuthenticationSettings access, String sentence) {
        ScriptedServiceFactory services = new ScriptedServiceFactory();
        StandaloneConfig wanted =
                new StandaloneConfig(
                        data(),
                        Optional.empty(),
                        OptionalInt.of(2),
                        0,
                        0,
                        0,
                        Optional.empty(),
                        AgentTimings.USUAL,
                        OptionalInt.empty(),
                        access);
        assertThatThrownBy(() -> StandaloneDeployment.start(wanted, services, step -> {}))
                .isInstanceOf(UserFacingError.class)
                .hasMessageContaining(sentence);
        assertThat(services.log).isEmpty();
        assertThat(data().root()).doesNotExist();
    }

    static Stream<Arguments> senseless() {
        return Stream.of(
                arguments(granting("ci"), "'ci' is no grant"),
                arguments(granting("ci=moon:land"), "There is no scope 'moon:land'"),
                arguments(granting("admin=audit:read"), "is granted by itself"),
                arguments(taking("issuer", "drover", ""), "--jwt-keys FILE or URL"),
                arguments(taking("issuer", "drover", "none.json"), "There is no file none.json"),
                arguments(taking("", "drover", "https://a/keys"), "need an issuer"),
                arguments(taking("issuer", "drover", "http://a/keys"), "an https address"));
    }

    private static ApiAuthenticationSettings granting(String grant) {
        return new ApiAuthenticationSettings(false, List.of(grant), Optional.empty());
    }

    private static ApiAuthenticationSettings taking(String issuer, String audience, String keys) {
        return new ApiAuthenticationSettings(
                false, List.of(), Optional.of(new IdentityProvider(issuer, audience, keys)));
    }

    @Test
    void sendsTheTokensDigestAndNeverTheTokenH1() {
        ScriptedServiceFactory services = new ScriptedServiceFactory();
        start(services, 0).close();
        NodeId name = new NodeId("berth-01");
        assertThat(services.registered)
                .hasEntrySatisfying(
                        "berth-01",
                        request ->
                                assertThat(request.getTokenSha256())
                                        .isEqualTo(data().node(name).tokenDigest().value()));
        assertThat(services.registered.toString())
                .doesNotContain(data().node(name).readOrCreateToken());
    }

    @Test
    void reportsAMissingConfigurationDirectory() {
        StandaloneConfig wanted =
                new StandaloneConfig(
                        data(),
                        Optional.of(folder.resolve("nowhere")),
                        OptionalInt.empty(),
                        0,
                        0,
                        0,
                        Optional.empty(),
                        AgentTimings.USUAL);
        assertThatThrownBy(
                        () ->
                                StandaloneDeployment.start(
                                        wanted, new ScriptedServiceFactory(), step -> {}))
                .isInstanceOf(UserFacingError.class)
                .hasMessageContaining("--config");
    }

    private StandaloneDeployment start(ScriptedServiceFactory services, int httpPort) {
        return start(services, httpPort, step -> {});
    }

    private StandaloneDeployment start(
            ScriptedServiceFactory services, int httpPort, Consumer<String> progress) {
        StandaloneConfig wanted =
                new StandaloneConfig(
                        data(),
                        Optional.empty(),
                        OptionalInt.of(2),
                        httpPort,
                        0,
                        0,
                        Optional.empty(),
                        AgentTimings.USUAL);
        return StandaloneDeployment.start(wanted, services, progress);
    }

    private DataDirectory data() {
        return new DataDirectory(folder.resolve("data"));
    }
}
