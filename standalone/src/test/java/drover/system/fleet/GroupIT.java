package drover.system.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.gateway.Faults;
import drover.model.Digest;
import drover.model.NodeId;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Rollout groups over REST, on nodes with two real programs each; what runs is told by the kernel.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class GroupIT {
    private static final Duration SOON = Waits.LIMIT; // measured 5–25 s
    private static final Set<String> ENDED =
            Set.of("completed", "partial", "failed", "cancelled", "rolled_back");
    private static final String LOWER = "lower";
    private static final String UPPER = "upper";

    private static final List<String> NODES =
            List.of("all-1", "all-2", "back", "part", "hand", "gate", "again");

    private TestDeployment deployment;
    private Path place;
    private Path config;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        FullBuildAssumption.requireEverything();
        place = folder;
        SleepProgramConfig yard = SleepProgramConfig.in(folder.resolve("config"));
        config = yard.folder();
        yard.write("chains/duo.yaml", PROFILE);
        StringBuilder nodes = new StringBuilder("nodes:\n");
        for (String node : NODES) {
            nodes.append(node(yard, node));
        }
        yard.write("nodes.yaml", nodes.toString());
        for (String program : List.of(LOWER, UPPER)) {
            manifest(yard, program, "v2", SleepProgramConfig.program(program + " v2"));
            manifest(yard, program, "v3", SleepProgramConfig.fallingOver(program + " v3"));
        }
        deployment = TestDeployment.of(place.resolve("mesh"), config);
        await().atMost(Waits.LIMIT).until(this::isEveryProgramReportedAsRunning);
    }

    /** A rollout starts on healthy targets only, and a node reports first what it is starting. */
    private boolean isEveryProgramReportedAsRunning() {
        List<Boolean> running = new ArrayList<>();
        for (JsonNode node : deployment.rest.get("/api/v1/nodes").body().at("/nodes")) {
            node.at("/programs").forEach(it -> running.add(it.at("/running").asBoolean()));
        }
        return running.size() == 2 * NODES.size() && !running.contains(false);
    }

    /** Ends whatever is still active, so that the next test may begin. */
    @AfterEach
    void endActiveGroups() {
        for (JsonNode one : deployment.rest.get("/api/v1/rollout-groups").body().at("/groups")) {
            if (!ENDED.contains(one.at("/status").asString())) {
                String id = one.at("/id").asString();
                request(id, "cancel", "{}");
                await().atMost(SOON).until(() -> ENDED.contains(status(id)));
            }
        }
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            deployment.close();
        }
    }

    private static final String PROFILE =
            """
            runtime: { type: process }
            programs:
              - name: lower
                path: /opt/lower/sleep
                arguments: ["{path}", "86400"]
              - name: upper
                path: /opt/upper/sleep
                arguments: ["{path}", "86400"]
                probes:
                  - name: not-told-otherwise
                    kind: exec
                    command: ["/usr/bin/test", "!", "-e", "{{ .mark }}"]
                    interval: 1s
                    sets: { application_health: critical }
            health: { wait: 1s, crash_loop_restarts: 3 }
            """;

    private String node(SleepProgramConfig yard, String name) throws IOException {
        StringBuilder entry =
                new StringBuilder("  - name: " + name + "\n    chain: duo\n    type: pair\n");
        entry.append("    labels: { var.mark: \"" + place.resolve(name) + "\" }\n");
        entry.append("    programs:\n");
        for (String program : List.of(LOWER, UPPER)) {
            byte[] bytes = SleepProgramConfig.program(program + " v1");
            entry.append(
                    "      - { name: %s, version: v1, url: \"%s\", checksum: \"%s\" }\n"
                            .formatted(
                                    program, yard.url(program + "-v1", bytes), Digest.of(bytes)));
        }
        return entry.toString();
    }

    private static void manifest(
            SleepProgramConfig yard, String program, String version, byte[] bytes)
            throws IOException {
        yard.write(
                "upgrades/duo/%s-%s.yaml".formatted(program, version),
                """
                upgrade_id: %1$s-%2$s
                chain_profile_id: duo
                node_type: pair
                binary_name: %1$s
                target_version: %2$s
                target_url: "%3$s"
                target_checksum: %4$s
                """
                        .formatted(
                                program,
                                version,
                                yard.url(program + "-" + version, bytes),
                                Digest.of(bytes)));
    }

    @Test
    @DisplayName("A3: both programs of both nodes are upgraded, one component after the other")
    void upgradesBothProgramsAndRollsBothBackInReverseOrder() throws IOException {
        String group = started("manual", "v2", "all-1", "all-2");
        JsonNode done = awaitStill(group, "completed");
        assertThat(done.at("/components/0/status").asString()).isEqualTo("completed");
        assertThat(done.at("/components/1/succeeded_nodes").asInt()).isEqualTo(2);
        for (String node : List.of("all-1", "all-2")) {
            awaitRunning(node, "lower v2", "upper v2");
        }
        assertThat(whenFinished(group, 0)).isLessThan(whenStarted(group, 1));

        requestOk(group, "rollback", "{\"reason\": \"Not wanted after all.\"}");
        awaitStill(group, "rolled_back");
        for (String node : List.of("all-1", "all-2")) {
            awaitRunning(node, "lower v1", "upper v1");
        }
        assertThat(whenFinished(group, 1)).isLessThan(whenFinished(group, 0));
        assertThat(codes(group))
                .containsSubsequence(
                        "ROLLED_BACK",
                        "ROLLBACK",
                        "COMPLETED",
                        "GATE_OPEN",
                        "COMPONENT_COMPLETED",
                        "STARTED",
                        "CREATED");
    }

    @Test
    @Faults(
            rule = "A3 (component rollouts run one after the other)",
            sample = "GroupIT.upgradesBothProgramsAndRollsBothBackInReverseOrder")
    void rollbackAllBringsTheCompletedComponentBackWhenTheNextOneFails() throws IOException {
        String group = started("rollback_all", "v3", "back");
        JsonNode done = awaitStill(group, "rolled_back");
        assertThat(done.at("/components/0/status").asString()).isEqualTo("rolled_back");
        assertThat(done.at("/components/1/status").asString()).isEqualTo("rolled_back");
        awaitRunning("back", "lower v1", "upper v1");
    }

    @Test
    void partialOkKeepsTheCompletedComponentWhenTheNextOneFails() throws IOException {
        String group = started("partial_ok", "v3", "part");
        JsonNode done = awaitStill(group, "partial");
        assertThat(done.at("/components/0/status").asString()).isEqualTo("completed");
        assertThat(done.at("/components/1/status").asString()).isEqualTo("cancelled");
        awaitRunning("part", "lower v2", "upper v1");
    }

    @Test
    void manualPausesAndAnOperatorSkips() throws IOException {
        String group = started("manual", "v3", "hand");
        JsonNode paused = awaitStill(group, "paused");
        assertThat(paused.at("/pause_reason").asString()).isEqualTo("COMPONENT_FAILED");
        String rollout = paused.at("/components/1/rollout_id").asString();

        Answer past = deployment.rest.post("/api/v1/rollouts/" + rollout + "/cancel", "{}");
        assertThat(past.status()).as("%s", past).isEqualTo(409);
        assertThat(past.text("/reason")).as("%s", past).isEqualTo("IN_GROUP");
        Answer unacknowledged = request(group, "resume", "{\"acknowledged_failures\": 7}");
        assertThat(unacknowledged.text("/reason"))
                .as("%s", unacknowledged)
                .isEqualTo("ACKNOWLEDGE_FAILURES");

        requestOk(group, "skip", "{}");
        JsonNode done = awaitStill(group, "partial");
        assertThat(done.at("/components/1/skipped").asBoolean()).isTrue();
        awaitRunning("hand", "lower v2", "upper v1");
    }

    @Test
    @Faults(
            rule = "S0-80 (a health gate is between the components of a group)",
            sample = "GroupPlannerTest.anUnhealthyGateIsAFailureAndThePolicyDecides")
    void anUnhealthyProgramThatNoComponentHasModifiedShutsTheGate() throws IOException {
        Files.setPosixFilePermissions(
                place, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
        Path unhealthy = place.resolve("gate"); // the probe runs without privileges
        Files.createFile(unhealthy);
        String group = started("manual", "v2", "gate");
        JsonNode paused = awaitStill(group, "paused");
        assertThat(paused.at("/pause_reason").asString()).isEqualTo("GATE_UNHEALTHY");
        assertThat(paused.at("/components/1/status").asString()).isEqualTo("pending");
        awaitRunning("gate", "lower v2", "upper v1");

        Files.delete(unhealthy);
        requestOk(group, "resume", "{}");
        awaitStill(group, "completed");
        awaitRunning("gate", "lower v2", "upper v2");
    }

    @Test
    @Faults(
            rule = "B6 (the next leader completes the remaining work)",
            sample = "GroupPlannerTest.aGateThatANewLeaderListensToGetsItsWholeTime")
    void groupContinuesAfterALeaderFailover() throws IOException {
        Files.createFile(place.resolve("again"));
        String group = created("manual", "v2", "again");
        requestOk(group, "start", "{}");
        await().atMost(SOON).until(() -> stage(group).equals("gate"));
        deployment.close();
        deployment = TestDeployment.of(place.resolve("mesh"), config);
        Files.delete(place.resolve("again"));
        await().atMost(SOON).until(() -> isStill(status(group)));
        if (status(group).equals("paused")) { // the gate may have been judged before
            requestOk(group, "resume", "{}");
        }
        awaitStill(group, "completed");
        awaitRunning("again", "lower v2", "upper v2");
        for (int i = 0; i < 2; i++) {
            String rollout = group(group).at("/components/" + i + "/rollout_id").asString();
            assertThat(starts(rollout)).as("asked once, whoever led").isEqualTo(1);
        }
    }

    @Test
    void refusesWhatCannotBeAGroup() {
        Answer noPolicy =
                deployment.rest.post(
                        "/api/v1/rollout-groups",
                        "{\"chain_profile_id\": \"duo\", \"desired_versions\": {\"lower\": \"v2\"}}");
        assertThat(noPolicy.status()).isEqualTo(400);
        assertThat(noPolicy.text("/reason")).isEqualTo("MISSING_FIELD");
        Answer broken =
                deployment.rest.post(
                        "/api/v1/rollout-groups",
                        json("manual", "v2", "all-1").replace("lower-v2", "lower-v9"));
        assertThat(broken.text("/reason")).as("%s", broken).isEqualTo("MANIFEST_NOT_FOUND");
        assertThat(broken.text("/detail")).startsWith("Component lower: ");
        assertThat(
                        deployment
                                .rest
                                .get("/api/v1/rollout-groups?status=pending")
                                .body()
                                .at("/groups"))
                .as("nothing half-made")
                .isEmpty();
        assertThat(deployment.rest.get("/api/v1/rollout-groups/nowhere/status").status())
                .isEqualTo(404);
    }

    private String started(String policy, String upper, String... nodes) {
        String group = created(policy, upper, nodes);
        requestOk(group, "start", "{}");
        return group;
    }

    private String created(String policy, String upper, String... nodes) {
        Answer answer = deployment.rest.post("/api/v1/rollout-groups", json(policy, upper, nodes));
        assertThat(answer.status()).as("%s", answer).isEqualTo(201);
        return answer.text("/group/id");
    }

    private static String json(String policy, String upper, String... nodes) {
        return """
            {"chain_profile_id": "duo", "node_type": "pair", "failure_policy": "%s",
             "desired_versions": {"lower": "v2", "upper": "%s"},
             "component_order": [
               {"binary_name": "lower", "upgrade_id": "lower-v2", "source_version": "v1"},
               {"binary_name": "upper", "upgrade_id": "upper-%s", "source_version": "v1"}],
             "strategy": "rolling", "batch_size": 1, "health_wait_duration": "1s",
             "node_ids": ["%s"]}
            """
                .formatted(policy, upper, upper, String.join("\", \"", nodes));
    }

    private Answer request(String group, String verb, String json) {
        return deployment.rest.post("/api/v1/rollout-groups/" + group + "/" + verb, json);
    }

    private void requestOk(String group, String verb, String json) {
        Answer answer = request(group, verb, json);
        assertThat(answer.status()).as("%s: %s", verb, answer).isIn(200, 202);
    }

    private JsonNode group(String id) {
        return deployment.rest.get("/api/v1/rollout-groups/" + id + "/status").body().at("/group");
    }

    private String status(String id) {
        return group(id).at("/status").asString("");
    }

    private String stage(String id) {
        return group(id).at("/stage").asString("");
    }

    private static boolean isStill(String status) {
        return status.equals("paused") || ENDED.contains(status);
    }

    private JsonNode awaitStill(String id, String wanted) {
        await().atMost(SOON).pollInterval(Duration.ofMillis(100)).until(() -> isStill(status(id)));
        JsonNode group = group(id);
        assertThat(group.at("/status").asString())
                .as("%s", deployment.rest.get("/api/v1/rollout-groups/" + id + "/why").body())
                .isEqualTo(wanted);
        return group;
    }

    private JsonNode rollout(String group, int component) {
        return deployment
                .rest
                .get("/api/v1/rollout-groups/" + group)
                .body()
                .at("/rollouts/" + component);
    }

    private String whenFinished(String group, int component) {
        return rollout(group, component).at("/finished_at").asString();
    }

    private String whenStarted(String group, int component) {
        return rollout(group, component).at("/started_at").asString();
    }

    private List<String> codes(String group) {
        List<String> codes = new ArrayList<>();
        deployment
                .rest
                .get("/api/v1/rollout-groups/" + group + "/why")
                .body()
                .at("/history")
                .forEach(because -> codes.add(because.at("/code").asString()));
        return codes;
    }

    private long starts(String rollout) {
        long starts = 0;
        for (JsonNode because :
                deployment.rest.get("/api/v1/rollouts/" + rollout + "/why").body().at("/history")) {
            if (because.at("/code").asString().equals("STARTED")) {
                starts++;
            }
        }
        return starts;
    }

    /** Waits for the processes: a program that was told to stop may take a moment. */
    private void awaitRunning(String node, String... programs) throws IOException {
        List<Digest> wanted = new ArrayList<>();
        for (String program : programs) {
            wanted.add(SleepProgramConfig.digest(program));
        }
        await().atMost(Waits.LIMIT)
                .untilAsserted(
                        () ->
                                assertThat(running(node))
                                        .containsExactlyInAnyOrderElementsOf(wanted));
    }

    private List<Digest> running(String node) throws IOException {
        List<Digest> running = new ArrayList<>();
        for (long pid : deployment.pids(new NodeId(node).value())) {
            running.add(TestDeployment.executable(pid));
        }
        return running;
    }
}
