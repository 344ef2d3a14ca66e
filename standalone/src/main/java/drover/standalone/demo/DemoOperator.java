package drover.standalone.demo;

import drover.kit.grpc.RefusalParser;
import drover.localenv.Await;
import drover.localenv.UserFacingError;
import drover.manifest.v1.ListManifestsRequest;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.node.v1.ListNodesRequest;
import drover.node.v1.Node;
import drover.node.v1.NodeHealth;
import drover.node.v1.NodeServiceGrpc;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.GetRolloutRequest;
import drover.rollout.v1.ListRolloutNodesRequest;
import drover.rollout.v1.NodeUpgradeStatus;
import drover.rollout.v1.PauseReason;
import drover.rollout.v1.RollbackRolloutRequest;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.RolloutStatus;
import drover.rollout.v1.StartRolloutRequest;
import drover.rollout.v1.Strategy;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What the operator of the demo does, through the same door as any operator: a good release as a
 * canary, a bad one that stops by itself, and the way back.
 */
final class DemoOperator {
    private static final Duration LONGEST = Duration.ofMinutes(3); // measured under 1 min a rollout
    private static final Duration HEALTHY_WITHIN = Duration.ofMinutes(1); // two heartbeats
    private static final Duration GLANCE = Duration.ofMillis(300);
    private static final int DEADLINE_SECONDS = 15;
    private static final int BATCHES = 3; // after the canary: enough to see them one by one

    private final Channel server;
    private final DemoOutput narrator;
    private final int nodes;

    DemoOperator(Channel server, DemoOutput narrator, int nodes) {
        this.server = server;
        this.narrator = narrator;
        this.nodes = nodes;
    }

    /** Says which manifests are published. */
    void showManifests() {
        narrator.printHeading("The manifests: what may be installed");
        ListManifestsRequest request =
                ListManifestsRequest.newBuilder().setChainProfileId(DemoConfigFiles.CHAIN).build();
        translateErrors(() -> manifests().listManifests(request))
                .getManifestsList()
                .forEach(
                        manifest ->
                                narrator.print(
                                        manifest.getUpgradeId()
                                                + ": "
                                                + manifest.getBinaryName()
                                                + " "
                                                + manifest.getTargetVersion()
                                                + "  manifest "
                                                + manifest.getContentHash()));
    }

    /** Rolls v2 out to all nodes. */
    void rollOutTheGoodRelease() {
        narrator.printHeading("v1 -> v2 as a canary: one node first, observed, then batches");
        Rollout ended = rollOut("greeter-v2", "v1");
        require(ended, RolloutStatus.ROLLOUT_STATUS_COMPLETED);
        narrator.print("All " + ended.getSucceededNodes() + " nodes are proven at v2.");
    }

    /** Rolls v3 out, which stops by itself. */
    void rollOutTheBadRelease() {
        narrator.printHeading(
                "v2 -> v3: it starts, and falls over a moment later, again and again");
        Rollout paused = rollOut("greeter-v3", "v2");
        require(paused, RolloutStatus.ROLLOUT_STATUS_PAUSED);
        if (paused.getPauseReason() != PauseReason.PAUSE_REASON_CANARY_FAILED) {
            throw unexpected(paused, "a failed canary");
        }
        narrator.print("The rollout paused by itself: " + paused.getExplanation());
        for (RolloutNode node : fetchNodes(paused)) {
            if (node.getStatus() == NodeUpgradeStatus.NODE_UPGRADE_STATUS_FAILED) {
                narrator.print(
                        node.getNodeId()
                                + " is back at "
                                + node.getPreviousVersion()
                                + " by its own agent: "
                                + node.getErrorMessage());
            }
        }
    }

    /** Brings every touched node back. */
    void rollBack() {
        narrator.printHeading("The operator rolls back");
        Rollout paused = fetchLatestRollout();
        translateErrors(
                () ->
                        rollouts()
                                .rollbackRollout(
                                        RollbackRolloutRequest.newBuilder()
                                                .setRolloutId(paused.getId())
                                                .setReason("v3 is broken")
                                                .build()));
        Rollout ended =
                watch(
                        paused.getId(),
                        Set.of(
                                RolloutStatus.ROLLOUT_STATUS_ROLLED_BACK,
                                RolloutStatus.ROLLOUT_STATUS_FAILED));
        require(ended, RolloutStatus.ROLLOUT_STATUS_ROLLED_BACK);
        narrator.print(ended.getExplanation());
    }

    /** The nodes of the latest rollout, as Drover tells them. */
    List<RolloutNode> listNodesOfLatestRollout() {
        return fetchNodes(fetchLatestRollout());
    }

