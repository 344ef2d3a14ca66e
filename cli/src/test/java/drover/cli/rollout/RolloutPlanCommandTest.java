package drover.cli.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import com.google.rpc.Code;
import drover.cli.CommandResult;
import drover.cli.FakeDrover;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.EnumNames;
import drover.manifest.v1.MigrationType;
import drover.node.v1.NodeHealth;
import drover.node.v1.SkipReason;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.GetRolloutPlanRequest;
import drover.rollout.v1.PlanRolloutRequest;
import drover.rollout.v1.PlanWarning;
import drover.rollout.v1.PlannedBatch;
import drover.rollout.v1.PlannedSkip;
import drover.rollout.v1.Preflight;
import drover.rollout.v1.RollbackHealth;
import drover.rollout.v1.RollbackTier;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutPlan;
import drover.rollout.v1.Strategy;
import drover.rollout.v1.UnhealthyNode;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class RolloutPlanCommandTest {
    private static final String ID = "4f3c2a10-0000-4000-8000-000000000001";
    private static final String[] FIELDS = {
        "--chain",
        "harbour",
        "--type",
        "edge",
        "--upgrade",
        "greeter-v2",
        "--from",
        "v1",
        "--strategy",
        "canary",
        "--batch-size",
        "2"
    };

    @AutoClose private final FakeDrover drover = new FakeDrover();

    private CommandResult plan(String... arguments) {
        String[] all = new String[arguments.length + 2];
        all[0] = "rollout";
        all[1] = "plan";
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        return CommandResult.on(drover, all);
    }

    @Test
    void validatesExactlyAsCreateDoes() {
        plan(FIELDS);
        String[] create = new String[FIELDS.length + 2];
        create[0] = "rollout";
        create[1] = "create";
        System.arraycopy(FIELDS, 0, create, 2, FIELDS.length);
        CommandResult.on(drover, create);

        assertThat(drover.requested).hasSize(2);
        CreateRolloutRequest created = (CreateRolloutRequest) drover.requested.getLast();
        assertThat(drover.requested.getFirst())
                .isEqualTo(PlanRolloutRequest.newBuilder().setRollout(created).build());
    }

    @Test
    void showsBatchesSkipsTheWayBackAndHowLongItTakes() {
        drover.plan = aPlan();

        CommandResult typed = plan(FIELDS);

        assertThat(typed.exitCode()).isZero();
        assertThat(typed.out())
                .isEqualTo(
                        """
                        What this rollout would do; nothing is created:

                        what         greeter v1 → v2
                        where        chain harbour, type edge
                        strategy     canary, batches of 2, at most 100 at once
                        tolerates    0 failed nodes
                        nodes        2 of 4 in 2 batches, 1 skipped, 1 more unless they change
                        migration    breaking
                        way back     tier_3
                        takes        about 12m (median of 7 measured upgrades: 4s a node)

                        BATCH       NODES  TAKES  THEN                WHICH
                        1 (canary)  1      10m    waits for approval  berth-02
                        2           1      100s   -                   berth-01

                        LEFT ALONE  REASON   SURE               WHY
                        berth-03    DRIFTED  yes                It runs v0, not the source version.
                        berth-01    OFFLINE  unless it changes  Its agent is not connected.

                        Warning OVERRIDE_UNUSED: The template does not use 'greting'.
                        """);
    }

    @Test
    void reportsWhatIsDeclaredOfTheStateAndWhyAStartNeedsAReason() {
        drover.plan =
                aPlan().toBuilder()
                        .setStartRisk("it upgrades all of its nodes at once")
                        .setRollout(
                                aPlan().getRollout().toBuilder()
                                        .setMigrationType(MigrationType.MIGRATION_TYPE_NONE))
                        .build();
        assertThat(plan(FIELDS).out())
                .contains("migration    none declared\n")
                .contains(
                        "reason       required at the start, because it upgrades all of its nodes at once\n");
    }

    @Test
    @DisplayName("A downgrade without a declaration promises nothing about the state")
    void promisesNothingAboutTheStateOfADowngrade() {
        drover.plan =
                aPlan().toBuilder()
                        .setRollout(
                                aPlan().getRollout().toBuilder()
                                        .setSourceVersion("v2")
                                        .setTargetVersion("v1")
                                        .setRollbackTier(RollbackTier.ROLLBACK_TIER_TIER_1)
                                        .setMigrationType(MigrationType.MIGRATION_TYPE_NONE))
                        .build();

        assertThat(plan(FIELDS).out())
                .contains("what         greeter v2 → v1\n")
                .contains("migration    none declared\n")
                .contains("way back     tier_1")
                .doesNotContain("untouched", "no migration");
    }

    private static final String UNHEALTHY_NODES =
            """

            UNHEALTHY  HEALTH    TARGET  WHY
            berth-01   critical  yes     greeter is critical.
            berth-09   down      no      greeter is down.

            Warning NEIGHBORS_UNHEALTHY: Check them.
            """;

    private void reportUnhealthyNodes() {
        drover.plan =
                aPlan().toBuilder()
                        .addUnhealthyNodes(
                                unhealthy("berth-01", NodeHealth.NODE_HEALTH_CRITICAL, true))
                        .addUnhealthyNodes(
                                unhealthy("berth-09", NodeHealth.NODE_HEALTH_DOWN, false))
                        .clearWarnings()
                        .addWarnings(
                                PlanWarning.newBuilder()
                                        .setCode("NEIGHBORS_UNHEALTHY")
                                        .setSentence("Check them."))
                        .build();
    }

    private static UnhealthyNode unhealthy(String node, NodeHealth health, boolean target) {
        return UnhealthyNode.newBuilder()
                .setNodeId(node)
                .setHealth(health)
                .setTarget(target)
                .setSentence("greeter is " + EnumNames.of(health) + ".")
                .build();
    }

    @Test
    void unhealthyTargetsAndOtherNodesAreATable() {
        reportUnhealthyNodes();

        assertThat(plan(FIELDS).out()).endsWith(UNHEALTHY_NODES);
    }

    @Test
    void aStartPrintsTheUnhealthyNodes() {
        reportUnhealthyNodes();

        assertThat(CommandResult.on(drover, "rollout", "start", ID).out())
                .endsWith(UNHEALTHY_NODES);
    }

    @Test
    void aPreflightPrintsTheUnhealthyNodes() {
        reportUnhealthyNodes();
        drover.preflight =
                Preflight.newBuilder()
                        .setId("p")
                        .setFinishedAt(Timestamp.getDefaultInstance())
                        .build();

        CommandResult typed = CommandResult.on(drover, "rollout", "preflight", ID);

        assertThat(typed.out())
                .contains("berth-01   critical  yes     greeter is critical.\n")
                .contains("berth-09   down      no      greeter is down.\n")
                .endsWith("Warning NEIGHBORS_UNHEALTHY: Check them.\n");
    }

    @Test
    void creatingAndStartingPrintsTheUnhealthyNodesAndEndsWithTheId() {
        reportUnhealthyNodes();
        String[] arguments = Arrays.copyOf(FIELDS, FIELDS.length + 1);
        arguments[FIELDS.length] = "--start";
        String[] create = new String[arguments.length + 2];
        create[0] = "rollout";
        create[1] = "create";
        System.arraycopy(arguments, 0, create, 2, arguments.length);

        CommandResult typed = CommandResult.on(drover, create);

        assertThat(typed.out())
                .contains("berth-09   down      no      greeter is down.\n")
                .endsWith("7d1e0000-0000-4000-8000-000000000001\n");
        assertThat(typed.err()).contains("Warning: Check them.");
    }

    @Test
    void showsTheOrderOfTheNodes() {
        Rollout.Builder rollout = aPlan().getRollout().toBuilder().setOrder("label:rack");
        drover.plan = aPlan().toBuilder().setRollout(rollout).build();
        assertThat(plan(FIELDS).out()).contains("order        label:rack\n");

        rollout.addLastNodeIds("berth-02").addLastNodeIds("berth-01");
        drover.plan = aPlan().toBuilder().setRollout(rollout).build();
        assertThat(plan(FIELDS).out())
                .contains("order        label:rack, then last berth-02, berth-01\n");
    }

    @Test
    void orderAndLastNodesAreSentAsTyped() {
        String[] arguments = Arrays.copyOf(FIELDS, FIELDS.length + 4);
        arguments[FIELDS.length] = "--order";
        arguments[FIELDS.length + 1] = "as-listed";
        arguments[FIELDS.length + 2] = "--last";
        arguments[FIELDS.length + 3] = "berth-02,berth-01";
        plan(arguments);
        CreateRolloutRequest request =
                ((PlanRolloutRequest) drover.requested.getLast()).getRollout();
        assertThat(request.getOrder()).isEqualTo("as-listed");
        assertThat(request.getLastNodeIdsList()).containsExactly("berth-02", "berth-01");
    }

    @Test
    void aDryRunOfARollbackShowsOrderAndHealthGate() {
        drover.plan =
                RolloutPlan.newBuilder()
                        .setRollback(true)
                        .setRollout(
                                aPlan().getRollout().toBuilder()
                                        .setId(ID)
                                        .setBatchSize(1)
                                        .setRollbackHealth(RollbackHealth.ROLLBACK_HEALTH_IGNORE))
                        .addBatches(
                                PlannedBatch.newBuilder()
                                        .addNodeIds("berth-02")
                                        .setExpectedDuration(seconds(14)))
                        .addBatches(
                                PlannedBatch.newBuilder()
                                        .setIndex(1)
                                        .addNodeIds("berth-01")
                                        .setExpectedDuration(seconds(14)))
                        .addSkips(
                                PlannedSkip.newBuilder()
                                        .setNodeId("berth-03")
                                        .setReason(SkipReason.SKIP_REASON_OFFLINE)
                                        .setSentence("Its agent is not connected.")
                                        .setMayChange(true))
                        .addNotRollbackableNodeIds("berth-04")
                        .setExpectedDuration(seconds(28))
                        .setExpectedNodeWork(seconds(4))
                        .setMeasuredFrom(7)
                        .build();

        CommandResult typed =
                CommandResult.on(
                        drover, "rollout", "rollback", ID, "--health", "ignore", "--dry-run");

        assertThat(drover.requested.getLast())
                .isEqualTo(
                        GetRolloutPlanRequest.newBuilder()
                                .setRolloutId(ID)
                                .setRollback(true)
                                .setRollbackHealth(RollbackHealth.ROLLBACK_HEALTH_IGNORE)
                                .build());
        assertThat(typed.out())
                .isEqualTo(
                        """
                        What a rollback of rollout %s would do; nothing is changed:

                        what         greeter v1 → v2
                        where        chain harbour, type edge
                        health       ignore: health of restored nodes is not waited for
                        order        unhealthy nodes first, then the newest batch first
                        nodes        2 of 4 to restore, at most 1 at once
                        takes        about 28s (median of 7 measured upgrades: 4s a node)

                        RESTORE  NODES  TAKES  WHICH
                        1        1      14s    berth-02
                        2        1      14s    berth-01

                        LEFT ALONE  REASON   SURE               WHY
                        berth-03    OFFLINE  unless it changes  Its agent is not connected.

                        Cannot be restored: berth-04.
                        """
                                .formatted(ID));
    }

    @Test
    void reportsMissingMeasurements() {
        drover.plan = aPlan().toBuilder().setMeasuredFrom(0).build();

        assertThat(plan(FIELDS).out())
                .contains("about 12m (nothing measured yet, assuming 4s of work a node)");
    }

    @Test
    void idShowsTheRemainingPlanOfARollout() {
        drover.plan =
                aPlan().toBuilder().setRollout(aPlan().getRollout().toBuilder().setId(ID)).build();

        CommandResult typed = plan(ID);

        assertThat(drover.requested.getLast())
                .isEqualTo(GetRolloutPlanRequest.newBuilder().setRolloutId(ID).build());
        assertThat(typed.out()).startsWith("What remains of rollout " + ID + ":\n");
    }

    @Test
    void jsonIsWhatRestGives() {
        drover.plan = aPlan();
        String[] arguments = new String[FIELDS.length + 2];
        System.arraycopy(FIELDS, 0, arguments, 0, FIELDS.length);
        arguments[FIELDS.length] = "--output";
        arguments[FIELDS.length + 1] = "json";

        assertThat(plan(arguments).out()).contains("\"plan\"", "\"may_change\": true");
    }

    @Test
    void refusalIsReportedAsForACreation() {
        drover.refuse(Code.FAILED_PRECONDITION, "CHAIN_BUSY", "Rollout x is active.");

        CommandResult typed = plan(FIELDS);

        assertThat(typed.exitCode()).isEqualTo(CommandFailed.FAILED);
        assertThat(typed.err()).contains("Rollout x is active.");
    }

    @Test
    void neitherAnIdNorFieldsIsWrongUsage() {
        assertThat(plan().exitCode()).isEqualTo(CommandFailed.USAGE);
        assertThat(plan(ID, "--chain", "harbour").exitCode()).isEqualTo(CommandFailed.USAGE);
        assertThat(plan("--chain", "harbour").err()).contains("--from");
        assertThat(drover.requested).isEmpty();
    }

    private static RolloutPlan aPlan() {
        return RolloutPlan.newBuilder()
                .setRollout(
                        Rollout.newBuilder()
                                .setChainProfileId("harbour")
                                .setNodeType("edge")
                                .setBinaryName("greeter")
                                .setSourceVersion("v1")
                                .setTargetVersion("v2")
                                .setStrategy(Strategy.STRATEGY_CANARY)
                                .setBatchSize(2)
                                .setMaxInFlight(100)
                                .setTotalNodes(4)
                                .setMigrationType(MigrationType.MIGRATION_TYPE_BREAKING)
                                .setRollbackTier(RollbackTier.ROLLBACK_TIER_TIER_3))
                .addBatches(
                        PlannedBatch.newBuilder()
                                .setCanary(true)
                                .setAwaitsApproval(true)
                                .addNodeIds("berth-02")
                                .setExpectedDuration(seconds(600)))
                .addBatches(
                        PlannedBatch.newBuilder()
                                .setIndex(1)
                                .addNodeIds("berth-01")
                                .setExpectedDuration(seconds(100)))
                .addAllSkips(
                        List.of(
                                PlannedSkip.newBuilder()
                                        .setNodeId("berth-03")
                                        .setReason(SkipReason.SKIP_REASON_DRIFTED)
                                        .setSentence("It runs v0, not the source version.")
                                        .build(),
                                PlannedSkip.newBuilder()
                                        .setNodeId("berth-01")
                                        .setReason(SkipReason.SKIP_REASON_OFFLINE)
                                        .setSentence("Its agent is not connected.")
                                        .setMayChange(true)
                                        .build()))
                .setExpectedDuration(seconds(700))
                .setExpectedNodeWork(seconds(4))
                .setMeasuredFrom(7)
                .addWarnings(
                        PlanWarning.newBuilder()
                                .setCode("OVERRIDE_UNUSED")
                                .setSentence("The template does not use 'greting'."))
                .build();
    }

    private static Duration seconds(long seconds) {
        return Duration.newBuilder().setSeconds(seconds).build();
    }
}
