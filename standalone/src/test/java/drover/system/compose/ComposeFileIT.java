package drover.system.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.cli.DroverCli;
import drover.cli.terminal.Console;
import drover.cli.terminal.OutputTraits;
import drover.coordinator.RolloutCoordinatorMain;
import drover.evaluator.HealthEvaluatorMain;
import drover.gateway.NodeGatewayMain;
import drover.manifest.ManifestServiceMain;
import drover.opsagent.main.OpsAgentMain;
import drover.standalone.command.LocalCommands;
import drover.system.fixture.DockerCompose;
import drover.system.fixture.DroverProcess;
import drover.system.fixture.FullBuildAssumption;
import drover.trust.identity.ServiceName;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code deploy/compose} is the whole mesh, as docker compose understands it, with settings that
 * the programs know. {@link ComposeIT} runs it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ComposeFileIT {
    private static final Path DOCKERFILE = Path.of("../deploy/images/Dockerfile");
    private static final Map<String, Class<?>> PROGRAMS =
            Map.of(
                    "drover/manifest-service:latest", ManifestServiceMain.class,
                    "drover/health-evaluator:latest", HealthEvaluatorMain.class,
                    "drover/node-gateway:latest", NodeGatewayMain.class,
                    "drover/rollout-coordinator:latest", RolloutCoordinatorMain.class);

    private Path place;
    private DockerCompose compose;
    private JsonNode services = JsonMapper.shared().createObjectNode();

    @BeforeAll
    void understood(@TempDir Path directory) throws IOException {
        FullBuildAssumption.requireEverything();
        Optional<String> whyNot = DockerCompose.whyNot();
        whyNot.ifPresent(why -> System.out.println("ComposeFileIT is skipped: " + why));
        assumeTrue(whyNot.isEmpty(), whyNot.orElse(""));
        place = directory;
        compose = DockerCompose.of(place);
        services =
                JsonMapper.shared()
                        .readTree(compose.run("--profile=*", "config", "--format=json"))
                        .at("/services");
    }

    @Test
    void isTheWholeDeployment() {
        assertThat(services.propertyNames())
                .containsExactlyInAnyOrder(
                        "postgres",
                        "etcd-1",
                        "etcd-2",
                        "etcd-3",
                        "nats",
                        "certificates",
                        "manifest-service-1",
                        "manifest-service-2",
                        "health-evaluator-1",
                        "health-evaluator-2",
                        "node-gateway-1",
                        "node-gateway-2",
                        "rollout-coordinator-1",
                        "rollout-coordinator-2",
                        "collector",
                        "jaeger",
                        "prometheus",
                        "grafana",
                        "fleet",
                        "join-tokens",
                        "agent-1",
                        "agent-2",
                        "agent-3",
                        "drover");
        assertThat(services.propertyNames()).containsAll(scraped());
    }

    /** What Prometheus asks; each is a service of the mesh, and each program is asked. */
    private static List<String> scraped() {
        List<String> targets =
                words("../deploy/compose/prometheus.yaml", "([a-z]+(?:-[a-z0-9]+)+):9464");
        assertThat(targets).hasSize(2 * PROGRAMS.size() + 3).doesNotHaveDuplicates();
        return targets;
    }

    @Test
    void everySettingIsOneThatItsProgramKnows() throws Exception {
        Set<Set<String>> seen = new HashSet<>();
        for (Map.Entry<String, JsonNode> service : services.properties()) {
            Class<?> program = PROGRAMS.get(service.getValue().at("/image").asString(""));
            Map<String, String> settings = settings(service.getValue());
            if (program != null && seen.add(settings.keySet())) { // the second of two is the same
                knows(program, settings);
            }
        }
        assertThat(seen).hasSizeBetween(PROGRAMS.size(), 2 * PROGRAMS.size());
    }

    private void knows(Class<?> program, Map<String, String> settings) throws Exception {
        try (DroverProcess process =
                DroverProcess.start(place, program, settings, "--print-config")) {
            DroverProcess.Ended ended = process.ended();
            assertThat(ended.exitCode()).as(ended.output()).isZero();
            assertThat(ended.output()).contains(settings.keySet()).doesNotContain(password());
        }
    }

    private Map<String, String> settings(JsonNode service) {
        Map<String, String> settings = new HashMap<>();
        service.at("/environment")
                .forEachEntry(
                        (name, value) -> {
                            if (name.startsWith("DROVER_")) {
                                settings.put(
                                        name,
                                        value.asString()
                                                .replace(
                                                        "/run/secrets/database",
                                                        compose.secret("database.yaml") + ""));
                            }
                        });
        return settings;
    }

    @Test
    void everyFlagIsOneThatItsProgramKnows() throws Exception {
        String known;
        try (DroverProcess agent =
                DroverProcess.start(place, OpsAgentMain.class, Map.of(), "--help")) {
            known = agent.ended().output();
        }
        for (String agent : List.of("agent-1", "agent-2", "agent-3")) {
            List<String> flags = command(agent).filter(word -> word.startsWith("--")).toList();
            assertThat(flags)
                    .hasSizeGreaterThan(5)
                    .allMatch(flag -> known.contains(flag + " ") || known.contains(flag + "]"));
        }
        PrintWriter nowhere = new PrintWriter(new StringWriter());
        LocalCommands.addTo(DroverCli.commandLine(Console.of(nowhere, nowhere, OutputTraits.PLAIN)))
                .parseArgs(command("fleet").toArray(String[]::new));
    }

    private Stream<String> command(String service) {
        return services.at("/" + service).at("/command").valueStream().map(JsonNode::asString);
    }

    @Test
    @DisplayName("D-154: agents show certificates, each with a volume of its own, and no token")
    void everyAgentShowsACertificateOfItsOwn() throws IOException {
        List<String> gateways = List.of("node-gateway-1", "node-gateway-2");
        for (String gateway : gateways) {
            assertThat(settings(services.at("/" + gateway)))
                    .containsKeys("DROVER_GATEWAY_TLS", "DROVER_GATEWAY_AUTHORITY")
                    .doesNotContainKey("DROVER_GATEWAY_TOKEN_LISTEN");
        }
        assertThat(Files.readString(Path.of("../deploy/compose/make-certificates")))
                .contains(gateways.stream().map(it -> " --host " + it).toList());
        List<String> volumes = new ArrayList<>();
        for (String agent : List.of("agent-1", "agent-2", "agent-3")) {
            assertThat(command(agent))
                    .contains("--enrol-at", "--join-token-file")
                    .doesNotContain("--token-file");
            assertThat(services.at("/" + agent + "/depends_on").propertyNames())
                    .as("programs run though the operators' side is ill")
                    .containsExactly("fleet");
            services.at("/" + agent + "/volumes")
                    .valueStream()
                    .filter(volume -> !volume.at("/read_only").asBoolean(false))
                    .forEach(volume -> volumes.add(volume.at("/source").asString()));
        }
        assertThat(volumes).containsExactly("node-1", "node-2", "node-3");
        assertThat(command("fleet")).as("no node has a token").contains("--certificates");
    }

    /**
     * Each has its own volume of them, and `certificates` makes them for the hosts that are
     * dialled.
     */
    @Test
    void everyServiceShowsACertificateOfItsOwn() throws IOException {
        String made = Files.readString(Path.of("../deploy/compose/make-certificates"));
        services.forEachEntry(
                (name, service) -> {
                    Class<?> program = PROGRAMS.get(service.at("/image").asString(""));
                    if (program == null) {
                        return;
                    }
                    String directory =
                            settings(service).entrySet().stream()
                                    .filter(it -> it.getKey().endsWith("_SERVICE_TLS"))
                                    .map(Map.Entry::getValue)
                                    .findFirst()
                                    .orElseThrow(() -> new AssertionError(name + " is plain"));
                    List<String> mounted =
                            service.at("/volumes")
                                    .valueStream()
                                    .map(volume -> volume.at("/target").asString(""))
                                    .filter(target -> target.startsWith("/var/lib/drover/tls"))
                                    .toList();
                    assertThat(mounted)
                            .as(name)
                            .contains(directory)
                            .containsExactlyInAnyOrderElementsOf(environmentNames(service));
                    String word = directory.substring(directory.lastIndexOf('/') + 1);
                    String host =
                            word.equals(ServiceName.GATEWAY.wireName())
                                    ? name.replace("node-gateway", "gateway") + ".control"
                                    : name;
                    assertThat(made.lines().filter(line -> line.startsWith("issue " + word + " ")))
                            .as(name)
                            .singleElement()
                            .asString()
                            .contains(" " + host);
                });
    }

    @Test
    @DisplayName("D-155: PostgreSQL and etcd speak TLS alone, and their dialers see who they are")
    void storesAuthenticate() throws IOException {
        assertThat(words("../deploy/compose/pg_hba.conf", "(?m)^([a-z]+) "))
                .containsExactly("local", "hostssl");
        assertThat(command("postgres")).contains("ssl=on", "hba_file=/etc/drover/pg_hba.conf");
        assertThat(Files.readString(compose.secret("database.yaml")))
                .contains("&sslmode=verify-full&sslrootcert=/var/lib/drover/trust/stores.pem");
        for (String member : List.of("etcd-1", "etcd-2", "etcd-3")) {
            JsonNode received = services.at("/" + member + "/environment");
            assertThat(received.toString()).doesNotContain("http://");
            assertThat(received.at("/ETCD_CLIENT_CERT_AUTH").asString()).isEqualTo("true");
            assertThat(received.at("/ETCD_PEER_CLIENT_CERT_AUTH").asString()).isEqualTo("true");
        }
        for (String service : List.of("rollout-coordinator-1", "node-gateway-2")) {
            assertThat(services.at("/" + service + "/volumes").toString())
                    .contains("/var/lib/drover/trust\"");
        }
    }

    /** The directories of certificates that a program is told of. */
    private Set<String> environmentNames(JsonNode service) {
        return settings(service).entrySet().stream()
                .filter(it -> it.getKey().endsWith("_TLS"))
                .map(Map.Entry::getValue)
                .collect(Collectors.toSet());
    }

    @Test
    void aContainerMayDoNoMoreThanItMust() throws IOException {
        services.forEachEntry(
                (name, service) -> {
                    service.at("/ports")
                            .forEach(
                                    port ->
                                            assertThat(port.at("/host_ip").asString(""))
                                                    .as("%s is published", name)
                                                    .isEqualTo("127.0.0.1"));
                    if (service.at("/image").asString().startsWith("drover/")) {
                        assertThat(service.at("/read_only").asBoolean(false)).as(name).isTrue();
                        assertThat(service.at("/cap_drop").toString()).as(name).contains("ALL");
                        assertThat(service.at("/security_opt").toString())
                                .as(name)
                                .contains("no-new-privileges:true");
                        assertThat(service.at("/stop_grace_period").asString()).isEqualTo("1m0s");
                    }
                });
        assertThat(services.toString()).doesNotContain(password());
    }

    private String password() throws IOException {
        return Files.readString(compose.secret("postgres-password"));
    }

    @Test
    void imageIsUnprivilegedHasAReadinessCheckAndBuildsOffline() throws IOException {
        String dockerfile = Files.readString(DOCKERFILE);
        assertThat(words(DOCKERFILE.toString(), "(?m)^(FROM|RUN|ADD|USER|HEALTHCHECK|ENTRYPOINT) "))
                .containsExactly("FROM", "USER", "HEALTHCHECK", "ENTRYPOINT");
        assertThat(dockerfile)
                .containsPattern("(?m)^USER [1-9][0-9]+:[1-9][0-9]+$")
                .containsPattern("(?m)^HEALTHCHECK .*CMD \\[.*\"/readyz\"\\]$")
                .containsPattern("(?m)^ENTRYPOINT \\[\"java\"") // it is the one that gets SIGTERM
                .contains("sbom.json");
    }

    private static List<String> words(String file, String pattern) {
        try {
            return Pattern.compile(pattern)
                    .matcher(Files.readString(Path.of(file)))
                    .results()
                    .map(found -> found.group(1))
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
