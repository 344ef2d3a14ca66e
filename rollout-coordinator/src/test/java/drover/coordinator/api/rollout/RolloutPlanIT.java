package drover.coordinator.api.rollout;

import static drover.coordinator.api.ApiFixture.assertRefused;
import static drover.coordinator.api.ApiFixture.byHand;
import static drover.coordinator.api.ApiFixture.byManifest;
import static drover.coordinator.api.ApiFixture.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import drover.coordinator.api.ApiFixture;
import drover.coordinator.peers.ManifestServiceLink.Warning;
import drover.coordinator.peers.NodeDirectoryLink.UnhealthyNode;
import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.node.v1.NodeHealth;
import drover.node.v1.SkipReason;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.GetRolloutPlanRequest;
import drover.rollout.v1.ListRolloutNodesRequest;
import drover.rollout.v1.PlanRolloutRequest;
import drover.rollout.v1.PlanWarning;
import drover.rollout.v1.PlannedBatch;
import drover.rollout.v1.PlannedSkip;
import drover.rollout.v1.PreflightRolloutRequest;
import drover.rollout.v1.PreflightRolloutResponse;
import drover.rollout.v1.RollbackTier;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import drover.rollout.v1.RolloutPlan;
import drover.rollout.v1.StartRolloutRequest;
import drover.rollout.v1.StartRolloutResponse;
import drover.rollout.v1.Strategy;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Plans as operators ask for them, over a real database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RolloutPlanIT {
    private ApiFixture rig;

    @BeforeAll
    void open() {
        rig = new ApiFixture();
    }

    @AfterAll
    void close() {
        if (rig != null) {
            rig.close();
        }
    }

    private RolloutPlan plan(CreateRolloutRequest.Builder request) {
        return rig.operator()
                .planRollout(PlanRolloutRequest.newBuilder().setRollout(request).build())
                .getPlan();
    }

    private static List<List<String>> nodes(RolloutPlan plan) {
        return plan.getBatchesList().stream().map(b -> List.copyOf(b.getNodeIdsList())).toList();
    }

    @Test
    @DisplayName("A plan changes nothing: every table has as many rows as before")
    void writesNothing() {
        rig.chain("untouched", 5);
        Map<String, Long> before = rows();

        plan(byHand("untouched"));

        assertThat(rows()).isEqualTo(before).hasSizeGreaterThan(10);
    }

    private Map<String, Long> rows() {
        List<String> tables =
                rig.database.texts(
                        "SELECT table_name FROM information_schema.tables"
                                + " WHERE table_schema = current_schema()");
        Map<String, Long> rows = new TreeMap<>();
        tables.forEach(
                table -> rows.put(table, rig.database.count("SELECT count(*) FROM " + table)));
        return rows;
    }

    @Test
    void thePlanAndTheRolloutHaveTheRequestedOrder() {
        rig.chain("sorted", 4);
        CreateRolloutRequest.Builder request =
                byHand("sorted")
                        .setOrder("as-listed")
                        .addAllNodeIds(
                                List.of(
                                        "sorted-00003",
                                        "sorted-00001",
                                        "sorted-00004",
                                        "sorted-00002"))
                        .addLastNodeIds("sorted-00003");

        RolloutPlan planned = plan(request);
        assertThat(nodes(planned))
                .containsExactly(
                        List.of("sorted-00001", "sorted-00004"),
                        List.of("sorted-00002"),
                        List.of("sorted-00003"));
        assertThat(planned.getRollout().getOrder()).isEqualTo("as-listed");
        assertThat(planned.getRollout().getLastNodeIdsList()).containsExactly("sorted-00003");

        RolloutPlan created = remaining(rig.create(request));
        assertThat(nodes(created)).isEqualTo(nodes(planned));
        assertThat(created.getPlanHash()).isEqualTo(planned.getPlanHash());
        assertThat(created.getRollout().getOrder()).isEqualTo("as-listed");
    }

    @Test
    void aRollbackOfARolloutThatModifiedNothingHasNoPlan() {
        rig.chain("unstarted", 2);
        GetRolloutPlanRequest request =
                GetRolloutPlanRequest.newBuilder()
                        .setRolloutId(rig.create(byHand("unstarted")).getId())
                        .setRollback(true)
                        .build();
        ApiFixture.assertRefused(
                () -> rig.operator().getRolloutPlan(request), RefusalCode.NOTHING_DONE, "");
    }

    @Test
    void aPlanStatesWhyItsStartNeedsAReason() {
        rig.chain("risky", 2);
        assertThat(plan(byHand("risky")).getStartRisk()).isEmpty();
        CreateRolloutRequest.Builder risky =
                byHand("risky").setStrategy(Strategy.STRATEGY_ALL_AT_ONCE).clearBatchSize();
        assertThat(plan(risky).getStartRisk()).isEqualTo("it upgrades all of its nodes at once");
        assertThat(remaining(rig.create(risky)).getStartRisk())
                .isEqualTo("it upgrades all of its nodes at once");
    }

    @Test
    void aPlanWithoutOrderGoesByName() {
        rig.chain("named", 2);
        assertThat(plan(byHand("named")).getRollout().getOrder()).isEqualTo("name");
        assertThat(plan(byHand("named").addLastNodeIds("named-00001")).getPlanHash())
                .isNotEqualTo(plan(byHand("named")).getPlanHash());
    }

    @Test
    void aPlanIsWhatCreationThenDoes() {
        rig.chain("alike", 9);
        CreateRolloutRequest.Builder request =
                byHand("alike").setStrategy(Strategy.STRATEGY_CANARY).setCanarySize(2);

        RolloutPlan planned = plan(request);
        Rollout created = rig.create(request);
        List<RolloutNode> nodes =
                rig.operator()
                        .listRolloutNodes(
                                ListRolloutNodesRequest.newBuilder()
                                        .setRolloutId(created.getId())
                                        .build())
                        .getNodesList();

        assertThat(planned.getBatchesList())
                .extracting(PlannedBatch::getCanary)
                .containsExactly(true, false, false, false, false);
        for (PlannedBatch batch : planned.getBatchesList()) {
            assertThat(batch.getNodeIdsList())
                    .containsExactlyElementsOf(
                            nodes.stream()
                                    .filter(node -> node.getBatchIndex() == batch.getIndex())
                                    .map(RolloutNode::getNodeId)
                                    .toList());
        }
        RolloutPlan remaining = remaining(created);
        assertThat(nodes(remaining)).isEqualTo(nodes(planned));
        assertThat(remaining.getExpectedDuration()).isEqualTo(planned.getExpectedDuration());
        assertThat(remaining.getRollout().getId()).isEqualTo(created.getId());
        assertThat(planned.getRollout().getId()).isEmpty();
        assertThat(planned.getRollout().hasCreatedAt()).isFalse();
    }

    private RolloutPlan remaining(Rollout rollout) {
        return rig.operator()
                .getRolloutPlan(
                        GetRolloutPlanRequest.newBuilder().setRolloutId(rollout.getId()).build())
                .getPlan();
    }

    @Test
    void everySkipHasItsReason() {
        rig.chain("mixed", 3);
        rig.directory.add(
                "mixed",
                List.of(
                        ApiFixture.node("mixed", 4, "v0", Digest.of("web v0").value()),
                        ApiFixture.node("mixed", 5, "v2", ApiFixture.NEW)));
        rig.directory.disconnect(id("mixed", 2));
        rig.database.run(
                "INSERT INTO node_guard (node_id, last_attempt, failed_rollback)"
                        + " VALUES (?, 1, true)",
                id("mixed", 3).value());

        RolloutPlan plan = plan(byHand("mixed"));

        assertThat(plan.getSkipsList())
                .extracting(
                        PlannedSkip::getNodeId, PlannedSkip::getReason, PlannedSkip::getMayChange)
                .containsExactly(
                        skip(2, SkipReason.SKIP_REASON_OFFLINE, true),
                        skip(3, SkipReason.SKIP_REASON_FAILED_ROLLBACK, true),
                        skip(4, SkipReason.SKIP_REASON_DRIFTED, false),
                        skip(5, SkipReason.SKIP_REASON_ALREADY_THERE, false));
        assertThat(nodes(plan).stream().flatMap(List::stream))
                .containsExactly(
                        id("mixed", 1).value(), id("mixed", 2).value(), id("mixed", 3).value());
        assertThat(plan.getWarningsList())
                .extracting(PlanWarning::getCode)
                .containsExactly("NODES_OFFLINE");
    }

    @Test
    void aNodeThatReportsDriftOfTheProgramIsSkippedUnlessItChanges() {
        rig.chain("drifting", 3);
        openDrift(id("drifting", 1), "web: The program file is not what runs.");
        openDrift(id("drifting", 2), "sidecar: The program file is not what runs.");

        RolloutPlan plan = plan(byHand("drifting"));

        assertThat(plan.getSkipsList())
                .containsExactly(
                        PlannedSkip.newBuilder()
                                .setNodeId(id("drifting", 1).value())
                                .setReason(SkipReason.SKIP_REASON_DRIFTED)
                                .setSentence("web: The program file is not what runs.")
                                .setMayChange(true)
                                .build());
        rig.database.run("UPDATE incident SET standing = false");
        assertThat(plan(byHand("drifting")).getSkipsList()).isEmpty();
    }

    @Test
    void aNodeWithoutTheProgramIsSkippedWithTheCommandThatAddsIt() {
        rig.chain("bare", 1);
        rig.directory.add("bare", List.of(ApiFixture.node("bare", 2, "unknown", "")));

        assertThat(plan(byHand("bare")).getSkipsList())
                .extracting(PlannedSkip::getSentence)
                .containsExactly(
                        "It has never reported a program web: start it on the node and add it with"
                                + " 'drover agent adopt', or correct the name.");
    }

    private void openDrift(NodeId node, String sentence) {
        rig.database.run(
                "INSERT INTO incident (category, severity, node_id, code, sentence, opened_at)"
                        + " VALUES ('drift', 'warning', ?, 'DRIFT', ?, now())",
                node.value(),
                sentence);
    }

    private static org.assertj.core.groups.Tuple skip(
            int number, SkipReason reason, boolean mayChange) {
        return org.assertj.core.groups.Tuple.tuple(id("mixed", number).value(), reason, mayChange);
    }

    @Test
    @DisplayName("R3: the plan lists targets without health data, against the offline budget")
    void listsTargetsWithoutHealthData() {
        rig.chain("silent", 2);
        String why = "web has not been probed since its start.";
        rig.directory.markUnhealthy(new UnhealthyNode(id("silent", 1), Level.UNKNOWN, why));

        RolloutPlan plan = plan(byHand("silent"));

        assertThat(plan.getUnhealthyNodesList())
                .containsExactly(
                        drover.rollout.v1.UnhealthyNode.newBuilder()
                                .setNodeId(id("silent", 1).value())
                                .setHealth(NodeHealth.NODE_HEALTH_UNKNOWN)
                                .setSentence(why)
                                .setTarget(true)
                                .build());
        assertThat(plan.getWarningsList())
                .extracting(PlanWarning::getSentence)
                .containsExactly(
                        "Not connected now: 0, without health data: 1, more than the offline budget"
                                + " of 0; unless they return, it pauses before its end.");
    }

    private static final String TARGETS_SENTENCE =
            "Unhealthy targets: 1, more than the unhealthy budget of 0; the start is refused until"
                    + " they are healthy.";
    private static final String NEIGHBORS_SENTENCE =
            "Other unhealthy nodes of the chain: 1; check that the upgrade does not depend on them.";

    /** Target 1 and, next to the targets, node 9 of the chain are unhealthy. */
    private List<drover.rollout.v1.UnhealthyNode> markUnhealthy(String chain) {
        UnhealthyNode target = new UnhealthyNode(id(chain, 1), Level.CRITICAL, "web is critical.");
        UnhealthyNode neighbor = new UnhealthyNode(id(chain, 9), Level.DOWN, "web is down.");
        rig.directory.markUnhealthy(target);
        rig.directory.markUnhealthy(neighbor);
        return List.of(
                toProto(target, NodeHealth.NODE_HEALTH_CRITICAL, true),
                toProto(neighbor, NodeHealth.NODE_HEALTH_DOWN, false));
    }

    private static drover.rollout.v1.UnhealthyNode toProto(
            UnhealthyNode node, NodeHealth health, boolean target) {
        return drover.rollout.v1.UnhealthyNode.newBuilder()
                .setNodeId(node.node().value())
                .setHealth(health)
                .setSentence(node.why())
                .setTarget(target)
                .build();
    }

    @Test
    @DisplayName("A24: a plan lists unhealthy targets and other unhealthy nodes, and warns of both")
    void warnsOfUnhealthyTargetsAndNeighbors() {
        rig.chain("sick", 2);
        List<drover.rollout.v1.UnhealthyNode> unhealthy = markUnhealthy("sick");

        RolloutPlan plan = plan(byHand("sick"));

        assertThat(plan.getUnhealthyNodesList()).isEqualTo(unhealthy);
        assertThat(plan.getWarningsList())
                .extracting(PlanWarning::getCode, PlanWarning::getSentence)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("TARGETS_UNHEALTHY", TARGETS_SENTENCE),
                        org.assertj.core.groups.Tuple.tuple(
                                "NEIGHBORS_UNHEALTHY", NEIGHBORS_SENTENCE));
        assertThat(plan(byHand("sick").setUnhealthyBudget(1)).getWarningsList())
                .extracting(PlanWarning::getCode)
                .containsExactly("NEIGHBORS_UNHEALTHY");
    }

    @Test
    @DisplayName("A24: a start lists the same nodes as the plan")
    void theStartListsUnhealthyNodes() {
        rig.chain("started", 2);
        List<drover.rollout.v1.UnhealthyNode> unhealthy = markUnhealthy("started");
        StartRolloutResponse started =
                start(rig.create(byHand("started").setUnhealthyBudget(1)).getId());

        assertThat(started.getUnhealthyNodesList()).isEqualTo(unhealthy);
        assertThat(started.getWarningsList())
                .extracting(PlanWarning::getCode)
                .containsExactly("NEIGHBORS_UNHEALTHY");
    }

    private StartRolloutResponse start(String id) {
        return rig.operator()
                .startRollout(StartRolloutRequest.newBuilder().setRolloutId(id).build());
    }

    @Test
    void aStartWithoutGatewaysReportsThatHealthIsNotKnown() {
        rig.chain("away", 1);
        String id = rig.create(byHand("away")).getId();
        rig.directory.setUnavailable(true);
        StartRolloutResponse started = start(id);

        assertThat(started.getUnhealthyNodesList()).isEmpty();
        assertThat(started.getWarningsList())
                .extracting(PlanWarning::getCode, PlanWarning::getSentence)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(
                                "HEALTH_UNAVAILABLE",
                                "Unhealthy nodes are not listed, because no gateway responded. Check"
                                        + " the gateways, then list the nodes with 'drover rollout"
                                        + " plan "
                                        + id
                                        + "'."));
    }

    @Test
    @DisplayName("A24: a preflight lists the same nodes as the plan")
    void aPreflightListsUnhealthyNodes() {
        rig.chain("checked", 2);
        List<drover.rollout.v1.UnhealthyNode> unhealthy = markUnhealthy("checked");

        PreflightRolloutResponse checked =
                rig.operator()
                        .preflightRollout(
                                PreflightRolloutRequest.newBuilder()
                                        .setRolloutId(rig.create(byHand("checked")).getId())
                                        .build());

        assertThat(checked.getUnhealthyNodesList()).isEqualTo(unhealthy);
        assertThat(checked.getWarningsList())
                .extracting(PlanWarning::getCode)
                .containsExactly("TARGETS_UNHEALTHY", "NEIGHBORS_UNHEALTHY");
    }

    /** The directory is shared by all tests. */
    @AfterEach
    void resetDirectory() {
        rig.directory.setUnavailable(false);
        rig.directory.clearUnhealthy();
    }

    @Test
    void aBudgetAboveTheNumberOfTargetsIsAWarning() {
        rig.chain("tolerant", 2);
        assertThat(plan(byHand("tolerant").setUnhealthyBudget(2)).getWarningsList()).isEmpty();

        assertThat(plan(byHand("tolerant").setUnhealthyBudget(2147483647)).getWarningsList())
                .extracting(PlanWarning::getCode, PlanWarning::getSentence)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(
                                "BUDGET_TOO_HIGH",
                                "unhealthy_budget 2147483647 is more than the number of targets, 2:"
                                        + " the rollout never pauses because of it; check the"
                                        + " number."));
    }

    @Test
    void creationReportsABudgetAboveTheNumberOfTargets() {
        rig.chain("generous", 2);

        assertThat(
                        rig.operator()
                                .createRollout(
                                        byHand("generous")
                                                .setUnhealthyBudget(3)
                                                .setOfflineBudget(2147483647)
                                                .build())
                                .getWarningsList())
                .extracting(PlanWarning::getCode)
                .containsExactly("BUDGET_TOO_HIGH", "BUDGET_TOO_HIGH");
    }

    @Test
    void creationReportsWarningsOfTheManifest() {
        rig.chain("stale", 3);
        rig.manifest("stale", "up", MigrationType.NONE);
        rig.manifests.addWarning(
                new ChainProfileId("stale"), "up", new Warning("MANIFEST_STALE", "It is broken."));

        assertThat(
                        rig.operator()
                                .createRollout(byManifest("stale", "up").build())
                                .getWarningsList())
                .extracting(PlanWarning::getCode)
                .containsExactly("MANIFEST_STALE");
    }

    @Test
    void aBreakingMigrationShowsItsTierAndWhereAPersonIsWaitedFor() {
        rig.chain("breaking", 3);
        rig.manifest("breaking", "up", MigrationType.BREAKING);
        rig.manifests.addWarning(
                new ChainProfileId("breaking"),
                "up",
                new Warning("OVERRIDE_UNUSED", "The template does not use 'x'."));

        RolloutPlan plan =
                plan(
                        byManifest("breaking", "up")
                                .setStrategy(Strategy.STRATEGY_CANARY)
                                .setAcknowledgeStateRisk(true));

        assertThat(plan.getRollout().getRollbackTier())
                .isEqualTo(RollbackTier.ROLLBACK_TIER_TIER_3);
        assertThat(plan.getBatchesList())
                .extracting(PlannedBatch::getAwaitsApproval)
                .containsExactly(true, false);
        assertThat(plan.getWarningsList())
                .extracting(PlanWarning::getCode)
                .containsExactly("OVERRIDE_UNUSED");
    }

    @Test
    void withoutMeasurementsTheForecastAssumesAMinutePerNode() {
        rig.chain("unmeasured", 4);

        RolloutPlan plan = plan(byHand("unmeasured"));

        assertThat(plan.getMeasuredFrom()).isZero();
        assertThat(plan.getExpectedNodeWork().getSeconds()).isEqualTo(60);
        assertThat(plan.getExpectedDuration().getSeconds())
                .as("two batches of a minute's work and a minute's health each")
                .isEqualTo(2 * (60 + 60));
    }

    @Test
    void whatWasMeasuredOnTheChainIsExpectedAgain() {
        rig.chain("measured", 3);
        Rollout earlier = rig.create(byHand("measured"));
        rig.database.run(
                "UPDATE rollout SET started_at = now() WHERE id = ?::uuid", earlier.getId());
        int[] seconds = {4, 5, 30};
        for (int node = 1; node <= seconds.length; node++) {
            history(earlier, node, "pending", "assigned", 0);
            history(earlier, node, "upgrading", "settling", seconds[node - 1]);
        }

        RolloutPlan plan = remaining(earlier);

        assertThat(plan.getMeasuredFrom()).isEqualTo(3);
        assertThat(plan.getExpectedNodeWork().getSeconds()).as("the median").isEqualTo(5);
    }

    private void history(Rollout rollout, int node, String from, String to, int second) {
        rig.database.run(
                "INSERT INTO history (rollout_id, at, epoch, actor, subject, node_id, from_status,"
                        + " to_status, code, sentence, prev_hash, hash) VALUES (?::uuid,"
                        + " timestamptz '2026-01-01 00:00:00Z' + make_interval(secs => ?), 1,"
                        + " 'drover', 'node', ?, ?, ?, 'X', 'x', '', '')",
                rollout.getId(),
                second,
                id("measured", node).value(),
                from,
                to);
    }

    static Stream<UnaryOperator<CreateRolloutRequest.Builder>> requestsThatAreRefused() {
        return Stream.of(
                request -> request.setChainProfileId("no-such-chain"),
                CreateRolloutRequest.Builder::clearStrategy,
                CreateRolloutRequest.Builder::clearSourceVersion,
                request -> request.setTargetBinaryChecksum("md5:1"),
                request -> request.setBinaryName("another"),
                request -> request.setUpgradeId("no-such-upgrade"),
                request -> request.setSourceVersion("v7"),
                request -> request.addNodeIds("no-such-node"),
                request -> request.setTargetVersion("v1"));
    }

    @ParameterizedTest
    @MethodSource("requestsThatAreRefused")
    void refusesExactlyAsCreationDoes(UnaryOperator<CreateRolloutRequest.Builder> spoil) {
        if (rig.directory.listNodes("refused", "").isEmpty()) {
            rig.chain("refused", 2);
        }
        CreateRolloutRequest.Builder request = spoil.apply(byHand("refused"));

        Refused planned = refusal(() -> plan(request));
        Refused created = refusal(() -> rig.create(request));

        assertThat(planned.code()).isEqualTo(created.code());
        assertThat(planned.field()).isEqualTo(created.field());
        assertThat(planned.sentence()).isEqualTo(created.sentence());
    }

    private static Refused refusal(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isInstanceOf(StatusRuntimeException.class);
        return RefusalParser.from((StatusRuntimeException) thrown).orElseThrow();
    }

    @Test
    void aBusyChainIsRefusedAsForACreation() {
        rig.chain("busy", 2);
        rig.create(byHand("busy"));

        assertRefused(() -> plan(byHand("busy")), RefusalCode.CHAIN_BUSY, "chain_profile_id");
    }
}
