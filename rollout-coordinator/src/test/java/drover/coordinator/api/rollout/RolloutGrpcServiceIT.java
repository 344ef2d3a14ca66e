package drover.coordinator.api.rollout;

import static drover.coordinator.api.ApiFixture.CHANGE;
import static drover.coordinator.api.ApiFixture.MANIFEST_HASH;
import static drover.coordinator.api.ApiFixture.NEW;
import static drover.coordinator.api.ApiFixture.OLD;
import static drover.coordinator.api.ApiFixture.assertRefused;
import static drover.coordinator.api.ApiFixture.byHand;
import static drover.coordinator.api.ApiFixture.byManifest;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.api.ApiFixture;
import drover.coordinator.peers.InMemoryManifestService;
import drover.manifest.v1.ConfigChange;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.RefusalCode;
import drover.node.v1.SkipReason;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.GetRolloutRequest;
import drover.rollout.v1.ListRolloutNodesRequest;
import drover.rollout.v1.ListRolloutNodesResponse;
import drover.rollout.v1.NodeUpgradeStatus;
import drover.rollout.v1.RequestReceipt;
import drover.rollout.v1.RequestState;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import drover.rollout.v1.RolloutStatus;
import drover.rollout.v1.SkipNodesRequest;
import drover.rollout.v1.StartRolloutRequest;
import drover.rollout.v1.Strategy;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What operators get from creation and from what changes a rollout. */
class RolloutGrpcServiceIT {
    @AutoClose private ApiFixture rig;

    @BeforeEach
    void openServer() {
        rig = new ApiFixture();
        rig.chain("demo", 5);
    }

    @Test
    void aRolloutByHandIsPendingAndHasItsBatches() {
        Rollout rollout = rig.create(byHand("demo"));

        assertThat(rollout.getStatus()).isEqualTo(RolloutStatus.ROLLOUT_STATUS_PENDING);
        assertThat(rollout.getTotalNodes()).isEqualTo(5);
        assertThat(rollout.getPendingNodes()).isEqualTo(5);
        assertThat(rollout.getBatchesList())
                .extracting(batch -> batch.getNodes())
                .containsExactly(2, 2, 1);
        assertThat(rollout.getMaxInFlight()).isEqualTo(100);
        assertThat(rollout.getHealthWaitDuration().getSeconds()).isEqualTo(60);
        assertThat(rollout.getCreatedBy()).isEqualTo("local");
        assertThat(rollout.getExplanation()).isEqualTo("It waits to be started.");
    }

    @Test
    @DisplayName("H14: a rollout shows its address without its query")
    void noReadShowsTheQueryOfAnAddress() {
        Rollout rollout =
                rig.create(
                        byHand("demo").setTargetBinaryUrl("https://example.test/web?sig=SECRET"));

        assertThat(rollout.getTargetBinaryUrl()).isEqualTo("https://example.test/web");
        assertThat(rollout.toString()).doesNotContain("SECRET");
    }

    @Test
    @DisplayName("Seed 000, auto mode and rule 6: the manifest fills the rest, its hash is stored")
    void aManifestFillsWhatIsLeftOut() {
        rig.manifest("demo", "to-v2", MigrationType.COMPATIBLE);

        Rollout rollout = rig.create(byManifest("demo", "to-v2"));

        assertThat(rollout.getBinaryName()).isEqualTo("web");
        assertThat(rollout.getTargetVersion()).isEqualTo("v2");
        assertThat(rollout.getTargetBinaryChecksum()).isEqualTo(NEW);
        assertThat(rollout.getRecoveryPlan()).isEqualTo("Provision the node anew.");
        assertThat(rollout.getMigrationType())
                .isEqualTo(drover.manifest.v1.MigrationType.MIGRATION_TYPE_COMPATIBLE);
        assertThat(rollout.getManifestContentHash()).isEqualTo(MANIFEST_HASH);
        assertThat(
                        rig.database.count(
                                "SELECT count(*) FROM content WHERE digest = ?",
                                Digest.of(InMemoryManifestService.renderedContent(CHANGE)).value()))
                .as("what was rendered is frozen")
                .isEqualTo(1);
    }

