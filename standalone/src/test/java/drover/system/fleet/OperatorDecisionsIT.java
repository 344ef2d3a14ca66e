package drover.system.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import drover.cli.DroverCli;
import drover.gateway.Faults;
import drover.model.Digest;
import drover.model.NodeId;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
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
 * What only a person may decide, over real agents and programs: forcing, approving, going back, and
 * going back again. Every test has nodes of its own, all at v1.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class OperatorDecisionsIT {
    private TestDeployment deployment;

    /** What was typed, and what came of it. */
    private record Typed(int exitCode, String out, String err) {}

    @BeforeAll
    void start(@TempDir Path place) throws IOException {
        FullBuildAssumption.requireEverything();
        SleepProgramConfig yard = SleepProgramConfig.in(place.resolve("config"));
        for (int i = 1; i <= 7; i++) {
            yard.node("bunk-" + i);
        }
        for (String version : List.of("v2", "v3")) {
            byte[] program = SleepProgramConfig.program(version);
            yard.manifest(version, yard.url(version, program), Digest.of(program));
        }
        byte[] falling = SleepProgramConfig.fallingOver("falls");
        yard.manifest("falls", yard.url("falls", falling), Digest.of(falling));
        byte[] breaking = SleepProgramConfig.program("breaks");
        yard.manifest(
                "breaks",
                yard.url("breaks", breaking),
                Digest.of(breaking),
                "state_compatibility: { migration_type: breaking }",
                "recovery_plan: Provision the node anew.");
        byte[] dreaming = SleepProgramConfig.program("dreams");
        yard.manifest(
                "dreams",
                yard.url("dreams", dreaming),
                Digest.of(dreaming),
                "config_changes:",
                "  - path: /etc/sleeper.conf",
                "    template: sleeper.conf.tmpl",
                "    overrides: { dream: goats }");
        deployment = TestDeployment.of(place.resolve("mesh"), yard.folder());
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
    @DisplayName("A6: forced from the terminal the rest has its turn, and who forced it is shown")
    void forcedRolloutContinuesAndRecordsTheOperator() {
        String id = deployment.started(rollout("falls", "v1", "\"rolling\"", "bunk-1", "bunk-2"));
        deployment.awaitStill(id, "paused");
        assertThat(deployment.rollout(id).at("/pause_reason").asString())
                .isEqualTo("FAILURE_THRESHOLD");
        assertThat(deployment.node(id, "bunk-2").at("/attempt_count").asInt()).isZero();

        assertThat(type("rollout", "force", id).exitCode()).as("without a reason").isNotZero();
        Typed forced = type("rollout", "force", id, "--reason", "The fork is at noon.");

        assertThat(forced.exitCode()).as(forced.err()).isZero();
        JsonNode failed = deployment.awaitStill(id, "failed");
        assertThat(failed.at("/failure_reason").asString()).isEqualTo("NODES_FAILED");
        assertThat(failed.at("/failed_nodes").asInt()).isEqualTo(2);
        assertThat(deployment.node(id, "bunk-2").at("/attempt_count").asInt()).isEqualTo(1);
        assertThat(failed.at("/forced_by").asString()).isEqualTo("key:approver");
        assertThat(failed.at("/forced_at").asString()).isNotEmpty();
        assertThat(failed.at("/created_by").asString()).isEqualTo("key:admin");
        assertThat(failed.at("/approved_by").asString("")).isEmpty();
        assertThat(type("rollout", "show", id).out()).containsPattern("forced\\s+.*key:approver");
        assertThat(deed(id, "FORCED")).contains("The fork is at noon.");
    }

    @Test
    @DisplayName("A9: a breaking migration goes beyond its canary only when it is approved")
    void breakingMigrationNeedsApprovalAndRecordsTheApprover() throws IOException {
        String id =
                deployment.started(
                        rollout(
                                "breaks",
                                "v1",
                                "\"canary\", \"canary_size\": 1, \"acknowledge_state_risk\": true",
                                "bunk-3",
                                "bunk-4"));
        deployment.awaitStatus(id, "awaiting_approval");
        assertThat(deployment.rollout(id).at("/succeeded_nodes").asInt()).isEqualTo(1);
        assertThat(refused(id, "force")).as("no way around it").isEqualTo("USE_APPROVE");

        Typed approved = type("rollout", "approve", id, "--reason", "It was looked at.");

        assertThat(approved.exitCode()).as(approved.err()).isZero();
        JsonNode completed = deployment.awaitStill(id, "completed");
        assertThat(completed.at("/approved_by").asString()).isEqualTo("key:approver");
        assertThat(completed.at("/approved_at").asString()).isNotEmpty();
        assertThat(completed.at("/forced_by").asString("")).isEmpty();
        assertThat(type("rollout", "show", id).out()).containsPattern("approved\\s+.*key:approver");
        assertThat(deed(id, "APPROVED")).contains("It was looked at.");
        for (String node : List.of("bunk-3", "bunk-4")) {
            assertThat(TestDeployment.executable(deployment.pid(node)))
                    .isEqualTo(SleepProgramConfig.digest("breaks"));
        }
    }

    @Test
    @DisplayName("A13: a rollout is rolled back after the one that changed the same program later")
    @Faults(
            rule = "A13 (a rollback restores binary and configuration)",
            sample = "RollbackConfigIT.restoresEveryByteOwnerAndMode")
    void rolloutsAreRolledBackInTheOrderInWhichTheyCame() throws IOException {
        String first = completed("v2", "v1", "bunk-5");
        String second = completed("v3", "v2", "bunk-5");

        assertThat(refused(first, "rollback")).isEqualTo("SUPERSEDED");
        assertThat(TestDeployment.executable(deployment.pid("bunk-5")))
                .isEqualTo(SleepProgramConfig.digest("v3"));

        deployment.request(second, "rollback");
        deployment.awaitStill(second, "rolled_back");
        assertThat(TestDeployment.executable(deployment.pid("bunk-5")))
                .isEqualTo(SleepProgramConfig.digest("v2"));

        deployment.request(first, "rollback");
        deployment.awaitStill(first, "rolled_back");
        assertThat(TestDeployment.executable(deployment.pid("bunk-5")))
                .isEqualTo(SleepProgramConfig.digest("v1"));
    }

    @Test
    @DisplayName("A13: without its backup a node gets its old program anew from its address")
    @Faults(
            rule = "A13 (a rollback restores binary and configuration)",
            sample = "RestoreByDownloadTest.installsThePreviousArtifactWithoutABackup")
    void aNodeWithoutItsBackupIsBroughtBackFromTheAddress() throws IOException {
        String id = completed("v2", "v1", "bunk-6");
        loseBackups("bunk-6");

        deployment.request(id, "rollback");
        deployment.awaitStill(id, "rolled_back");

        assertThat(TestDeployment.executable(deployment.pid("bunk-6")))
                .isEqualTo(SleepProgramConfig.digest("v1"));
        assertThat(deployment.node(id, "bunk-6").at("/status").asString()).isEqualTo("rolled_back");
    }

    @Test
    @DisplayName("D3: without its backup a node whose configuration changed is left as it is")
    @Faults(
            rule = "D3 (an old program never runs with new configuration)",
            sample = "RestoreByDownloadTest.refusesWhenConfigurationChanged")
    void aNodeWithoutItsBackupKeepsAConfigurationThatChanged() throws IOException {
        String id = completed("dreams", "v1", "bunk-7");
        loseBackups("bunk-7");
        long before = deployment.pid("bunk-7");

        deployment.request(id, "rollback");
        JsonNode failed = deployment.awaitStill(id, "failed");

        assertThat(failed.at("/failure_reason").asString()).isEqualTo("ROLLBACK_INCOMPLETE");
        assertThat(deployment.node(id, "bunk-7").at("/reason").asString()).isEqualTo("NO_BACKUP");
        assertThat(deployment.pid("bunk-7")).as("never stopped").isEqualTo(before);
        assertThat(TestDeployment.executable(before))
                .isEqualTo(SleepProgramConfig.digest("dreams"));
        assertThat(
                        Files.readString(
                                deployment.root("bunk-7").resolve(SleepProgramConfig.CONFIG_PATH)))
                .isEqualTo("dream = goats\n");
    }

    private String completed(String upgrade, String from, String node) {
        String id = deployment.started(rollout(upgrade, from, "\"rolling\"", node));
        deployment.awaitStill(id, "completed");
        return id;
    }

    /** The code with which a request is refused. */
    private String refused(String id, String verb) {
        Answer answer =
                deployment.rest.post(
                        "/api/v1/rollouts/" + id + "/" + verb, "{\"reason\": \"It is tried.\"}");
        assertThat(answer.status()).as("%s", answer).isEqualTo(409);
        return answer.text("/reason");
    }

    /** What the history tells of a person's decision. */
    private String deed(String id, String code) {
        for (JsonNode row :
                deployment.rest.get("/api/v1/rollouts/" + id + "/why").body().at("/history")) {
            if (row.at("/code").asString().equals(code) && row.at("/node_id").isMissingNode()) {
                assertThat(row.at("/actor").asString()).isEqualTo("key:approver");
                return row.at("/sentence").asString();
            }
        }
        throw new AssertionError("Nothing tells of " + code);
    }

    private Typed type(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(
                List.of("--server", "127.0.0.1:" + deployment.standalone.deployment().grpcPort()));
        all.addAll(List.of("--key-file", deployment.data.root().toString()));
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                DroverCli.run(
                        all.toArray(String[]::new), new PrintWriter(out), new PrintWriter(err));
        return new Typed(exitCode, out.toString(), err.toString());
    }

    private void loseBackups(String node) throws IOException {
        Path backups = deployment.data.node(new NodeId(node)).state().resolve(".upgrade-backup");
        List<Path> saved;
        try (Stream<Path> files = Files.walk(backups)) {
            saved = files.filter(Files::isRegularFile).toList();
        }
        assertThat(saved).isNotEmpty();
        for (Path file : saved) {
            Files.delete(file);
        }
    }

    private static String rollout(String upgrade, String from, String strategy, String... nodes) {
        return """
            {"upgrade_id": "sleeper-%s", "chain_profile_id": "yard", "node_type": "bunk",
             "source_version": "%s", "node_ids": ["%s"], "strategy": %s, "batch_size": 1,
             "health_wait_duration": "1s"}
            """
                .formatted(upgrade, from, String.join("\", \"", nodes), strategy);
    }
}
