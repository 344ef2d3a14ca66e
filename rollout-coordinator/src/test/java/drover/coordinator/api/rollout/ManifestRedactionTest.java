package drover.coordinator.api.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.Artifact;
import drover.manifest.v1.UpgradeManifest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ManifestRedactionTest {
    @Test
    @DisplayName("H14: a manifest shows its addresses without their queries")
    void redactsAllAddresses() {
        UpgradeManifest.Builder manifest =
                UpgradeManifest.newBuilder()
                        .setTargetUrl("https://files.test/web?sig=SECRET")
                        .putArtifacts(
                                "linux/amd64",
                                Artifact.newBuilder()
                                        .setUrl("https://files.test/amd64?sig=SECRET")
                                        .setSize(7)
                                        .build());
        ManifestGrpcService.redact(manifest);
        assertThat(manifest.build().toString()).doesNotContain("SECRET");
        assertThat(manifest.getTargetUrl()).isEqualTo("https://files.test/web");
        assertThat(manifest.getArtifactsOrThrow("linux/amd64").getSize()).isEqualTo(7);
    }
}
