package drover.system.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.gateway.Faults;
import drover.model.NodeId;
import drover.opsagent.main.OpsAgentMain;
import drover.standalone.command.Main;
import drover.system.fixture.DockerTestEngine;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.PreflightJson;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/**
 * A chain of containers that nobody wrote a line of Java for: a profile, a template and a manifest.
 * A container that runs is taken in as it is, upgraded on a real engine by a rollout through REST,
 * and brought back.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(600)
@Faults(
        rule = "S0-206 (a new chain on Docker needs a profile and no code)",
        sample = "ContainerAdoptionTest.anAgentUpgradesWhatWasAdopted")
class DockerProgramsIT {
    private static final Duration SOON = Waits.LIMIT;
    private static final String NODE = "stall-1";
    private static final String RUNS = "CMD [\"/bin/sh\",\"-c\",\"sleep 9999\"]";

    private Path place;
    private Path home;
    private DockerTestEngine engine;
    private TestDeployment deployment;
    private @Nullable Process agent;
    private String old;
    private String young;
    private String before = "";

    @BeforeAll
    void startContainerAndDeployment() throws IOException {
        FullBuildAssumption.requireEverything();
        Optional<String> whyNot = DockerTestEngine.whyNot();
        whyNot.ifPresent(why -> System.out.println("DockerProgramsIT is skipped: " + why));
        Assumptions.assumeTrue(whyNot.isEmpty(), whyNot.orElse(""));
        place = Files.createTempDirectory("drover-chain").toRealPath();
        home = place.resolve("home");
        engine = DockerTestEngine.start(Files.createDirectories(place.resolve("engine")));
        old = engine.publish("shop", "1", RUNS);
        young = engine.publish("shop", "2", RUNS);
        write(home.resolve("etc/shop.toml"), "open = \"late\"\n");
        engine.docker(
                "run",
                "-d",
                "--name",
                "shop",
                "--restart",
                "always",
                "--stop-signal",
                "SIGKILL",
                "--network",
                "none",
                "-v",
                home.resolve("etc") + ":/etc/shop:ro",
                old);
        configure(place.resolve("config"));
        deployment = TestDeployment.of(place.resolve("mesh"), place.resolve("config"));
    }

    private void configure(Path config) throws IOException {
        write(
                config.resolve("chains/market.yaml"),
                """
                runtime: { type: docker }
                programs:
                  - name: shop
                    path: /bin/sh
                    service: shop
                    configs:
                      - { path: /etc/shop/shop.toml, template: shop.toml.tmpl }
                    probes:
                      - name: alive
                        kind: process
                        interval: 1s
                        sets: { application_health: critical }
                variables: { hours: late }
                health: { wait: 1s, crash_loop_restarts: 3 }
                """);
        write(config.resolve("templates/market/shop.toml.tmpl"), "open = \"{{ .hours }}\"\n");
        write(
                config.resolve("nodes.yaml"),
                "nodes:\n  - { name: stall-1, chain: market, type: stall, agent: external,"
                        + " programs: [] }\n");
        manifest(config, "shop-2", young, "/etc/shop/shop.toml");
        String nobodys = "sha256:" + "0".repeat(64);
        manifest(config, "shop-lost", young.replace(digest(young), nobodys), "/etc/shop/shop.toml");
        manifest(config, "shop-inside", young, "/inside/shop.toml");
    }

    private static void manifest(Path config, String id, String image, String file)
            throws IOException {
        write(
                config.resolve("upgrades/market/" + id + ".yaml"),
                """
                upgrade_id: %s
                chain_profile_id: market
                node_type: stall
                binary_name: shop
                target_version: "2"
                target_url: %s
                target_checksum: %s
                config_changes:
                  - path: %s
                    template: shop.toml.tmpl
                    overrides: { hours: early }
                """
                        .formatted(id, image, digest(image), file));
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
    }

    private static String digest(String pinned) {
        return pinned.substring(pinned.indexOf('@') + 1);
    }

    @AfterAll
    void nothingIsLeft() throws Exception {
        endTheAgent();
        if (deployment != null) {
            deployment.close();
        }
        if (engine != null) {
            engine.close();
            try (Stream<Path> all = Files.walk(place)) {
                all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
            }
        }
    }

    private void endTheAgent() throws InterruptedException {
        if (agent != null) {
            agent.destroy();
            agent.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    @Order(1)
    @DisplayName("A container that runs is taken in as it is")
    void adoptsWhatRunsWithoutTouchingIt() throws Exception {
        before = engine.docker("inspect", "shop");
        adopt();
        assertThat(engine.docker("inspect", "shop")).as("never touched").isEqualTo(before);
        startTheAgent();
        await().atMost(SOON)
                .until(
                        () ->
                                deployment
                                        .rest
                                        .get("/api/v1/nodes")
                                        .body()
                                        .toString()
                                        .contains(digest(old)));
    }

    @Test
    @Order(2)
    @DisplayName("S5 preflight on a real engine: what would fail is told, and nothing is pulled")
    void checksBeforeItTouches() throws IOException {
        PreflightJson healthy = preflight("shop-2");
        assertThat(healthy.problems(NODE)).isEmpty();
        assertThat(healthy.node(NODE).at("/result").asString()).isEqualTo("ok");
        assertThat(healthy.node(NODE).at("/checks").size()).isEqualTo(8);
        assertThat(preflight("shop-lost").problems(NODE))
                .as("no registry has that digest")
                .containsExactly(Map.entry("acquire_artifact", "ARTIFACT_NOT_FOUND"));
        PreflightJson inside = preflight("shop-inside");
        assertThat(inside.problems(NODE)).containsEntry("backup_state", "PATH_REFUSED");
        assertThat(inside.node(NODE).toString())
                .contains(
                        "/inside/shop.toml", "no directory of the machine that the container sees");
        assertThat(engine.docker("inspect", "shop")).as("never touched").isEqualTo(before);
        assertThat(engine.docker("image", "ls", "--digests")).doesNotContain(digest(young));
    }

    private PreflightJson preflight(String upgrade) {
        PreflightJson found = PreflightJson.of(deployment, deployment.created(rollout(upgrade)));
        deployment.endActiveRollouts();
        return found;
    }

    private static String rollout(String upgrade) {
        return """
            {"upgrade_id": "%s", "chain_profile_id": "market",
             "node_type": "stall", "source_version": "1", "strategy": "rolling",
             "batch_size": 1}
            """
                .formatted(upgrade);
    }

    @Test
    @Order(3)
    @DisplayName("S0-206: a new chain on Docker needs a profile and a manifest, and no code")
    void upgradesAChainWithoutSpecialCode() throws IOException {
        String rollout = deployment.started(rollout("shop-2"));
        deployment.awaitStill(rollout, "completed");
        assertThat(shop("{{.Config.Image}}")).isEqualTo(young);
        assertThat(shop("{{.HostConfig.RestartPolicy.Name}}")).isEqualTo("always");
        assertThat(engine.docker("exec", "shop", "cat", "/version")).isEqualTo("2");
        assertThat(engine.docker("exec", "shop", "cat", "/etc/shop/shop.toml"))
                .isEqualTo("open = \"early\"\n");

        deployment.request(rollout, "rollback");
        deployment.awaitStill(rollout, "rolled_back");
        assertThat(before).as("the very same container").contains(shop("{{.Id}}"));
        assertThat(engine.docker("exec", "shop", "cat", "/version")).isEqualTo("1");
        assertThat(home.resolve("etc/shop.toml")).hasContent("open = \"late\"\n");
    }

    @Test
    @Order(4)
    @DisplayName("`drover node retire` is the end of an adopted node: its container runs on")
    void givesTheNodeBackAsItIs() throws Exception {
        String last = engine.docker("inspect", "shop");
        assertThat(retire().text("/reason")).isEqualTo("NODE_ONLINE");
        endTheAgent();
        await().atMost(SOON).until(() -> retire().status() < 300);
        await().atMost(SOON)
                .until(() -> deployment.rest.get("/api/v1/nodes").body().at("/nodes").isEmpty());
        assertThat(deployment.rest.get("/api/v1/nodes/" + NODE).text("/node/retired_at"))
                .isNotEmpty();
        assertThat(engine.docker("inspect", "shop")).as("never touched").isEqualTo(last);
        assertThat(shop("{{.State.Running}}")).isEqualTo("true");
    }

    private Answer retire() {
        String why = "{\"reason\": \"The stall is given back.\"}";
        return deployment.rest.post("/api/v1/nodes/" + NODE + "/retire", why);
    }

    private String shop(String format) throws IOException {
        return engine.docker("inspect", "-f", format, "shop").strip();
    }

    private void adopt() throws Exception {
        List<String> command = flagged(Main.class.getName(), "agent", "adopt");
        command.addAll(List.of("--profile", place.resolve("config/chains/market.yaml") + ""));
        command.addAll(List.of("--program", "shop", "--node", NODE, "--version", "1"));
        Path log = place.resolve("adopt.log");
        Process adopting =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        assertThat(adopting.waitFor()).as(Files.readString(log)).isZero();
        assertThat(Files.readString(log)).contains("container shop", digest(old));
    }

    private void startTheAgent() throws IOException {
        List<String> command = flagged(OpsAgentMain.class.getName());
        command.addAll(
                List.of(
                        "--gateway",
                        "127.0.0.1:" + deployment.standalone.deployment().agentPort()));
        command.addAll(
                List.of("--token-file", deployment.data.node(new NodeId(NODE)).tokenFile() + ""));
        agent =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(place.resolve("agent.log").toFile())
                        .start();
    }

    private List<String> flagged(String... words) {
        List<String> command = new ArrayList<>();
        command.addAll(List.of(System.getProperty("java.home") + "/bin/java", "-Xmx256m"));
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(words));
        command.addAll(List.of("--runtime", "docker", "--set", "socket=" + engine.socket()));
        command.addAll(List.of("--state", place.resolve("state") + "", "--root", home + ""));
        return command;
    }
}
