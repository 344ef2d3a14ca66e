package drover.system.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.gateway.Faults;
import drover.system.fixture.DockerCompose;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code deploy/compose} as it is, run on an engine of its own: {@code ./mvnw verify
 * -Pfull,images}. Jaeger and Grafana cannot be had from Debian or Maven and are left out; {@link
 * ComposeFileIT} sees that docker compose understands them.
 */
@Faults(
        rule = "B6 (the next leader completes the remaining work)",
        sample = "LeaderTermIT.aStatusThatWasNotCommittedIsTakenInByTheNextLeader")
class ComposeIT {
    private static final Duration TIMEOUT = Duration.ofMinutes(4); // twenty containers, two cores
    private static final List<String> COORDINATORS =
            List.of("rollout-coordinator-1", "rollout-coordinator-2");
    private static final List<String> AGENTS = List.of("agent-1", "agent-2", "agent-3");

    @Test
    @Timeout(1200)
    @DisplayName("B6: the composed mesh finishes a rollout though its leader's container is killed")
    void finishesARolloutThoughItsLeaderIsKilled() throws IOException {
        requireAnEngine();
        System.out.println(LEFT_OUT);
        Path place = Files.createTempDirectory("drover-compose");
        try (ComposeDeployment deployment =
                ComposeDeployment.start(place, DockerCompose.of(place))) {
            deployment.awaitHealthy(TIMEOUT);
            aContainerMayDoLittle(deployment);
            String key = deployment.in(COORDINATORS.getFirst(), "cat", "keys/admin.key").strip();
            String leader = leader(deployment);
            String other = COORDINATORS.stream().filter(it -> !it.equals(leader)).findFirst().get();
            RestClient follower = deployment.rest(other, key);
            await().atMost(TIMEOUT).until(() -> online(follower) == AGENTS.size());
            assertAgentsMatchTheirCertificates(deployment);
            startingAgainChangesNothing(deployment);
            operatorsAreShownACertificate(deployment);
            assertStoresRequireCertificates(deployment);

            String rollout = started(follower);
            await().atMost(TIMEOUT).until(() -> succeeded(follower, rollout) >= 1);
            deployment.compose("kill", leader);
            await().atMost(TIMEOUT)
                    .until(
                            () -> shown(follower, rollout).at("/status").asString(),
                            "completed"::equals);

            assertThat(leader(deployment)).isEqualTo(other);
            for (String agent : AGENTS) {
                assertThat(program(deployment, follower, agent)).contains("\"version\":\"v2\"");
            }
            wasTraced(deployment, shown(follower, rollout).at("/trace_id").asString());
            isMeasured(deployment, AGENTS.size() + 7); // all but the killed one
            assertThat(deployment.compose("run", "--rm", "-T", "drover", "rollout", "list"))
                    .contains(rollout, "completed");
            assertStopsOnSigterm(deployment, other, "node-gateway-1", "health-evaluator-1");
        }
    }

    private static final String LEFT_OUT =
            "ComposeIT leaves out Jaeger and Grafana, and has a receiver of its own for the"
                    + " collector: their images cannot be had from Debian or Maven. ComposeFileIT"
                    + " checks how they are composed.";

    private static void requireAnEngine() {
        FullBuildAssumption.requireEverything();
        Optional<String> whyNot = DockerCompose.whyNot().or(ComposeDeployment::whyNot);
        whyNot.ifPresent(why -> System.out.println("ComposeIT is skipped: " + why));
        assumeTrue(whyNot.isEmpty(), whyNot.orElse(""));
    }

    /** What an image promises, seen from within; agents do not reach the internal door (H5). */
    private static void aContainerMayDoLittle(ComposeDeployment deployment) throws IOException {
        String coordinator = COORDINATORS.getFirst();
        assertThat(deployment.in(coordinator, "id", "-u")).isEqualTo("10001\n");
        assertThatThrownBy(() -> deployment.in(coordinator, "touch", "/opt/drover/more"))
                .hasMessageContaining("Read-only file system");
        assertThat(deployment.in(coordinator, "cat", "/opt/drover/sbom.json"))
                .contains("\"bomFormat\" : \"CycloneDX\"", "jetcd-core", "postgresql");
        deployment.in("agent-1", "bash", "-c", "exec 3<>/dev/tcp/node-gateway-1/7443");
        assertThatThrownBy(
                        () ->
                                deployment.in(
                                        "agent-1",
                                        "bash",
                                        "-c",
                                        "exec 3<>/dev/tcp/node-gateway-1/7444"))
                .hasMessageContaining("Connection refused");
    }

