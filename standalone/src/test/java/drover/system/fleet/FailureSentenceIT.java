package drover.system.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import drover.cli.DroverCli;
import drover.incident.v1.IncidentServiceGrpc;
import drover.incident.v1.ListIncidentsRequest;
import drover.model.Digest;
import drover.rollout.v1.ExplainRolloutRequest;
import drover.rollout.v1.ListRolloutNodesRequest;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What operators see of a failure: exit code or signal, the last line of the new run, and the probe
 * with what it saw, at each place that shows a rollout. The program is a copy of the shell whose
 * version says how it ends.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class FailureSentenceIT {
    private static final Path SHELL = Path.of("/bin/bash");
    private static final String EXIT = "with exit code 3 (last line: \"unknown key prot\")";
    private static final String SIGNAL = "SIGSEGV (last line: \"loading the index\")";
    private static final String PROBE = "ready: it answers 503 instead of 200";

    private static final String SCRIPT =
            """
            echo "this is the old run"
            grep -qa edition:.*once {path} && [ -e ran ] && exit 9
            grep -qa edition:.*once {path} && touch ran
            grep -qa edition:.*exit {path} && echo "unknown key prot" && exit 3
            grep -qa edition:.*signal {path} && echo "loading the index" && kill -SEGV $$
            exec 3<> <(:)
            while true; do read -t 3600 -u 3; done
            """;

    private final AtomicInteger answer = new AtomicInteger(200);
    private HttpServer ready;
    private Path config;
    private TestDeployment deployment;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        FullBuildAssumption.requireEverything();
        assumeTrue(Files.isExecutable(SHELL), "Skipped: there is no /bin/bash to copy");
        ready = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ready.createContext(
                "/",
                exchange -> {
                    exchange.sendResponseHeaders(answer.get(), -1);
                    exchange.close();
                });
        ready.start();
        config = folder.resolve("config");
        write("chains/show.yaml", profile());
        write(
                "nodes.yaml",
                "nodes:\n"
                        + node("end-1", "end", "v1-once")
                        + node("kill-1", "kill", "v1")
                        + node("late-1", "late", "v1")
                        + node("late-2", "late", "v1"));
        manifest("end", "v2-exit");
        manifest("kill", "v2-signal");
        manifest("late", "v2");
        deployment = TestDeployment.of(folder.resolve("deployment"), config);
    }

    @AfterEach
    void endActiveRollouts() {
        answer.set(200);
        deployment.endActiveRollouts();
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            deployment.close();
        }
        if (ready != null) {
            ready.stop(0);
        }
    }

    @Test
    @DisplayName("T8: exit code and last line of a failed start are shown at each place")
    void exitCodeAndLastLineAreShown() {
        String id = deployment.started(rollout("end", "v1-once", "v2-exit"));

        deployment.awaitStill(id, "paused");

        assertThat(deployment.node(id, "end-1").at("/status").asString())
                .as("the old version does not start a second time")
                .isEqualTo("failed_rollback");
        assertThat(placesOf(id)).allSatisfy((place, text) -> assertThat(text).contains(EXIT));
        assertThat(incidentsOf(id)).allSatisfy((place, text) -> assertThat(text).contains(EXIT));
    }

    @Test
    @DisplayName("T8: the signal that ended a failed start is shown at each place")
    void signalAndLastLineAreShown() {
        String id = deployment.started(rollout("kill", "v1", "v2-signal"));

        deployment.awaitStill(id, "paused");

        assertThat(deployment.node(id, "kill-1").at("/status").asString()).isEqualTo("failed");
        assertThat(placesOf(id)).allSatisfy((place, text) -> assertThat(text).contains(SIGNAL));
    }

    @Test
    @DisplayName("T8: a failing probe and what it saw are shown at each place")
    void probeAndWhatItSawAreShown() {
        String id = deployment.started(rollout("late", "v1", "v2"));
        await().atMost(Waits.LIMIT).until(() -> statusOf(id, "late-1").equals("succeeded"));
        deployment.request(id, "pause");

        answer.set(503);

        await().atMost(Waits.LIMIT).until(() -> statusOf(id, "late-1").equals("unhealthy"));
        deployment.awaitStill(id, "paused");
        assertThat(placesOf(id)).allSatisfy((place, text) -> assertThat(text).contains(PROBE));
        assertThat(incidentsOf(id)).allSatisfy((place, text) -> assertThat(text).contains(PROBE));
    }

    private String statusOf(String rollout, String node) {
        return deployment.node(rollout, node).at("/status").asString("");
    }

    /** What each place shows of a rollout, without the escapes of JSON. */
    private Map<String, String> placesOf(String id) {
        var rollouts = RolloutServiceGrpc.newBlockingStub(deployment.channel);
        var nodes = ListRolloutNodesRequest.newBuilder().setRolloutId(id).build();
        var why = ExplainRolloutRequest.newBuilder().setRolloutId(id).build();
        Map<String, String> places = new LinkedHashMap<>();
        places.put("watch", type("rollout", "watch", id));
        places.put("why", type("rollout", "why", id));
        places.put("REST nodes", rest("/api/v1/rollouts/" + id + "/nodes"));
        places.put("REST why", rest("/api/v1/rollouts/" + id + "/why"));
        places.put("gRPC nodes", plain(rollouts.listRolloutNodes(nodes).toString()));
        places.put("gRPC why", plain(rollouts.explainRollout(why).toString()));
        return places;
    }

    private Map<String, String> incidentsOf(String id) {
        var incidents = IncidentServiceGrpc.newBlockingStub(deployment.channel);
        var request = ListIncidentsRequest.newBuilder().setRolloutId(id).build();
        String first =
                deployment.rest.get("/api/v1/incidents?rollout_id=" + id).text("/incidents/0/id");
        Map<String, String> places = new LinkedHashMap<>();
        places.put("incident list", type("incident", "list", "--rollout", id));
        places.put("incident show", type("incident", "show", first));
        places.put("REST incidents", rest("/api/v1/incidents?rollout_id=" + id));
        places.put("gRPC incidents", plain(incidents.listIncidents(request).toString()));
        return places;
    }

    private String rest(String path) {
        return plain(deployment.rest.get(path).body().toString());
    }

    private static String plain(String escaped) {
        return escaped.replace("\\\"", "\"");
    }

    private String type(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(
                List.of("--server", "127.0.0.1:" + deployment.standalone.deployment().grpcPort()));
        all.addAll(List.of("--key-file", deployment.data.root().toString()));
        StringWriter out = new StringWriter();
        var _ =
                DroverCli.run(
                        all.toArray(String[]::new), new PrintWriter(out), new PrintWriter(out));
        return out.toString();
    }

    private String profile() {
        return """
            runtime: { type: process }
            programs:
              - name: shown
                path: /opt/shown
                arguments: ["{path}", "-c", '%s']
                probes:
                  - name: alive
                    kind: process
                    interval: 1s
                    sets: { application_health: critical }
                  - name: ready
                    kind: http
                    url: "http://127.0.0.1:%d/"
                    interval: 1s
                    sets: { application_health: critical }
            health: { wait: 1s, crash_loop_restarts: 3 }
            """
                .formatted(
                        SCRIPT.strip().replace("\n", "\n\n      "), ready.getAddress().getPort());
    }

    private String node(String name, String type, String version) throws IOException {
        return """
              - name: %1$s
                chain: show
                type: %2$s
                programs:
                  - { name: shown, version: %3$s, url: "%4$s", checksum: "%5$s" }
            """
                .formatted(name, type, version, artifact(version), Digest.of(program(version)));
    }

    private void manifest(String type, String version) throws IOException {
        write(
                "upgrades/show/" + type + "-" + version + ".yaml",
                """
                upgrade_id: %1$s-%2$s
                chain_profile_id: show
                node_type: %1$s
                binary_name: shown
                target_version: %2$s
                target_url: "%3$s"
                target_checksum: %4$s
                """
                        .formatted(type, version, artifact(version), Digest.of(program(version))));
    }

    private static String rollout(String type, String from, String to) {
        return """
            {"upgrade_id": "%1$s-%3$s", "chain_profile_id": "show", "node_type": "%1$s",
             "source_version": "%2$s", "strategy": "rolling", "batch_size": 1,
             "health_wait_duration": "1s"}
            """
                .formatted(type, from, to);
    }

    private static byte[] program(String version) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(Files.readAllBytes(SHELL));
        bytes.write(("\nedition: " + version + "\n").getBytes(UTF_8));
        return bytes.toByteArray();
    }

    private String artifact(String version) throws IOException {
        Path file = config.resolve("artifacts").resolve(version);
        Files.createDirectories(config.resolve("artifacts"));
        Files.write(file, program(version));
        return file.toUri().toString();
    }

    private void write(String place, String text) throws IOException {
        Path file = config.resolve(place);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
    }
}
