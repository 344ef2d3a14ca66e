package drover.coordinator.api.rollout;

import static drover.coordinator.api.ApiFixture.CONFIG;
import static drover.coordinator.api.ApiFixture.NEW;
import static drover.coordinator.api.ApiFixture.OLD;
import static drover.coordinator.api.ApiFixture.assertRefused;
import static drover.coordinator.api.ApiFixture.byHand;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.api.ApiFixture;
import drover.coordinator.peers.NodeDirectoryLink.DirectoryNode;
import drover.model.RefusalCode;
import drover.rollout.v1.CreateRolloutGroupRequest;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.FailurePolicy;
import drover.rollout.v1.GroupComponent;
import drover.rollout.v1.PlanRolloutRequest;
import drover.rollout.v1.Rollout;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A rollout to v2 has ended on five nodes, of which a gateway without its way to PostgreSQL holds
 * the last two: the directory says v1 of them.
 */
@DisplayName("D-159: nobody creates a rollout from what nodes ran before their last upgrade")
class InventoryBehindAttemptsCheckIT {
    private static final int NODES = 5;
    private static final int HELD_BY_THE_OTHER = 3;

    @AutoClose private ApiFixture rig;
    private Instant ended;

    @BeforeEach
    void aRolloutHasEndedAndOneGatewayHasNotWritten() {
        rig = new ApiFixture();
        rig.chain("demo", NODES);
        ended(rig.create(byHand("demo")));
        ended = Instant.now();
        recordInventory(ended.minus(Duration.ofMinutes(2)), "v1", OLD);
    }

    @Test
    void theWayBackIsRefusedUntilTheDirectoryIsFresh() {
        assertRefused(() -> rig.create(back()), RefusalCode.INVENTORY_STALE, "");
        assertThatThrownBy(() -> rig.create(back()))
                .hasMessageContaining(
                        "What 2 nodes run is not known, for example demo-00004: gateway gw-blind has")
                .hasMessageContaining("look at the way to PostgreSQL of gw-blind, then")
                .hasMessageContaining("or leave out (--exclude) or retire what is gone for good.");
        assertThat(rig.database.count("SELECT count(*) FROM rollout")).isEqualTo(1);

        recordInventory(ended.plusSeconds(1), "v2", NEW);
        Rollout created = rig.create(back());

        assertThat(created.getPendingNodes()).isEqualTo(NODES);
        assertThat(created.getSkippedNodes()).isZero();
    }

    @Test
    void aPlanOfItIsRefusedToo() {
        PlanRolloutRequest plan = PlanRolloutRequest.newBuilder().setRollout(back()).build();

        assertRefused(() -> rig.operator().planRollout(plan), RefusalCode.INVENTORY_STALE, "");
    }

    @Test
    void aNodeThatWasChangedByHandSinceIsSkippedAsEver() {
        recordInventory(ended.plusSeconds(10), "v1", OLD);

        Rollout created = rig.create(back());

        assertThat(created.getSkippedNodes()).isEqualTo(NODES - HELD_BY_THE_OTHER);
    }

    @Test
    void nextRolloutIsCreatedAtOnceForVerifiedRows() {
        recordInventory(ended.minusSeconds(9), "v2", NEW);

        assertThat(rig.create(back()).getPendingNodes()).isEqualTo(NODES);
    }

    @Test
    void nodesThatAreLeftOutHoldNothingUp() {
        Rollout created = rig.create(back().addExclude("demo-00004").addExclude("demo-00005"));

        assertThat(created.getPendingNodes()).isEqualTo(HELD_BY_THE_OTHER);
    }

    @Test
    @DisplayName("D-174: what was never dated was not heard of since")
    void rowWithoutATimeIsStale() {
        recordInventory(null, "v1", OLD);

        assertRefused(() -> rig.create(back()), RefusalCode.INVENTORY_STALE, "");
    }

