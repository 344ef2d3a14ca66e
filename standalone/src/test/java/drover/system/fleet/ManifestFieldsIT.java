package drover.system.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Fields of a manifest from its file, over gRPC, to the decisions of the coordinator. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ManifestFieldsIT {
    private TestDeployment deployment;

    @BeforeAll
    void twoNodesAndTwoManifests(@TempDir Path place) throws IOException {
        FullBuildAssumption.requireEverything();
        SleepProgramConfig yard = SleepProgramConfig.in(place.resolve("config"));
        yard.node("bunk-1").node("bunk-2");
        byte[] v2 = SleepProgramConfig.program("v2");
        byte[] bad = SleepProgramConfig.fallingOver("v3");
        yard.manifest(
                "v2",
                "file:///nowhere/sleeper-v2",
                SleepProgramConfig.digest("v9"),
                "artifacts:",
                "  linux/amd64: { url: \"%s\", checksum: %s }"
                        .formatted(yard.url("v2", v2), Digest.of(v2)),
                "  linux/arm64: { url: \"%s\", checksum: %s }"
                        .formatted(yard.url("v2", v2), Digest.of(v2)));
        yard.manifest(
                "v3",
                yard.url("v3", bad),
                Digest.of(bad),
                "expected_failures: { reasons: [START_FAILED, NOT_RUNNING], max_nodes: 1 }");
        deployment = TestDeployment.of(place.resolve("mesh"), yard.folder());
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            deployment.close();
        }
    }

    private static String rollout(String manifest) {
        return """
        {"upgrade_id": "%s", "chain_profile_id": "yard", "node_type": "bunk",
         "source_version": "v1", "strategy": "rolling", "batch_size": 1,
         "health_wait_duration": "1s"}
        """
                .formatted(manifest);
    }

    @Test
    @Order(1)
    @DisplayName("S3-15 a failure that the manifest expects does not pause; one more does")
    void expectedFailuresReachThePlanner() {
        String id = deployment.started(rollout("sleeper-v3"));
        deployment.awaitStill(id, "paused");

        assertThat(deployment.node(id, "bunk-1").at("/status").asString("")).isEqualTo("failed");
        assertThat(deployment.node(id, "bunk-2").at("/status").asString("")).isEqualTo("failed");
        deployment.endActiveRollouts();
    }

    @Test
    @Order(2)
    @DisplayName("S1-37 the artifact of the node's platform is installed")
    void artifactsOfPlatformsReachTheNode() throws IOException {
        String id = deployment.started(rollout("sleeper-v2"));
        deployment.awaitStill(id, "completed");

        assertThat(TestDeployment.executable(deployment.pid("bunk-1")))
                .isEqualTo(SleepProgramConfig.digest("v2"));
    }
}
