package drover.coordinator.api.rollout;

import static drover.coordinator.api.ApiFixture.NEW;
import static drover.coordinator.api.ApiFixture.assertRefused;
import static drover.coordinator.api.ApiFixture.byHand;
import static drover.coordinator.api.ApiFixture.byManifest;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import drover.agent.v1.UpgradeWork;
import drover.coordinator.api.ApiFixture;
import drover.coordinator.peers.ManifestServiceLink.Artifact;
import drover.coordinator.peers.ManifestServiceLink.Manifest;
import drover.coordinator.peers.NodeDirectoryLink.DirectoryNode;
import drover.coordinator.peers.NodeDirectoryLink.Program;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import drover.node.v1.SkipReason;
import drover.rollout.v1.ExplainRolloutRequest;
import drover.rollout.v1.ListRolloutNodesRequest;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which artifact each node gets, and how it would be brought back, as the door shows it. */
final class PlatformsIT {
    private static final String ARM = Digest.of("web v2 for arm64").value();
    private static final Artifact FOR_ARM = new Artifact("https://example.test/arm", ARM, 99);
    private static final Set<String> BACKUPS = Set.of("upgrade/1", "restore/1");

    @AutoClose private ApiFixture rig;

    @BeforeEach
    void openServer() {
        rig = new ApiFixture();
        rig.profile("demo", "process");
    }

    private void node(int number, String platform, Set<String> features, String url) {
        rig.directory.add(
                "demo",
                List.of(
                        new DirectoryNode(
                                ApiFixture.id("demo", number),
                                "full",
                                Map.of(),
                                "",
                                Map.of(
                                        new BinaryName("web"),
                                        new Program(
                                                "v1",
                                                ApiFixture.OLD,
                                                ApiFixture.CONFIG,
                                                url,
                                                Map.of())),
                                platform,
                                features,
                                Instant.now(),
                                "g1")));
    }

    private void manifest(String url, String checksum) {
        rig.manifests.put(
                new ChainProfileId("demo"),
                "to-v2",
                new Manifest(
                        "full",
                        "web",
                        "v2",
                        url,
                        checksum,
                        7,
                        MigrationType.NONE,
                        "",
                        List.of(),
                        ApiFixture.MANIFEST_HASH,
                        Map.of("linux/arm64", FOR_ARM)));
    }

    private List<RolloutNode> nodes(Rollout rollout) {
        return rig
                .operator()
                .listRolloutNodes(
                        ListRolloutNodesRequest.newBuilder().setRolloutId(rollout.getId()).build())
                .getNodesList()
                .stream()
                .sorted(java.util.Comparator.comparing(RolloutNode::getNodeId))
                .toList();
    }

    /** What the node will be sent, as it was frozen. */
    private drover.agent.v1.Artifact frozen(int number) throws InvalidProtocolBufferException {
        byte[] body =
                (byte[])
                        rig.database
                                .row(
                                        "SELECT body FROM payload WHERE node_id = '"
                                                + ApiFixture.id("demo", number)
                                                + "'")
                                .get("body");
        return UpgradeWork.parseFrom(body).getArtifact();
    }

    @Test
    @DisplayName(
            "A19: the artifact for the node's platform is frozen, the plain one for all others")
    void everyNodeGetsTheArtifactOfItsPlatform() throws InvalidProtocolBufferException {
        manifest("https://example.test/plain", NEW);
        node(1, "linux/amd64", BACKUPS, "");
        node(2, "linux/arm64", BACKUPS, "");

        Rollout rollout = rig.create(byManifest("demo", "to-v2"));

        assertThat(rollout.getTargetBinaryChecksum()).isEqualTo(NEW);
        assertThat(nodes(rollout))
                .extracting(RolloutNode::getTargetChecksum)
                .containsExactly(NEW, ARM);
        assertThat(frozen(1).getUrl()).isEqualTo("https://example.test/plain");
        assertThat(frozen(1).getSize()).isEqualTo(7);
        assertThat(frozen(2).getUrl()).isEqualTo(FOR_ARM.url());
        assertThat(frozen(2).getDigest()).isEqualTo(ARM);
        assertThat(frozen(2).getSize()).isEqualTo(99);
    }

    @Test
    void aNodeWithoutAnArtifactForItsPlatformIsLeftAlone() {
        manifest("", "");
        node(1, "linux/amd64", BACKUPS, "");
        node(2, "linux/arm64", BACKUPS, "");
        node(3, "", BACKUPS, "");

        Rollout rollout = rig.create(byManifest("demo", "to-v2"));

        assertThat(rollout.getTargetBinaryChecksum()).isEmpty();
        assertThat(rollout.getSkippedNodes()).isEqualTo(2);
        List<RolloutNode> nodes = nodes(rollout);
        assertThat(nodes)
                .extracting(RolloutNode::getSkipReason)
                .containsExactly(
                        SkipReason.SKIP_REASON_UNSUPPORTED,
                        SkipReason.SKIP_REASON_UNSPECIFIED,
                        SkipReason.SKIP_REASON_UNSUPPORTED);
        assertThat(nodes.get(0).getErrorMessage())
                .isEqualTo(
                        "There is no artifact for its platform linux/amd64, only for linux/arm64.");
        assertThat(nodes.get(2).getErrorMessage())
                .isEqualTo(
                        "Its agent has not said its platform, and there are artifacts of their own"
                                + " for linux/arm64.");
        assertThat(nodes.get(0).getTargetChecksum()).isEmpty();
    }

    @Test
    void refusesARolloutForWhichNoNodeHasAnArtifact() {
        manifest("", "");
        node(1, "linux/amd64", BACKUPS, "");

        assertRefused(
                () -> rig.create(byManifest("demo", "to-v2")),
                RefusalCode.NO_TARGETS,
                "source_version");
    }

    @Test
    @DisplayName("A13: which nodes nothing could bring back is shown before the start")
    void namesTheNodesThatWereNotRestored() {
        Set<String> withoutBackups = Set.of("upgrade/1", "restore-by-address/1");
        node(1, "linux/amd64", BACKUPS, "");
        node(2, "linux/amd64", withoutBackups, "https://example.test/web-v1");
        node(3, "linux/amd64", withoutBackups, "");
        node(4, "linux/amd64", Set.of("upgrade/1"), "https://example.test/web-v1");

        Rollout rollout = rig.create(byHand("demo"));

        assertThat(rollout.getNotRollbackableNodes()).isEqualTo(2);
        assertThat(nodes(rollout))
                .extracting(RolloutNode::getNotRollbackable)
                .containsExactly(false, false, true, true);
        assertThat(nodes(rollout).get(2).getReason()).isEqualTo("NOT_ROLLBACKABLE");
        assertThat(
                        rig.operator()
                                .explainRollout(
                                        ExplainRolloutRequest.newBuilder()
                                                .setRolloutId(rollout.getId())
                                                .build())
                                .getRollout()
                                .getNotRollbackableNodes())
                .isEqualTo(2);
        assertThat(
                        rig.operator()
                                .listRollouts(ListRolloutsRequest.getDefaultInstance())
                                .getRolloutsList())
                .as("the list says the same")
                .singleElement()
                .extracting(Rollout::getNotRollbackableNodes)
                .isEqualTo(2);
    }
}