    @Test
    @DisplayName("Seed 000, rule 6: by hand the hash that was given is stored")
    void aHashGivenByHandIsKept() {
        assertThat(rig.create(byHand("demo").setManifestContentHash(OLD)).getManifestContentHash())
                .isEqualTo(OLD);
    }

    @Test
    @DisplayName("Seed 000, rule 4: the same version with other configuration is a rollout")
    void aRolloutOfConfigurationAloneIsAllowed() {
        Rollout rollout =
                rig.create(
                        byHand("demo")
                                .setTargetVersion("v1")
                                .setTargetBinaryChecksum(OLD)
                                .addConfigChanges(
                                        ConfigChange.newBuilder()
                                                .setPath(CHANGE.path())
                                                .setTemplate(CHANGE.template())
                                                .putAllOverrides(CHANGE.overrides())));

        assertThat(rollout.getPendingNodes()).isEqualTo(5);
        assertThat(rollout.getSourceVersion()).isEqualTo(rollout.getTargetVersion());
    }

    @Test
    @DisplayName("Seed 000, rule 5, and A2: one active rollout a chain; other chains are free")
    void aChainHasOneActiveRollout() {
        rig.chain("other", 1);
        Rollout first = rig.create(byHand("demo"));

        assertRefused(() -> rig.create(byHand("demo")), RefusalCode.CHAIN_BUSY, "chain_profile_id");

        assertThat(rig.create(byHand("other")).getId()).isNotEqualTo(first.getId());
        assertThat(rig.database.count("SELECT count(*) FROM rollout")).isEqualTo(2);
    }

    @Test
    void skipsNodesThatCannotBeUpgradedWithAReason() {
        rig.directory.add(
                "demo",
                List.of(
                        ApiFixture.node("demo", 6, "v2", NEW),
                        ApiFixture.node("demo", 7, "v0", Digest.of("web v0").value())));

        Rollout rollout = rig.create(byHand("demo"));

        assertThat(rollout.getSkippedNodes()).isEqualTo(2);
        List<RolloutNode> skipped =
                nodes(rollout, 0, "").getNodesList().stream()
                        .filter(
                                node ->
                                        node.getStatus()
                                                == NodeUpgradeStatus.NODE_UPGRADE_STATUS_SKIPPED)
                        .toList();
        assertThat(skipped)
                .extracting(RolloutNode::getSkipReason)
                .containsExactly(
                        SkipReason.SKIP_REASON_ALREADY_THERE, SkipReason.SKIP_REASON_DRIFTED);
        assertThat(skipped)
                .extracting(RolloutNode::getErrorMessage)
                .containsExactly(
                        "It runs the target already.", "It runs v0, not the source version.");
    }

    @Test
    void aCreationRepeatedWithItsKeyFindsTheSameRollout() {
        CreateRolloutRequest request = byHand("demo").build();
        Rollout first = rig.operatorWithKey("once").createRollout(request).getRollout();

        Rollout again = rig.operatorWithKey("once").createRollout(request).getRollout();

        assertThat(again).isEqualTo(first);
        assertThat(rig.database.count("SELECT count(*) FROM rollout")).isEqualTo(1);
    }

    @Test
    void aKeyIsNotUsedForAnotherCreation() {
        rig.chain("other", 1);
        rig.operatorWithKey("once").createRollout(byHand("demo").build());
        CreateRolloutRequest other = byHand("other").build();

        assertRefused(
                () -> rig.operatorWithKey("once").createRollout(other),
                RefusalCode.IDEMPOTENCY_KEY_REUSED,
                "");

        assertThat(rig.database.count("SELECT count(*) FROM rollout")).isEqualTo(1);
    }

