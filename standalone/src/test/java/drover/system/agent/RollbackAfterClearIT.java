package drover.system.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import drover.model.Digest;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A node that rejected its restore is repaired and cleared; then the rollback restores it. */
@Timeout(600)
class RollbackAfterClearIT {
    private static final String NODE = "moored";

    private TestDeployment deployment;

    @BeforeEach
    void start(@TempDir Path directory) throws IOException {
        FullBuildAssumption.requireEverything();
        SleepProgramConfig yard = SleepProgramConfig.in(directory.resolve("config"));
        byte[] program = SleepProgramConfig.program("v2");
        yard.node(NODE).manifest("v2", yard.url("v2", program), Digest.of(program));
        deployment = TestDeployment.of(directory.resolve("deployment"), yard.folder());
    }

    @AfterEach
    void close() {
        if (deployment != null) {
            deployment.close();
        }
    }

    @Test
    @DisplayName(
            "A13, D14: a program file was immutable: after chattr -i and a clear it is restored")
    void rollsBackAfterTheRepair() throws Exception {
        Digest before = TestDeployment.executable(deployment.pid(NODE));
        String rollout =
                deployment.started(
                        """
                        {"upgrade_id": "sleeper-v2", "chain_profile_id": "yard", "node_type": "bunk",
                         "source_version": "v1", "node_ids": ["%s"], "strategy": "rolling",
                         "batch_size": 1, "health_wait_duration": "1s"}
                        """
                                .formatted(NODE));
        deployment.awaitStill(rollout, "completed");
        long running = deployment.pid(NODE);
        Path file = Path.of("/proc", Long.toString(running), "exe").toRealPath();
        assumeThat(changeAttributes("+i", file))
                .as("the file system of %s supports immutable files", file)
                .isTrue();
        try {
            deployment.request(rollout, "rollback");
            deployment.awaitStill(rollout, "failed");
            JsonNode refused = deployment.node(rollout, NODE);
            assertThat(refused.at("/status").asString("")).isEqualTo("failed_rollback");
            assertThat(refused.toString()).contains("immutable");
            assertThat(deployment.pid(NODE)).isEqualTo(running);
        } finally {
            assertThat(changeAttributes("-i", file)).isTrue();
        }

        assertThat(clear()).isIn(200, 202);
        await().atMost(Waits.LIMIT).until(() -> newestReason().equals("CLEARED"));
        assertThat(deployment.pid(NODE)).isEqualTo(running);
        deployment.request(rollout, "rollback");

        deployment.awaitStill(rollout, "rolled_back");
        assertThat(TestDeployment.executable(deployment.pid(NODE))).isEqualTo(before);
    }

    private static boolean changeAttributes(String change, Path file) throws Exception {
        Process process = new ProcessBuilder("chattr", change, file.toString()).inheritIO().start();
        return process.waitFor() == 0;
    }

    private int clear() {
        return deployment
                .rest
                .post("/api/v1/nodes/" + NODE + "/clear", "{\"reason\": \"chattr -i\"}")
                .status();
    }

    private String newestReason() {
        return deployment.rest.get("/api/v1/nodes/" + NODE + "/why").text("/reasons/0/code");
    }
}
