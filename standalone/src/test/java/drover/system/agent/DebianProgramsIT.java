package drover.system.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.gateway.Faults;
import drover.model.Digest;
import drover.model.NodeId;
import drover.opsagent.main.OpsAgentMain;
import drover.standalone.command.Main;
import drover.system.fixture.DebianMachine;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.PreflightJson;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
import org.junit.jupiter.api.io.TempDir;

/**
 * Servers as Debian ships them, in the versions of two of its releases, under their own units: a
 * machine that runs the old ones is taken in as it is, upgraded by rollouts through REST, and
 * brought back. Nothing here knows the programs but a chain profile and two manifests.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(600)
@Faults(
        rule = "S0-205 (a new chain on systemd needs a profile and no code)",
        sample = "UnitAdoptionTest.anAgentUpgradesWhatWasAdopted")
class DebianProgramsIT {
    private static final Duration SOON = Waits.LIMIT;
    private static final String NODE = "debian-1";
    private static final String CHAIN = "debian";

    /** Everything that an adoption could change, and both units' runs. */
    private static final String FINGERPRINT =
            "find /etc /usr/bin /usr/sbin /usr/lib/systemd/system /var/lib -type f"
                    + " -not -path '/var/lib/drover-agent/*' -printf '%p %u:%g %m %T@ ' "
                    + " -exec sha256sum {} + | sort;"
                    + " systemctl show -p InvocationID -p MainPID -p NRestarts"
                    + " nats-server prometheus-node-exporter";

    private final HttpClient http = HttpClient.newHttpClient();
    private final int natsPort = freePort();
    private final int monitorPort = freePort();
    private final int exporterPort = freePort();
    private Path programs;
    private DebianMachine machine;
    private TestDeployment deployment;

    /** A program of both releases. */
    private record Packaged(String name, String unit, String path, String old, String young) {}

    private static final Packaged NATS =
            new Packaged(
                    "nats-server", "nats-server.service", "/usr/sbin/nats-server", "2.9", "2.10");
    private static final Packaged EXPORTER =
            new Packaged(
                    "node-exporter",
                    "prometheus-node-exporter.service",
                    "/usr/bin/prometheus-node-exporter",
                    "1.5",
                    "1.9");

    @BeforeAll
    void startMachineAndDeployment(@TempDir Path place) throws IOException {
        FullBuildAssumption.requireEverything();
        programs = DebianMachine.cache().resolve("programs");
        boolean there = Files.exists(programs.resolve("complete"));
        String missing = "SKIPPED: no programs to upgrade; .ci/debian-programs fetches them";
        if (!there) {
            System.out.println(missing);
        }
        Assumptions.assumeTrue(there, missing);
        machine = DebianMachine.prepare(place.resolve("machine"));
        Path config = place.resolve("config");
        configure(config);
        machine.show(config, "/opt/config");
        machine.show(programs, "/opt/programs");
        machine.overlay(programs.resolve("bookworm/unpacked"));
        installServers();
        machine.boot();
        machine.run("useradd", "--system", "nats");
        machine.run("useradd", "--system", "prometheus");
        machine.run("systemctl", "enable", "--now", NATS.unit(), EXPORTER.unit());
        deployment = TestDeployment.of(place.resolve("mesh"), config);
        await().atMost(SOON).ignoreExceptions().until(() -> monitor("/healthz").contains("ok"));
    }

    @AfterAll
    void nothingIsLeft() throws IOException {
        if (deployment != null) {
            deployment.close();
        }
        if (machine != null) {
            machine.close();
        }
        http.close();
    }

    private void installServers() throws IOException {
        machine.put("/etc/nats/nats-server.conf", natsConfig("1MB"));
        machine.put(
                "/etc/systemd/system/nats-server.service.d/here.conf",
                """
                [Service]
                ExecStart=
                ExecStart=/usr/sbin/nats-server -c /etc/nats/nats-server.conf
                """);
        machine.put(
                "/etc/default/prometheus-node-exporter",
                "ARGS=\"--web.listen-address=127.0.0.1:" + exporterPort + "\"\n");
    }

    private String natsConfig(String payload) {
        return "listen: 127.0.0.1:%d\nhttp: 127.0.0.1:%d\nmax_payload: %s\n"
                .formatted(natsPort, monitorPort, payload);
    }

    private void configure(Path config) throws IOException {
        write(
                config.resolve("chains/debian.yaml"),
                """
                runtime: { type: systemd }
                programs:
                  - name: nats-server
                    path: /usr/sbin/nats-server
                    service: nats-server.service
                    configs:
                      - { path: /etc/nats/nats-server.conf, template: nats-server.conf.tmpl }
                    probes:
                      - name: health
                        kind: http
                        url: "http://127.0.0.1:{{ .monitor }}/healthz"
                        json_pointer: /status
                        equals: ok
                        interval: 1s
                        sets: { application_health: critical }
                  - name: node-exporter
                    path: /usr/bin/prometheus-node-exporter
                    service: prometheus-node-exporter.service
                    probes:
                      - name: answers
                        kind: http
                        url: "http://127.0.0.1:{{ .exporter }}/"
                        interval: 1s
                        sets: { application_health: critical }
                variables: { port: %d, monitor: %d, exporter: %d, max_payload: 1MB }
                health: { wait: 1s, crash_loop_restarts: 3 }
                """
                        .formatted(natsPort, monitorPort, exporterPort));
        write(
                config.resolve("templates/debian/nats-server.conf.tmpl"),
                """
                listen: 127.0.0.1:{{ .port }}
                http: 127.0.0.1:{{ .monitor }}
                max_payload: {{ .max_payload }}
                """);
        write(
                config.resolve("nodes.yaml"),
                "nodes:\n  - { name: debian-1, chain: debian, type: server, agent: external,"
                        + " programs: [] }\n");
        manifest(config, NATS, "bookworm", NATS.old());
        manifest(
                config,
                NATS,
                "trixie",
                NATS.young(),
                "config_changes:",
                "  - path: /etc/nats/nats-server.conf",
                "    template: nats-server.conf.tmpl",
                "    overrides: { max_payload: 2MB }");
        manifest(config, EXPORTER, "trixie", EXPORTER.young());
        Path young = config.resolve("upgrades/debian/node-exporter-" + EXPORTER.young() + ".yaml");
        write(
                young.resolveSibling("node-exporter-lost.yaml"),
                Files.readString(young)
                        .replace("upgrade_id: node-exporter-1.9", "upgrade_id: node-exporter-lost")
                        .replace("/opt/programs/", "/opt/nowhere/"));
    }

    private void manifest(
            Path config, Packaged program, String suite, String version, String... more)
            throws IOException {
        String id = program.name() + "-" + version;
        write(
                config.resolve("upgrades/debian/" + id + ".yaml"),
                """
                upgrade_id: %s
                chain_profile_id: debian
                node_type: server
                binary_name: %s
                target_version: "%s"
                target_url: file:///opt/programs/%s/unpacked%s
                target_checksum: %s
                """
                                .formatted(
                                        id,
                                        program.name(),
                                        version,
                                        suite,
                                        program.path(),
                                        digest(program, suite))
                        + String.join("\n", more)
                        + "\n");
    }

    private Digest digest(Packaged program, String suite) throws IOException {
        return Digest.of(
                Files.readAllBytes(programs.resolve(suite + "/unpacked" + program.path())));
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
    }

    @Test
    @Order(1)
    @DisplayName("What runs is adopted, and no file, owner, mode or run of the machine changes")
    void adoptsWhatRunsWithoutTouchingIt() throws IOException {
        machine.put(
                "/etc/drover-agent/policy.json",
                "{\"roots\": [\"/usr/sbin\", \"/usr/bin\", \"/etc/nats\"], \"units\":"
                        + " [\"nats-server.service\", \"prometheus-node-exporter.service\"]}");
        machine.put(
                "/etc/drover-agent/token",
                Files.readString(deployment.data.node(new NodeId(NODE)).tokenFile()));
        machine.run("chmod", "-R", "go=", "/etc/drover-agent");
        String before = machine.run("sh", "-c", FINGERPRINT);
        String found = adopt(NATS); // its version is found in the manifests
        assertThat(found).contains("unit nats-server.service", "version ", NATS.old());
        assertThat(adopt(EXPORTER, "--version", EXPORTER.old()))
                .contains(digest(EXPORTER, "bookworm").value(), "root:root rwxr-xr-x");
        assertThat(adopt(NATS)).contains("Nothing changes");
        assertThat(machine.run("sh", "-c", FINGERPRINT)).isEqualTo(before);
        startTheAgent();
        await().atMost(SOON)
                .until(
                        () ->
                                deployment
                                        .rest
                                        .get("/api/v1/nodes")
                                        .body()
                                        .toString()
                                        .contains(digest(EXPORTER, "bookworm").value()));
    }

    private String adopt(Packaged program, String... more) {
        List<String> command = new ArrayList<>(machine.java(Main.class.getName()));
        command.addAll(List.of("agent", "adopt", "--runtime", "systemd", "--root", "/"));
        command.addAll(List.of("--profile", "/opt/config/chains/debian.yaml"));
        command.addAll(List.of("--node", NODE, "--program", program.name()));
        command.addAll(List.of("--state", "/var/lib/drover-agent"));
        command.addAll(List.of("--policy", "/etc/drover-agent/policy.json"));
        command.addAll(List.of(more));
        return machine.run(command);
    }

    /** In the unit that is shipped, with what belongs to this node in a drop-in. */
    private void startTheAgent() throws IOException {
        Path shipped = Path.of("..", "deploy", "systemd", "drover-agent.service");
        machine.put("/etc/systemd/system/drover-agent.service", Files.readAllBytes(shipped));
        List<String> command = new ArrayList<>(machine.java(OpsAgentMain.class.getName()));
        command.addAll(
                List.of(
                        "--gateway",
                        "127.0.0.1:" + deployment.standalone.deployment().agentPort()));
        command.addAll(List.of("--runtime", "systemd", "--root", "/", "--allow-local"));
        command.addAll(List.of("--state", "/var/lib/drover-agent"));
        command.addAll(List.of("--token-file", "/etc/drover-agent/token"));
        command.addAll(List.of("--policy", "/etc/drover-agent/policy.json"));
        machine.put(
                "/etc/systemd/system/drover-agent.service.d/node.conf",
                "[Service]\nExecStart=\nExecStart="
                        + String.join(" ", command)
                        + "\nReadWritePaths=/usr/sbin /usr/bin /etc/nats\n");
        machine.run("systemctl", "daemon-reload");
        machine.run("systemctl", "start", "drover-agent.service");
    }

    @Test
    @Order(2)
    @DisplayName("S5 preflight of real units: what would fail is told, and nothing is changed")
    void checksBeforeItTouches() throws IOException {
        String before = machine.run("sh", "-c", FINGERPRINT);
        String rollout = deployment.created(rollout(NATS));
        PreflightJson healthy = PreflightJson.of(deployment, rollout);
        assertThat(healthy.problems(NODE)).isEmpty();
        assertThat(healthy.node(NODE).at("/result").asString()).isEqualTo("ok");
        assertThat(healthy.node(NODE).at("/checks").size()).isEqualTo(8);

        String dropIn = "/etc/systemd/system/nats-server.service.d/lasting.conf";
        machine.put(dropIn, "[Service]\nRemainAfterExit=yes\n");
        machine.run("systemctl", "daemon-reload");
        assertThat(PreflightJson.of(deployment, rollout).problems(NODE))
                .as("a unit that would be up without a main process")
                .containsEntry("stop_node", "PROGRAM_REFUSED");
        Files.delete(machine.at(dropIn));
        machine.run("systemctl", "daemon-reload");
        deployment.endActiveRollouts();

        String lost = deployment.created(rollout(EXPORTER).replace(EXPORTER.young(), "lost"));
        assertThat(PreflightJson.of(deployment, lost).problems(NODE))
                .containsExactly(Map.entry("acquire_artifact", "ARTIFACT_NOT_FOUND"));
        deployment.endActiveRollouts();
        assertThat(machine.run("sh", "-c", FINGERPRINT)).isEqualTo(before);
    }

    @Test
    @Order(3)
    void upgradesNatsWithItsConfigurationAndBringsItBack() throws IOException {
        assertThat(monitor("/varz")).contains("\"version\": \"2.9.", "\"max_payload\": 1048576");
        String rollout = deployment.started(rollout(NATS));
        deployment.awaitStill(rollout, "completed");
        assertThat(executed(NATS)).isEqualTo(digest(NATS, "trixie"));
        assertThat(monitor("/healthz")).contains("ok");
        assertThat(monitor("/varz")).contains("\"version\": \"2.10.", "\"max_payload\": 2097152");

        deployment.request(rollout, "rollback");
        deployment.awaitStill(rollout, "rolled_back");
        assertThat(executed(NATS)).isEqualTo(digest(NATS, "bookworm"));
        assertThat(monitor("/varz")).contains("\"version\": \"2.9.", "\"max_payload\": 1048576");
        assertThat(machine.at("/etc/nats/nats-server.conf")).hasContent(natsConfig("1MB"));
    }

    @Test
    @Order(4)
    void upgradesTheExporterAndBringsItBack() throws IOException {
        assertThat(metrics()).contains("version=\"1.5.");
        String rollout = deployment.started(rollout(EXPORTER));
        deployment.awaitStill(rollout, "completed");
        assertThat(executed(EXPORTER)).isEqualTo(digest(EXPORTER, "trixie"));
        assertThat(metrics()).contains("version=\"1.9.");

        deployment.request(rollout, "rollback");
        deployment.awaitStill(rollout, "rolled_back");
        assertThat(executed(EXPORTER)).isEqualTo(digest(EXPORTER, "bookworm"));
        assertThat(metrics()).contains("version=\"1.5.");
        assertThat(machine.run("systemctl", "is-active", EXPORTER.unit())).startsWith("active");
    }

    private static String rollout(Packaged program) {
        return """
            {"upgrade_id": "%s-%s", "chain_profile_id": "%s", "node_type": "server",
             "source_version": "%s", "strategy": "rolling", "batch_size": 1}
            """
                .formatted(program.name(), program.young(), CHAIN, program.old());
    }

    /** What the main process of the unit executes, by the kernel's own word. */
    private Digest executed(Packaged program) {
        String script = "sha256sum < /proc/$(systemctl show -p MainPID --value " + program.unit();
        return new Digest("sha256:" + machine.run("sh", "-c", script + ")/exe").substring(0, 64));
    }

    private String monitor(String path) {
        return get(monitorPort, path);
    }

    private String metrics() {
        return get(exporterPort, "/metrics");
    }

    private String get(int port, String path) {
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .timeout(Waits.LIMIT)
                            .build();
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new AssertionError("The program does not answer at " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
