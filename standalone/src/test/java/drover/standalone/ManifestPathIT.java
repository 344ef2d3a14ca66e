package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
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
class ManifestPathIT {
    private TestMesh mesh;

    @BeforeAll
    void twoNodesAndTwoManifests(@TempDir Path place) throws IOException {
        WholeBuild.requireEverything();
        SleepYard yard = SleepYard.in(place.resolve("config"));
        yard.node("bunk-1").node("bunk-2");
        byte[] v2 = SleepYard.program("v2");
        byte[] bad = SleepYard.fallingOver("v3");
        yard.manifest(
                "v2",
                "file:///nowhere/sleeper-v2",
                SleepYard.digest("v9"),
                "artifacts:",
                "  linux/amd64: { url: \"%s\", checksum: %s }"
                        .formatted(yard.url("v2", v2), Digest.of(v2)),
                "  linux/arm64: { url: \"%s\", checksum: %s }"
                        .formatted(yard.url("v2", v2), Digest.of(v2)));
        yard.manifest(
                "v3",
                yard.url("v3", bad),
                Digest.of(bad),
                "expected_failures: { reasons: [START_FAILED, NOT_RUNNING], at_most: 1 }");
        mesh = TestMesh.of(place.resolve("mesh"), yard.folder());
    }

    @AfterAll
    void close() {
        if (mesh != null) {
            mesh.close();
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
        String id = mesh.started(rollout("sleeper-v3"));
        mesh.awaitStill(id, "paused");

        assertThat(mesh.node(id, "bunk-1").at("/status").asString("")).isEqualTo("failed");
        assertThat(mesh.node(id, "bunk-2").at("/status").asString("")).isEqualTo("failed");
        mesh.endActiveRollouts();
    }

    @Test
    @Order(2)
    @DisplayName("S1-37 the artifact of the node's platform is installed")
    void artifactsOfPlatformsReachTheNode() throws IOException {
        String id = mesh.started(rollout("sleeper-v2"));
        mesh.awaitStill(id, "completed");

        assertThat(TestMesh.executable(mesh.pid("bunk-1"))).isEqualTo(SleepYard.digest("v2"));
    }
}