    /**
     * Each became its node by a token of one use; what counts at the gateways' door is the
     * certificate, and no agent reaches another's (H1, H2, H4).
     */
    private static void assertAgentsMatchTheirCertificates(ComposeDeployment deployment)
            throws IOException {
        assertThat(usedJoinTokens(deployment)).hasSize(AGENTS.size());
        for (String agent : AGENTS) {
            assertThat(identity(deployment, agent).at("/generation").asInt())
                    .as(agent)
                    .isEqualTo(1);
            assertThat(identity(deployment, agent).at("/node").asString()).isEqualTo(node(agent));
            deployment.in(
                    agent, "bash", "-c", "[ ! -e " + home(agent) + "/join-token ]"); // removed
        }
        assertThat(deployment.in("agent-1", "bash", "-c", "echo " + home("agent-2") + "/*"))
                .isEqualTo(home("agent-2") + "/*\n"); // nothing is there

        assertThat(connect(deployment)).contains(" ok");
        String plain = home("agent-1") + "/plain-token";
        deployment.in("agent-1", "bash", "-c", "umask 077; echo " + "0".repeat(64) + " > " + plain);
        assertThatThrownBy(() -> connect(deployment, "--token-file", plain))
                .hasMessageContaining("No gateway takes this agent");
        await().atMost(TIMEOUT)
                .until(
                        () -> deployment.compose("logs", "--no-log-prefix", "node-gateway-1"),
                        it -> it.contains("The caller spoke no TLS"));
    }

    /** One dial of agent-1, as a new version of it tries whether it could. */
    private static String connect(ComposeDeployment deployment, String... shown)
            throws IOException {
        List<String> command =
                new ArrayList<>(List.of("java", "-Xmx64m", "@/opt/drover/start", "--self-test"));
        command.addAll(List.of("--gateway", "node-gateway-1:7443"));
        command.addAll(List.of("--state", home("agent-1") + "/state"));
        command.addAll(List.of("--root", home("agent-1") + "/root"));
        command.addAll(List.of(shown));
        return deployment.in("agent-1", command.toArray(String[]::new));
    }

    private static List<String> usedJoinTokens(ComposeDeployment deployment) throws IOException {
        List<String> listed =
                deployment
                        .compose("run", "--rm", "-T", "drover", "token", "list")
                        .lines()
                        .skip(1) // the header
                        .toList();
        assertThat(listed).allMatch(line -> line.contains("used up") && line.contains("1 of 1"));
        return listed;
    }

    private static JsonNode identity(ComposeDeployment deployment, String agent)
            throws IOException {
        return JsonMapper.shared()
                .readTree(deployment.in(agent, "cat", home(agent) + "/state/identity.json"));
    }

    private static String node(String agent) {
        return agent.replace("agent-", "berth-0");
    }

    private static String home(String agent) {
        return "/var/lib/drover/fleet/nodes/" + node(agent);
    }

    /** Neither for agents that run nor for one that is started anew. */
    private static void startingAgainChangesNothing(ComposeDeployment deployment)
            throws IOException {
        String running = deployment.inspected("agent-1", "{{.Id}} {{.State.StartedAt}}");
        JsonNode identity = identity(deployment, "agent-2");

        deployment.compose("up", "-d", "--quiet-pull");
        deployment.compose("restart", "agent-2");

        await().atMost(TIMEOUT)
                .until(
                        () -> deployment.compose("logs", "--no-log-prefix", "agent-2"),
                        it ->
                                it.lines().filter(line -> line.contains("Session opened")).count()
                                        > 1);
        assertThat(deployment.inspected("agent-1", "{{.Id}} {{.State.StartedAt}}"))
                .isEqualTo(running);
        assertThat(identity(deployment, "agent-2")).isEqualTo(identity);
        assertThat(usedJoinTokens(deployment)).hasSize(AGENTS.size());
    }

    /** The others of this test believe the authority of services; who asks plainly gets nothing. */
    private static void operatorsAreShownACertificate(ComposeDeployment deployment) {
        assertThatThrownBy(
                        () ->
                                deployment.compose(
                                        "run",
                                        "--rm",
                                        "-T",
                                        "-e",
                                        "DROVER_CA=",
                                        "-e",
                                        "DROVER_SERVER=rollout-coordinator:9090",
                                        "drover",
                                        "rollout",
                                        "list"))
                .hasMessageContaining("Drover answers at rollout-coordinator:9090");
    }