    @Test
    @DisplayName("R4: without a leader a request stays written down, once for its key")
    void aRequestWithoutALeaderStaysPending() {
        StartRolloutRequest start =
                StartRolloutRequest.newBuilder()
                        .setRolloutId(rig.create(byHand("demo")).getId())
                        .build();

        var first = rig.operatorWithKey("go").startRollout(start).getRequest();
        var again = rig.operatorWithKey("go").startRollout(start).getRequest();

        assertThat(first.getState()).isEqualTo(RequestState.REQUEST_STATE_PENDING);
        assertThat(again.getId()).isEqualTo(first.getId());
        assertThat(rig.database.count("SELECT count(*) FROM operator_request")).isEqualTo(1);
    }

    @Test
    @DisplayName("Issue 4: who leaves nodes alone says why, and is heard once for a key")
    void skipOfSeveralNodesHasAReasonAndIsStoredOnce() {
        SkipNodesRequest.Builder skip =
                SkipNodesRequest.newBuilder().setRolloutId(rig.create(byHand("demo")).getId());
        assertRefused(
                () -> rig.operator().skipNodes(skip.setReason(" ").build()),
                RefusalCode.MISSING_FIELD,
                "reason");
        skip.setReason("Their rack is rebuilt.");
        assertRefused(
                () -> rig.operator().skipNodes(skip.clone().addNodeIds("no node").build()),
                RefusalCode.INVALID_FIELD,
                "node_ids");
        assertThat(rig.database.count("SELECT count(*) FROM operator_request")).isZero();
        String one = ApiFixture.id("demo", 1).value();
        String two = ApiFixture.id("demo", 2).value();

        var first = skipOnce(skip.clone().addNodeIds(one).addNodeIds(two));
        var again = skipOnce(skip.clone().addNodeIds(two).addNodeIds(one));

        assertThat(again.getId()).isEqualTo(first.getId());
        assertRefused(
                () -> skipOnce(skip.clone().addNodeIds(one)),
                RefusalCode.IDEMPOTENCY_KEY_REUSED,
                "");
    }

    private RequestReceipt skipOnce(SkipNodesRequest.Builder skip) {
        return rig.operatorWithKey("skip").skipNodes(skip.build()).getRequest();
    }

    @Test
    @DisplayName("A16: what goes to all at once is not started without a reason text")
    void riskyStartNeedsAReason() {
        String id =
                rig.create(
                                byHand("demo")
                                        .clearBatchSize()
                                        .setStrategy(Strategy.STRATEGY_ALL_AT_ONCE)
                                        .setSkipValidation(true))
                        .getId();
        StartRolloutRequest.Builder start = StartRolloutRequest.newBuilder().setRolloutId(id);

        assertRefused(
                () -> rig.operator().startRollout(start.setReason(" ").build()),
                RefusalCode.MISSING_FIELD,
                "reason");
        assertThat(rig.database.count("SELECT count(*) FROM operator_request")).isZero();

        var taken = rig.operator().startRollout(start.setReason("The fork is at noon.").build());
        assertThat(taken.getRequest().getState()).isEqualTo(RequestState.REQUEST_STATE_PENDING);
    }

    @Test
    @DisplayName("With the database away an operator hears one sentence and can try again")
    void reportsAnUnavailableDatabase() {
        Rollout rollout = rig.create(byHand("demo"));
        rig.database.close();

        assertRefused(() -> get(rollout.getId()), RefusalCode.STORE_UNAVAILABLE, "");
        assertRefused(() -> rig.create(byHand("demo")), RefusalCode.STORE_UNAVAILABLE, "");
        assertRefused(
                () ->
                        rig.operator()
                                .startRollout(
                                        StartRolloutRequest.newBuilder()
                                                .setRolloutId(rollout.getId())
                                                .build()),
                RefusalCode.STORE_UNAVAILABLE,
                "");
    }

    private Rollout get(String id) {
        return rig.operator()
                .getRollout(GetRolloutRequest.newBuilder().setRolloutId(id).build())
                .getRollout();
    }

    private ListRolloutNodesResponse nodes(Rollout rollout, int size, String token) {
        return rig.operator()
                .listRolloutNodes(
                        ListRolloutNodesRequest.newBuilder()
                                .setRolloutId(rollout.getId())
                                .setPageSize(size)
                                .setPageToken(token)
                                .build());
    }
}