    private Rollout rollOut(String upgrade, String from) {
        CreateRolloutRequest request =
                CreateRolloutRequest.newBuilder()
                        .setChainProfileId(DemoConfigFiles.CHAIN)
                        .setNodeType(DemoConfigFiles.NODE_TYPE)
                        .setUpgradeId(upgrade)
                        .setSourceVersion(from)
                        .setStrategy(Strategy.STRATEGY_CANARY)
                        .setCanarySize(1)
                        .setBatchSize(Math.max(1, (nodes - 1 + BATCHES - 1) / BATCHES))
                        .build();
        Await.until(HEALTHY_WITHIN, GLANCE, this::allNodesAreHealthy);
        Rollout created = translateErrors(() -> rollouts().createRollout(request)).getRollout();
        narrator.print("Rollout " + created.getId() + ", " + created.getTotalNodes() + " nodes.");
        translateErrors(
                () ->
                        rollouts()
                                .startRollout(
                                        StartRolloutRequest.newBuilder()
                                                .setRolloutId(created.getId())
                                                .setReason("the demo")
                                                .build()));
        return watch(
                created.getId(),
                Set.of(
                        RolloutStatus.ROLLOUT_STATUS_COMPLETED,
                        RolloutStatus.ROLLOUT_STATUS_PAUSED,
                        RolloutStatus.ROLLOUT_STATUS_FAILED,
                        RolloutStatus.ROLLOUT_STATUS_CANCELLED));
    }

    /** A start is refused while a target is unhealthy, also one that started a moment ago. */
    private boolean allNodesAreHealthy() {
        ListNodesRequest request =
                ListNodesRequest.newBuilder()
                        .setChainProfileId(DemoConfigFiles.CHAIN)
                        .setPageSize(1_000)
                        .build();
        List<Node> all = translateErrors(() -> nodeService().listNodes(request)).getNodesList();
        return all.size() == nodes
                && all.stream().allMatch(node -> node.getHealth() == NodeHealth.NODE_HEALTH_OK);
    }

    private Rollout watch(String id, Set<RolloutStatus> until) {
        Rollout[] seen = {Rollout.getDefaultInstance()};
        Await.until(
                LONGEST,
                GLANCE,
                () -> {
                    seen[0] = fetchRollout(id);
                    narrator.printProgress(seen[0], fetchNodes(seen[0]));
                    return until.contains(seen[0].getStatus());
                });
        return seen[0];
    }

    private Rollout fetchRollout(String id) {
        GetRolloutRequest request = GetRolloutRequest.newBuilder().setRolloutId(id).build();
        return translateErrors(() -> rollouts().getRollout(request)).getRollout();
    }

    private Rollout fetchLatestRollout() {
        return translateErrors(
                        () ->
                                rollouts()
                                        .listRollouts(
                                                drover.rollout.v1.ListRolloutsRequest.newBuilder()
                                                        .setPageSize(1)
                                                        .build()))
                .getRollouts(0);
    }

    private List<RolloutNode> fetchNodes(Rollout rollout) {
        ListRolloutNodesRequest request =
                ListRolloutNodesRequest.newBuilder().setRolloutId(rollout.getId()).build();
        return translateErrors(() -> rollouts().listRolloutNodes(request)).getNodesList();
    }

    private static void require(Rollout rollout, RolloutStatus wanted) {
        if (rollout.getStatus() != wanted) {
            throw unexpected(rollout, DemoOutput.label(wanted.name(), "ROLLOUT_STATUS_"));
        }
    }

    private static UserFacingError unexpected(Rollout rollout, String wanted) {
        return new UserFacingError(
                "The demo expected "
                        + wanted
                        + ", but the rollout is "
                        + DemoOutput.label(rollout.getStatus().name(), "ROLLOUT_STATUS_")
                        + ": "
                        + rollout.getExplanation());
    }

    private RolloutServiceGrpc.RolloutServiceBlockingStub rollouts() {
        return RolloutServiceGrpc.newBlockingStub(server)
                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private NodeServiceGrpc.NodeServiceBlockingStub nodeService() {
        return NodeServiceGrpc.newBlockingStub(server)
                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private ManifestServiceGrpc.ManifestServiceBlockingStub manifests() {
        return ManifestServiceGrpc.newBlockingStub(server)
                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private static <T> T translateErrors(Supplier<T> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException e) {
            throw RefusalParser.from(e)
                    .map(
                            refused ->
                                    new UserFacingError(
                                            refused.sentence() + " (" + refused.code() + ")", e))
                    .orElseGet(
                            () -> new UserFacingError("The coordinator does not answer: " + e, e));
        }
    }
}