    /**
     * That PostgreSQL lets nobody in without TLS by the same pg_hba.conf is seen in {@link
     * drover.system.access.DatabaseTlsIT}; coordinators are in.
     */
    private static void assertStoresRequireCertificates(ComposeDeployment deployment)
            throws IOException {
        String[] health = {"etcdctl", "--command-timeout=3s", "endpoint", "health"};
        deployment.in("etcd-1", health);
        for (String without : List.of("ETCDCTL_CERT= ETCDCTL_KEY=", plainly())) {
            assertThatThrownBy(
                            () ->
                                    deployment.in(
                                            "etcd-1",
                                            "bash",
                                            "-c",
                                            without + " " + String.join(" ", health)))
                    .as(without)
                    .hasMessageContaining("unhealthy");
        }
    }

    private static String plainly() {
        return "ETCDCTL_CERT= ETCDCTL_KEY= ETCDCTL_CACERT= ETCDCTL_ENDPOINTS=http://127.0.0.1:2379";
    }

    /** The one that says so of itself. */
    private static String leader(ComposeDeployment deployment) {
        return await().atMost(TIMEOUT)
                .ignoreExceptions() // one may be gone
                .until(
                        () -> COORDINATORS.stream().filter(it -> leads(deployment, it)).findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private static boolean leads(ComposeDeployment deployment, String coordinator) {
        try {
            return deployment
                    .in(coordinator, "wget", "-q", "-O", "-", "http://127.0.0.1:9464/metrics")
                    .lines()
                    .anyMatch(line -> line.matches("drover_coordinator_leads\\S* 1(\\.0)?"));
        } catch (IOException | AssertionError e) {
            return false; // it has been killed
        }
    }

    /** Nodes that are online; 0 while the published port has no server behind it yet. */
    private static long online(RestClient rest) {
        try {
            return rest.get("/api/v1/nodes")
                    .body()
                    .at("/nodes")
                    .valueStream()
                    .filter(node -> node.at("/online").asBoolean(false))
                    .count();
        } catch (AssertionError e) {
            return 0;
        }
    }

    private static String started(RestClient rest) {
        RestClient.Answer created =
                rest.post(
                        "/api/v1/rollouts",
                        """
                        {"chain_profile_id": "harbour", "node_type": "edge", "upgrade_id": "greeter-v2",
                         "source_version": "v1", "strategy": "rolling", "batch_size": 1}
                        """);
        assertThat(created.status()).as("%s", created).isEqualTo(201);
        String id = created.text("/rollout/id");
        assertThat(rest.post("/api/v1/rollouts/" + id + "/start", "{}").status()).isIn(200, 202);
        return id;
    }

    private static JsonNode shown(RestClient rest, String rollout) {
        return rest.get("/api/v1/rollouts/" + rollout).body().at("/rollout");
    }

    private static long succeeded(RestClient rest, String rollout) {
        return rest.get("/api/v1/rollouts/" + rollout + "/nodes")
                .body()
                .at("/nodes")
                .valueStream()
                .filter(node -> node.at("/status").asString("").equals("succeeded"))
                .count();
    }

    /** What the program itself says in the agent's container. */
    private static String program(ComposeDeployment deployment, RestClient rest, String agent)
            throws IOException {
        String port = rest.get("/api/v1/nodes/" + node(agent)).text("/node/labels/var.port");
        return deployment.in(
                agent, "wget", "-q", "-O", "-", "http://127.0.0.1:" + port + "/version");
    }

    private static void wasTraced(ComposeDeployment deployment, String trace) {
        assertThat(trace).isNotEmpty();
        await().atMost(TIMEOUT)
                .until(
                        () -> deployment.compose("logs", "--no-log-prefix", "collector"),
                        it -> it.contains("rollout " + trace));
    }

    private static void isMeasured(ComposeDeployment deployment, int programs) {
        await().atMost(TIMEOUT)
                .until(
                        () ->
                                deployment.in(
                                        "prometheus",
                                        "wget",
                                        "-q",
                                        "-O",
                                        "-",
                                        "http://127.0.0.1:9090/api/v1/query?query=sum(up)"),
                        it -> it.contains("\"" + programs + "\"]"));
    }

    private static void assertStopsOnSigterm(ComposeDeployment deployment, String... services)
            throws IOException {
        for (String service : services) {
            deployment.compose("stop", service);
            assertThat(deployment.inspected(service, "{{.State.ExitCode}}"))
                    .as("%s ended by SIGTERM, not killed", service)
                    .isEqualTo("143");
        }
    }
}
