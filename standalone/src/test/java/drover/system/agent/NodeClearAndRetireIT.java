package drover.system.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.model.Digest;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Nodes that need a person: one is put right and cleared, one is given up. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class NodeClearAndRetireIT {
    private static final Duration SOON = Waits.LIMIT;
    private static final String WHY = "{\"reason\": \"It was looked at.\"}";

    private TestDeployment deployment;

    @BeforeAll
    void start(@TempDir Path place) throws IOException {
        FullBuildAssumption.requireEverything();
        SleepProgramConfig yard = SleepProgramConfig.in(place.resolve("config"));
        yard.node("bunk-1").node("stolen").node("gone", "agent: external");
        for (String version : List.of("v2", "v3")) {
            byte[] program = SleepProgramConfig.program(version);
            yard.manifest(version, yard.url(version, program), Digest.of(program));
        }
        deployment = TestDeployment.of(place.resolve("mesh"), yard.folder());
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            deployment.close();
        }
    }

    @Test
    @DisplayName("D14: a node in failed_rollback is skipped until it is cleared, then upgraded")
    void aClearedNodeIsUpgradedNext() throws IOException {
        assertThat(care("bunk-1", "clear").text("/reason")).isEqualTo("NOTHING_TO_CLEAR");
        String first = deployment.started(rollout("sleeper-v2", "v1"));
        deployment.awaitStill(first, "completed");
        deployment.spoilBackups("bunk-1");
        deployment.request(first, "rollback");
        deployment.awaitStill(first, "failed");
        assertThat(deployment.node(first, "bunk-1").at("/status").asString(""))
                .isEqualTo("failed_rollback");

        String skipping = deployment.started(rollout("sleeper-v3", "v2"));
        deployment.awaitStill(skipping, "failed");
        assertThat(deployment.node(skipping, "bunk-1").at("/skip_reason").asString(""))
                .isEqualTo("FAILED_ROLLBACK");

        assertThat(care("bunk-1", "clear").status()).isIn(200, 202);
        await().atMost(SOON).until(() -> newestReason("bunk-1").equals("CLEARED"));

        String next = deployment.started(rollout("sleeper-v3", "v2"));
        deployment.awaitStill(next, "completed");
        assertThat(TestDeployment.executable(deployment.pid("bunk-1")))
                .isEqualTo(SleepProgramConfig.digest("v3"));
    }

    @Test
    @DisplayName(
            "R1: a retired node is chosen by no rollout any more; one in service is not retired")
    void aRetiredNodeIsLeftOut() {
        assertThat(care("bunk-1", "retire").text("/reason")).isEqualTo("NODE_ONLINE");
        assertThat(deployment.rest.post("/api/v1/nodes/gone/retire", "{}").text("/reason"))
                .isEqualTo("MISSING_FIELD");

        assertThat(care("gone", "retire").status()).isIn(200, 202);

        await().atMost(SOON).until(() -> newestReason("gone").equals("RETIRED"));
        assertThat(deployment.rest.get("/api/v1/nodes/gone").text("/node/retired_at")).isNotEmpty();
        JsonNode listed = deployment.rest.get("/api/v1/nodes").body().at("/nodes");
        assertThat(listed).hasSize(2);
        assertThat(listed.get(0).at("/id").asString("")).isEqualTo("bunk-1");
        assertThat(listed.get(1).at("/id").asString("")).isEqualTo("stolen");
    }

    @Test
    void aLogIsReadFromTheNodeThatIsConnected() throws IOException {
        await().atMost(SOON).until(() -> isOnline("bunk-1"));
        deployment.appendOutput("bunk-1", "sleeper", "dreaming of sheep\n");

        assertThat(log("bunk-1", "sleeper").text("/text")).endsWith("dreaming of sheep\n");
        Answer other = log("bunk-1", "database");
        assertThat(other.text("/reason")).isEqualTo("LOG_UNAVAILABLE");
        assertThat(other.toString()).contains("The node has no such program; it has sleeper.");
        assertThat(log("gone", "sleeper").text("/reason")).isEqualTo("NODE_OFFLINE");
        assertThat(log("nowhere", "sleeper").text("/reason")).isEqualTo("NODE_NOT_FOUND");
        assertThat(log("bunk-1", "sleeper;id").text("/reason")).isEqualTo("INVALID_FIELD");
    }

    private Answer log(String node, String program) {
        return deployment.rest.get("/api/v1/nodes/" + node + "/programs/" + program + "/log");
    }

    @Test
    @DisplayName("H3: a revoked node is cut off within 5 s, and operators see who said so and why")
    void aRevokedNodeIsCutOff() {
        await().atMost(SOON).until(() -> isOnline("stolen"));
        assertThat(deployment.rest.post("/api/v1/nodes/stolen/revoke", "{}").text("/reason"))
                .isEqualTo("MISSING_FIELD");
        assertThat(care("nobody", "revoke").text("/reason")).isEqualTo("NODE_NOT_FOUND");

        Answer revoked = care("stolen", "revoke");

        assertThat(revoked.status()).as(revoked.toString()).isEqualTo(200);
        assertThat(revoked.text("/node/block_reason")).isEqualTo("revoked");
        await().atMost(Waits.LIMIT).until(() -> !isOnline("stolen"));
        assertThat(newestReason("stolen")).isEqualTo("REVOKED");
        Answer why = deployment.rest.get("/api/v1/nodes/stolen/why");
        assertThat(why.text("/reasons/0/sentence"))
                .contains("asked to revoke it. It is done. Reason: It was looked at.");
        assertThat(why.body().at("/current").toString())
                .contains("drover token create --chain yard --type bunk --node stolen");
    }

    private boolean isOnline(String node) {
        return deployment
                .rest
                .get("/api/v1/nodes/" + node)
                .body()
                .at("/node/online")
                .asBoolean(false);
    }

    private Answer care(String node, String verb) {
        return deployment.rest.post("/api/v1/nodes/" + node + "/" + verb, WHY);
    }

    private String newestReason(String node) {
        return deployment.rest.get("/api/v1/nodes/" + node + "/why").text("/reasons/0/code");
    }

    private static String rollout(String upgrade, String from) {
        return """
            {"upgrade_id": "%s", "chain_profile_id": "yard", "node_type": "bunk",
             "source_version": "%s", "node_ids": ["bunk-1"], "strategy": "rolling", "batch_size": 1,
             "health_wait_duration": "1s"}
            """
                .formatted(upgrade, from);
    }
}
