package drover.system.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.model.Digest;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Programs that write their own configuration (decision 0122): a copy of the shell whose version
 * says what it does at its start with the file that Drover installed.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class ProgramWrittenConfigIT {
    private static final Path SHELL = Path.of("/bin/bash");
    private static final String CONFIG = "etc/writer.conf";
    private static final String LINE = "# by the program\n";

    /** Appends if its version says so, ends if its version says so, and waits otherwise. */
    private static final String SCRIPT =
            "grep -qa writer:.*append {path} && echo '# by the program' >> "
                    + CONFIG
                    + "; grep -qa writer:.*fall {path} && exit 3; exec 3<> <(:);"
                    + " while true; do read -t 3600 -u 3; done";

    private Path config;
    private TestDeployment deployment;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        FullBuildAssumption.requireEverything();
        assumeTrue(Files.isExecutable(SHELL), "Skipped: there is no /bin/bash to copy");
        config = folder.resolve("config");
        StringBuilder nodes = new StringBuilder("nodes:\n");
        for (String managed : List.of("always", "once", "merge")) {
            write("chains/" + managed + ".yaml", profile(managed));
            write("templates/" + managed + "/writer.conf.tmpl", "level = {{ .level }}\n");
            String version = managed.equals("always") ? "v1" : "v1-append";
            nodes.append(node(managed, version));
        }
        write("nodes.yaml", nodes.toString());
        manifest("always", "v2-append", "");
        for (String managed : List.of("once", "merge")) {
            manifest(managed, "v2-append", "");
            manifest(managed, "v3-append-fall", "");
        }
        manifest("merge", "v4-append", CHANGE);
        manifest("once", "v4-append", CHANGE);
        deployment = TestDeployment.of(folder.resolve("deployment"), config);
    }

    @AfterEach
    void endActiveRollouts() {
        deployment.endActiveRollouts();
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            deployment.close();
        }
    }

    @Test
    void aFileOfDroverThatTheNewVersionChangesIsNamed() throws IOException {
        String id = deployment.started(rollout("always", "v1", "v2-append"));
        deployment.awaitStill(id, "paused");
        assertThat(deployment.node(id, "always").toString())
                .as("the attempt succeeded; its health is not")
                .contains("WRONG_CONFIG", "/" + CONFIG);
        deployment.request(id, "rollback");
        deployment.awaitStill(id, "rolled_back");
        assertThat(content("always")).isEqualTo("level = info\n");
        assertRuns("always", "v1");

        Files.writeString(deployment.root("always").resolve(CONFIG), "level = none\n");
        await().atMost(Waits.LIMIT).until(() -> !driftOf("always").isEmpty());
        assertThat(driftOf("always")).allMatch(it -> it.contains("/" + CONFIG));
    }

    @Test
    void aMergedFileSurvivesUpgradeFailureChangeAndRollback() throws IOException {
        String first = deployment.started(rollout("merge", "v1-append", "v2-append"));
        deployment.awaitStill(first, "completed");
        assertRuns("merge", "v2-append");
        assertThat(content("merge")).isEqualTo("level = info\n" + LINE.repeat(2));

        String failed = deployment.started(rollout("merge", "v2-append", "v3-append-fall"));
        deployment.awaitStill(failed, "paused");
        assertThat(deployment.node(failed, "merge").at("/status").asString()).isEqualTo("failed");
        deployment.endActiveRollouts();
        assertRuns("merge", "v2-append");
        assertThat(content("merge"))
                .as("as before the attempt, and the line of the old version's new start")
                .isEqualTo("level = info\n" + LINE.repeat(3));

        String changed = deployment.started(rollout("merge", "v2-append", "v4-append"));
        deployment.awaitStill(changed, "completed");
        assertThat(content("merge")).isEqualTo("level = debug\n" + LINE);
        deployment.request(changed, "rollback");
        deployment.awaitStill(changed, "rolled_back");
        assertRuns("merge", "v2-append");
        assertThat(content("merge")).isEqualTo("level = info\n" + LINE.repeat(4));
        assertThat(driftOf("merge")).isEmpty();
    }

    @Test
    void aFileManagedOnceIsThePrograms() throws IOException {
        Answer refused =
                deployment.rest.post("/api/v1/rollouts", rollout("once", "v1-append", "v4-append"));
        assertThat(refused.text("/reason")).as("%s", refused).isEqualTo("MANIFEST_INVALID");
        assertThat(refused.text("/detail")).contains("/" + CONFIG);

        String id = deployment.started(rollout("once", "v1-append", "v2-append"));
        deployment.awaitStill(id, "completed");
        assertThat(content("once")).isEqualTo("level = info\n" + LINE.repeat(2));

        String failed = deployment.started(rollout("once", "v2-append", "v3-append-fall"));
        deployment.awaitStill(failed, "paused");
        assertThat(deployment.node(failed, "once").at("/status").asString()).isEqualTo("failed");
        deployment.endActiveRollouts();
        assertRuns("once", "v2-append");
        assertThat(content("once")).isEqualTo("level = info\n" + LINE.repeat(3));

        deployment.request(id, "rollback");
        deployment.awaitStill(id, "rolled_back");
        assertRuns("once", "v1-append");
        assertThat(content("once")).isEqualTo("level = info\n" + LINE.repeat(2));
        assertThat(driftOf("once")).isEmpty();

        Files.delete(deployment.root("once").resolve(CONFIG));
        await().atMost(Waits.LIMIT).until(() -> !driftOf("once").isEmpty());
        assertThat(driftOf("once")).allMatch(it -> it.contains("/" + CONFIG));
    }

    private static final String CHANGE =
            """
            config_changes:
              - path: /etc/writer.conf
                template: writer.conf.tmpl
                overrides: { level: debug }
            """;

    private static String profile(String managed) {
        return """
            runtime: { type: process }
            programs:
              - name: writer
                path: /opt/writer
                arguments: ["{path}", "-c", "%s"]
                configs:
                  - { path: /etc/writer.conf, template: writer.conf.tmpl, managed: %s }
                probes:
                  - name: alive
                    kind: process
                    interval: 1s
                    sets: { application_health: critical }
            variables: { level: info }
            health: { wait: 1s, crash_loop_restarts: 3 }
            """
                .formatted(SCRIPT, managed);
    }

    private String node(String managed, String version) throws IOException {
        return """
              - name: %1$s
                chain: %1$s
                type: box
                programs:
                  - { name: writer, version: %2$s, url: "%3$s", checksum: "%4$s" }
            """
                .formatted(managed, version, artifact(version), Digest.of(program(version)));
    }

    private void manifest(String chain, String version, String changes) throws IOException {
        write(
                "upgrades/" + chain + "/" + chain + "-" + version + ".yaml",
                """
                upgrade_id: %1$s-%2$s
                chain_profile_id: %1$s
                node_type: box
                binary_name: writer
                target_version: %2$s
                target_url: "%3$s"
                target_checksum: %4$s
                """
                                .formatted(
                                        chain,
                                        version,
                                        artifact(version),
                                        Digest.of(program(version)))
                        + changes);
    }

    private static String rollout(String chain, String from, String to) {
        return """
            {"upgrade_id": "%1$s-%3$s", "chain_profile_id": "%1$s", "node_type": "box",
             "source_version": "%2$s", "strategy": "rolling", "batch_size": 1,
             "health_wait_duration": "1s"}
            """
                .formatted(chain, from, to);
    }

    private static byte[] program(String version) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(Files.readAllBytes(SHELL));
        bytes.write(("\nwriter: " + version + "\n").getBytes(UTF_8));
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

    private String content(String node) throws IOException {
        return Files.readString(deployment.root(node).resolve(CONFIG));
    }

    private void assertRuns(String node, String version) throws IOException {
        assertThat(TestDeployment.executable(deployment.pid(node)))
                .isEqualTo(Digest.of(program(version)));
    }

    /** Sentences of the node's incidents about drift, resolved ones too. */
    private List<String> driftOf(String node) {
        JsonNode incidents = deployment.rest.get("/api/v1/incidents").body().at("/incidents");
        return StreamSupport.stream(incidents.spliterator(), false)
                .filter(it -> it.at("/category").asString().equals("drift"))
                .filter(it -> it.at("/node_id").asString().equals(node))
                .map(JsonNode::toString)
                .toList();
    }
}