    @Test
    @DisplayName("D-171: a group is refused as a rollout is, and goes without those nodes")
    void aGroupIsRefusedUntilTheyAreLeftOut() {
        CreateRolloutGroupRequest group = groupBack();

        assertRefused(
                () -> rig.groups().createRolloutGroup(group), RefusalCode.INVENTORY_STALE, "");
        assertThat(rig.database.count("SELECT count(*) FROM rollout_group")).isZero();

        var created =
                rig.groups()
                        .createRolloutGroup(
                                group.toBuilder()
                                        .addExclude("demo-00004")
                                        .addExclude("demo-00005")
                                        .build());
        assertThat(created.getGroup().getComponentsCount()).isEqualTo(1);
        assertThat(
                        rig.database.count(
                                "SELECT count(*) FROM rollout_node n JOIN rollout r ON r.id ="
                                        + " n.rollout_id WHERE r.group_id IS NOT NULL"))
                .isEqualTo(HELD_BY_THE_OTHER);
    }

    private static CreateRolloutGroupRequest groupBack() {
        CreateRolloutRequest alone = back().build();
        return CreateRolloutGroupRequest.newBuilder()
                .setChainProfileId(alone.getChainProfileId())
                .setNodeType(alone.getNodeType())
                .setFailurePolicy(FailurePolicy.FAILURE_POLICY_MANUAL)
                .setStrategy(alone.getStrategy())
                .setBatchSize(alone.getBatchSize())
                .putDesiredVersions(alone.getBinaryName(), alone.getTargetVersion())
                .addComponentOrder(
                        GroupComponent.newBuilder()
                                .setBinaryName(alone.getBinaryName())
                                .setSourceVersion(alone.getSourceVersion())
                                .setTargetBinaryUrl(alone.getTargetBinaryUrl())
                                .setTargetBinaryChecksum(alone.getTargetBinaryChecksum()))
                .build();
    }

    private static CreateRolloutRequest.Builder back() {
        return byHand("demo")
                .setSourceVersion("v2")
                .setTargetVersion("v1")
                .setTargetBinaryUrl("https://example.test/web-v1")
                .setTargetBinaryChecksum(OLD);
    }

    /** As the leader leaves it: every attempt succeeded and is closed, the chain is free. */
    private void ended(Rollout rollout) {
        rig.database.run(
                "INSERT INTO node_attempt (node_id, attempt, rollout_id, restore_of, body,"
                        + " body_digest, open, sequence, outcome, epoch, closed_at)"
                        + " SELECT node_id, 1, rollout_id, 0, '', '', false, 1, 'SUCCEEDED', 1, now()"
                        + " FROM rollout_node WHERE rollout_id = '"
                        + rollout.getId()
                        + "'");
        rig.database.run(
                "UPDATE rollout_node SET attempt = 1, sequence = 1, installed_by = 1,"
                        + " running_checksum = '"
                        + NEW
                        + "'");
        rig.database.run("DELETE FROM chain_claim");
    }

    private void recordInventory(@Nullable Instant receivedAt, String version, String digest) {
        List<DirectoryNode> nodes =
                IntStream.rangeClosed(1, NODES)
                        .mapToObj(
                                number ->
                                        number <= HELD_BY_THE_OTHER
                                                ? node(number, "v2", NEW, ended.plusSeconds(1))
                                                : node(number, version, digest, receivedAt))
                        .toList();
        rig.directory.set("demo", nodes);
    }

    private static DirectoryNode node(
            int number, String version, String digest, @Nullable Instant receivedAt) {
        DirectoryNode reported = ApiFixture.node("demo", number, version, digest);
        assertThat(reported.programs().values()).allMatch(web -> web.config().equals(CONFIG));
        return new DirectoryNode(
                reported.id(),
                reported.type(),
                reported.labels(),
                reported.runtime(),
                reported.programs(),
                reported.platform(),
                reported.features(),
                receivedAt,
                number <= HELD_BY_THE_OTHER ? "gw-well" : "gw-blind");
    }
}
