package drover.cli.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import com.google.rpc.Code;
import drover.cli.CommandResult;
import drover.cli.FakeDrover;
import drover.cli.terminal.CommandFailed;
import drover.manifest.v1.ConfigChange;
import drover.manifest.v1.MigrationType;
import drover.rollout.v1.Batch;
import drover.rollout.v1.BatchPhase;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.ExplainRolloutResponse;
import drover.rollout.v1.PauseReason;
import drover.rollout.v1.PlanRolloutRequest;
import drover.rollout.v1.PlanWarning;
import drover.rollout.v1.Reason;
import drover.rollout.v1.RequestState;
import drover.rollout.v1.ResumeRolloutRequest;
import drover.rollout.v1.RetryNodeRequest;
import drover.rollout.v1.RollbackTier;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutPlan;
import drover.rollout.v1.RolloutStatus;
import drover.rollout.v1.SkipNodeRequest;
import drover.rollout.v1.SkipNodesRequest;
import drover.rollout.v1.StartRolloutRequest;
import drover.rollout.v1.Strategy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public final class RolloutCommandsTest {
    private static final String ID = "4f3c2a10-0000-4000-8000-000000000001";
    private static final String OTHER = "4f3cffff-0000-4000-8000-000000000002";

    @AutoClose private final FakeDrover drover = new FakeDrover();

    @Test
    void listsRolloutsInColumns() {
        drover.rollouts.add(aRollout());
        drover.rollouts.add(aRollout().toBuilder().setId("r-2").setBinaryName("").build());
        CommandResult typed = CommandResult.on(drover, "rollout", "list");
        assertThat(typed.exitCode()).isZero();
        assertThat(typed.out())
                .isEqualTo(
                        """
                        ROLLOUT                               STATUS  CHAIN     PROGRAM        FROM     TO       NODES  WAY BACK  CREATED
                        4f3c2a10-0000-4000-8000-000000000001  paused  celestia  celestia-node  v0.20.4  v0.21.0  3/5    tier_1    2m ago
                        r-2                                   paused  celestia  -              v0.20.4  v0.21.0  3/5    tier_1    2m ago
                        """);
    }

    @Test
    void listsOpenOnesByOption() {
        drover.rollouts.add(
                aRollout().toBuilder().setStatus(RolloutStatus.ROLLOUT_STATUS_COMPLETED).build());
        assertThat(CommandResult.on(drover, "rollout", "list", "--active").out())
                .isEqualTo("There is no such rollout. Create one with 'drover rollout create'.\n");
    }

    @Test
    void showsARolloutByTheStartOfItsId() {
        drover.rollouts.add(aRollout());
        assertThat(CommandResult.on(drover, "rollout", "show", "4f3c").out())
                .isEqualTo(
                        """
                        rollout      4f3c2a10-0000-4000-8000-000000000001
                        status       paused (FAILURE_THRESHOLD)
                        why          2 nodes failed, 0 are tolerated. Retry, skip or roll back.
                        what         celestia-node v0.20.4 → v0.21.0
                        where        chain celestia, type full
                        strategy     canary, batches of 2, at most 100 at once
                        tolerates    0 failed nodes
                        health wait  60s
                        nodes        3 of 5 succeeded, 2 failed, 0 pending, 0 skipped, 0 rolled back
                        way back     tier_1: binary and configuration come back, no state migration is declared
                        created      2026-01-31 11:58:00 (2m ago) by local

                        BATCH       PHASE     NODES  SUCCEEDED  FAILED
                        1 (canary)  promoted  1      1          0
                        2           settling  4      2          2
                        """);
    }

    @Test
    void refusesAnAmbiguousStartOfAnId() {
        drover.rollouts.add(aRollout());
        drover.rollouts.add(aRollout().toBuilder().setId(OTHER).build());
        CommandResult typed = CommandResult.on(drover, "rollout", "show", "4f3c");
        assertThat(typed.exitCode()).isEqualTo(1);
        assertThat(typed.err())
                .isEqualTo(
                        "2 rollouts begin with '4f3c': "
                                + ID
                                + ", "
                                + OTHER
                                + ". Write more of the id.\n");
    }

    @Test
    void createsFromAManifestAndEndsWithTheIdAlone() {
        CommandResult typed =
                CommandResult.on(
                        drover,
                        "rollout",
                        "create",
                        "--chain",
                        "celestia",
                        "--type",
                        "full",
                        "--upgrade",
                        "v0.21.0",
                        "--from",
                        "v0.20.4,v0.20.5",
                        "--strategy",
                        "rolling",
                        "--batch-size",
                        "2",
                        "--start");
        assertThat(typed.out().lines().toList().getLast())
                .isEqualTo("7d1e0000-0000-4000-8000-000000000001");
        assertThat(drover.requested)
                .filteredOn(request -> !(request instanceof PlanRolloutRequest))
                .containsExactly(
                        CreateRolloutRequest.newBuilder()
                                .setChainProfileId("celestia")
                                .setNodeType("full")
                                .setUpgradeId("v0.21.0")
                                .setSourceVersion("v0.20.4")
                                .addSourceVersions("v0.20.5")
                                .setStrategy(Strategy.STRATEGY_ROLLING)
                                .setBatchSize(2)
                                .build(),
                        StartRolloutRequest.newBuilder()
                                .setRolloutId("7d1e0000-0000-4000-8000-000000000001")
                                .build());
    }

    private static final String[] CREATE_AND_START =
            "rollout create --chain c --from v1 --strategy all_at_once --upgrade u --start"
                    .split(" ");

    @Test
    void creatingAndStartingRequiresAReasonBeforeAnythingIsCreated() {
        drover.plan =
                RolloutPlan.newBuilder()
                        .setStartRisk("it upgrades all of its nodes at once")
                        .build();

        CommandResult typed = CommandResult.on(drover, CREATE_AND_START);

        assertThat(typed.exitCode()).isEqualTo(CommandFailed.FAILED);
        assertThat(typed.err())
                .isEqualTo(
                        "Nothing is created: the start needs a reason, because it upgrades all of its"
                                + " nodes at once. Repeat the command with --reason TEXT.\n");
        assertThat(drover.requested).hasOnlyElementsOfType(PlanRolloutRequest.class);
    }

    @Test
    void aRefusedStartEndsWithTheIdAndWhatToDo() {
        drover.refuse(Code.FAILED_PRECONDITION, "TARGETS_UNHEALTHY", "Two are unhealthy.");
        drover.refused = StartRolloutRequest.class;
        String id = "7d1e0000-0000-4000-8000-000000000001";

        CommandResult typed = CommandResult.on(drover, CREATE_AND_START);

        assertThat(typed.exitCode()).isEqualTo(CommandFailed.FAILED);
        assertThat(typed.out()).isEqualTo(id + "\n");
        assertThat(typed.err().lines())
                .containsExactly(
                        "Two are unhealthy. [TARGETS_UNHEALTHY]",
                        "Next: drover rollout plan " + id + " --server " + drover.address(),
                        "Rollout %s is created, but its start is not confirmed: start it with 'drover rollout start %s', or release its chain with 'drover rollout cancel %s'."
                                .formatted(id, id, id));
    }

    @ParameterizedTest
    @CsvSource({"2, 2, 0", "10%, 0, 10"})
    void aThresholdIsACountOrAPercentage(String typed, int count, int percent) {
        CommandResult.on(
                drover,
                ("rollout create --chain c --from v1 --strategy progressive --upgrade u --threshold "
                                + typed)
                        .split(" "));
        assertThat(drover.requested)
                .containsExactly(
                        CreateRolloutRequest.newBuilder()
                                .setChainProfileId("c")
                                .setSourceVersion("v1")
                                .setStrategy(Strategy.STRATEGY_PROGRESSIVE)
                                .setUpgradeId("u")
                                .setFailureThreshold(count)
                                .setFailureThresholdPercent(percent)
                                .build());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "few", "%", "1.5%", "3 %"})
    void aThresholdThatIsNoNumberIsExplained(String threshold) {
        CommandResult typed =
                CommandResult.on(
                        drover,
                        "rollout",
                        "create",
                        "--chain=c",
                        "--from=v1",
                        "--strategy=rolling",
                        "--threshold=" + threshold);
        assertThat(typed.err())
                .contains("--threshold does not take '" + threshold + "'; write 2 or 10%");
        assertThat(drover.requested).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--unhealthy-budget=-1, --unhealthy-budget does not take a negative number.",
        "--offline-budget=-1, --offline-budget does not take a negative number.",
        "--unhealthy-budget=2147483648, '--unhealthy-budget'"
    })
    void aBudgetThatIsNoCountOfNodesIsExplained(String budget, String sentence) {
        CommandResult typed =
                CommandResult.on(
                        drover,
                        "rollout",
                        "create",
                        "--chain=c",
                        "--from=v1",
                        "--strategy=rolling",
                        "--upgrade=u",
                        budget);
        assertThat(typed.exitCode()).isNotZero();
        assertThat(typed.err()).contains(sentence);
        assertThat(drover.requested).isEmpty();
    }

    @Test
    void creationWarnsOfAManifestThatIsBrokenNow() {
        drover.warnings.add(
                PlanWarning.newBuilder()
                        .setCode("MANIFEST_STALE")
                        .setSentence("The manifest's file is broken now.")
                        .build());
        CommandResult typed =
                CommandResult.on(
                        drover,
                        "rollout create --chain c --from v1 --strategy rolling --upgrade u"
                                .split(" "));
        assertThat(typed.exitCode()).isZero();
        assertThat(typed.err()).contains("Warning: The manifest's file is broken now.");
    }

    @Test
    void createsAllAtOnceWithEveryRiskAcknowledged() {
        CommandResult.on(
                drover,
                ("rollout create --chain c --from v1 --strategy all_at_once --upgrade u"
                                + " --force-continue --skip-validation --selector zone=a,disk=fast")
                        .split(" "));
        assertThat(drover.requested)
                .containsExactly(
                        CreateRolloutRequest.newBuilder()
                                .setChainProfileId("c")
                                .setSourceVersion("v1")
                                .setStrategy(Strategy.STRATEGY_ALL_AT_ONCE)
                                .setUpgradeId("u")
                                .setForceContinue(true)
                                .setSkipValidation(true)
                                .putNodeSelector("zone", "a")
                                .putNodeSelector("disk", "fast")
                                .build());
    }

    @Test
    void createsByHandWithEveryField() {
        CommandResult typed =
                CommandResult.on(
                        drover,
                        "rollout",
                        "create",
                        "--chain",
                        "celestia",
                        "--from",
                        "v1",
                        "--strategy",
                        "canary",
                        "--canary-size",
                        "2",
                        "--batch-size",
                        "3",
                        "--failure-threshold-percent",
                        "10",
                        "--max-in-flight",
                        "5",
                        "--offline-budget",
                        "1",
                        "--health-wait",
                        "1.5m",
                        "--binary",
                        "node",
                        "--to",
                        "v2",
                        "--url",
                        "https://x/y",
                        "--checksum",
                        "sha256:ab",
                        "--config",
                        "/etc/a.toml=a.tmpl,port=1,name=b=c",
                        "--migration",
                        "breaking",
                        "--recovery-plan",
                        "restore",
                        "--acknowledge-state-risk",
                        "--node",
                        "a-1,a-2",
                        "--exclude",
                        "a-3",
                        "--selector",
                        "zone=north",
                        "--manifest-hash",
                        "sha256:cd");
        assertThat(typed.err()).isEmpty();
        assertThat(drover.requested)
                .containsExactly(
                        CreateRolloutRequest.newBuilder()
                                .setChainProfileId("celestia")
                                .setSourceVersion("v1")
                                .setStrategy(Strategy.STRATEGY_CANARY)
                                .setCanarySize(2)
                                .setBatchSize(3)
                                .setFailureThresholdPercent(10)
                                .setMaxInFlight(5)
                                .setOfflineBudget(1)
                                .setHealthWaitDuration(Duration.newBuilder().setSeconds(90))
                                .setBinaryName("node")
                                .setTargetVersion("v2")
                                .setTargetBinaryUrl("https://x/y")
                                .setTargetBinaryChecksum("sha256:ab")
                                .addConfigChanges(
                                        ConfigChange.newBuilder()
                                                .setPath("/etc/a.toml")
                                                .setTemplate("a.tmpl")
                                                .putOverrides("port", "1")
                                                .putOverrides("name", "b=c"))
                                .setMigrationType(MigrationType.MIGRATION_TYPE_BREAKING)
                                .setRecoveryPlan("restore")
                                .setAcknowledgeStateRisk(true)
                                .addNodeIds("a-1")
                                .addNodeIds("a-2")
                                .addExclude("a-3")
                                .putNodeSelector("zone", "north")
                                .setManifestContentHash("sha256:cd")
                                .build());
    }

    @Test
    void controlsARolloutAndShowsItsState() {
        assertThat(CommandResult.on(drover, "rollout", "pause", ID, "--reason", "lunch").out())
                .isEqualTo("Rollout " + ID + " is paused. As asked.\n");
        CommandResult.on(drover, "rollout", "resume", ID, "--acknowledge-failures", "2");
        CommandResult.on(drover, "rollout", "retry", ID, "a-4");
        assertThat(drover.requested)
                .endsWith(
                        ResumeRolloutRequest.newBuilder()
                                .setRolloutId(ID)
                                .setAcknowledgedFailures(2)
                                .build(),
                        RetryNodeRequest.newBuilder().setRolloutId(ID).setNodeId("a-4").build());
    }

    @Test
    void skipsWhatHoldsARolloutUpOrTheNodesThatAreNamed() {
        assertThat(CommandResult.on(drover, "rollout", "skip", ID, "--reason", "rack").out())
                .isEqualTo("Rollout " + ID + " is paused. As asked.\n");
        CommandResult.on(drover, "rollout", "skip", ID, "a-4", "a-5", "--reason", "rack");
        CommandResult.on(drover, "rollout", "skip", ID, "a-4");
        SkipNodesRequest all =
                SkipNodesRequest.newBuilder().setRolloutId(ID).setReason("rack").build();
        assertThat(drover.requested)
                .contains(all)
                .endsWith(
                        all.toBuilder().addNodeIds("a-4").addNodeIds("a-5").build(),
                        SkipNodeRequest.newBuilder().setRolloutId(ID).setNodeId("a-4").build());
    }

    @Test
    void reportsAPendingRequest() {
        drover.decision = RequestState.REQUEST_STATE_PENDING;
        CommandResult typed = CommandResult.on(drover, "rollout", "pause", ID);
        assertThat(typed.exitCode()).isZero();
        assertThat(typed.out())
                .isEqualTo(
                        "The request is not decided yet. Next: drover rollout why "
                                + ID
                                + " --server "
                                + drover.address()
                                + "\n");
    }

    @ParameterizedTest
    @CsvSource({
        "FAILED_PRECONDITION, USE_RESUME, drover rollout resume " + ID,
        "FAILED_PRECONDITION, CHAIN_BUSY, drover rollout list --active",
        "NOT_FOUND, ROLLOUT_NOT_FOUND, drover rollout list",
    })
    void printsARefusalWithItsCodeAndTheNextCommand(Code code, String reason, String next) {
        drover.refuse(code, reason, "It cannot be.\u001b[31m");
        CommandResult typed = CommandResult.on(drover, "rollout", "start", ID);
        assertThat(typed.exitCode()).isEqualTo(1);
        assertThat(typed.out()).isEmpty();
        assertThat(typed.err())
                .isEqualTo(
                        "It cannot be. [31m ["
                                + reason
                                + "]\nNext: "
                                + next
                                + " --server "
                                + drover.address()
                                + "\n");
    }

    /** T14: the next command reaches the same server with the same key. */
    @Test
    void repeatsTheOptionsOfTheConnectionInTheNextCommand(@TempDir Path folder) throws Exception {
        Path keys = Files.createDirectory(folder.resolve("my keys"));
        Path admin = Files.writeString(keys.resolve("admin.key"), "ak1.admin.x\n");
        Files.setPosixFilePermissions(admin, PosixFilePermissions.fromString("rw-------"));
        drover.refuse(Code.NOT_FOUND, "ROLLOUT_NOT_FOUND", "There is no rollout.");
        CommandResult typed =
                CommandResult.on(drover, "rollout", "start", ID, "--key-file", keys.toString());
        assertThat(typed.err())
                .endsWith(
                        "Next: drover rollout list --server "
                                + drover.address()
                                + " --key-file '"
                                + keys
                                + "'\n");
    }

    /** T15: a program sends batch_size, an operator types --batch-size. */
    @ParameterizedTest
    @CsvSource({"batch_size, --batch-size N", "target_version, --to VERSION"})
    void namesTheOptionOfAMissingField(String field, String option) {
        drover.refuse(Code.INVALID_ARGUMENT, "MISSING_FIELD", "It is missing.", field);
        String[] words = "rollout create --chain c --from v1 --strategy rolling".split(" ", -1);
        assertThat(CommandResult.on(drover, words).err())
                .endsWith("Next: drover rollout create ... " + option + "\n");
    }

    @Test
    void explainsInOrderWithTimeCodeAndSentence() {
        drover.why =
                ExplainRolloutResponse.newBuilder()
                        .setRollout(aRollout())
                        .addCurrent(because(5, "BATCH_HEALTH", "", "2 of 4 nodes are settling."))
                        .addHistory(because(60, "NODE_FAILED", "a-4", "Checksum differs."))
                        .addHistory(because(7200, "STARTED", "", "Started by local."))
                        .build();
        assertThat(CommandResult.on(drover, "rollout", "why", ID).out())
                .isEqualTo(
                        """
                        Rollout 4f3c2a10-0000-4000-8000-000000000001 is paused (FAILURE_THRESHOLD). 2 nodes failed, 0 are tolerated. Retry, skip or roll back.

                        Now:
                        SINCE                         CODE          NODE  BY      WHY
                        2026-01-31 11:59:55 (5s ago)  BATCH_HEALTH  -     drover  2 of 4 nodes are settling.

                        Before, newest first:
                        SINCE                         CODE         NODE  BY      WHY
                        2026-01-31 11:59:00 (1m ago)  NODE_FAILED  a-4   drover  Checksum differs.
                        2026-01-31 10:00:00 (2h ago)  STARTED      -     drover  Started by local.
                        """);
    }

    @Test
    void printsJsonAsRestDoes() {
        drover.rollouts.add(aRollout());
        CommandResult typed = CommandResult.on(drover, "rollout", "show", ID, "--output", "json");
        assertThat(typed.out())
                .startsWith("{\n  \"rollout\": {\n    \"id\": \"" + ID + "\",\n")
                .contains("\"status\": \"paused\"")
                .contains("\"pause_reason\": \"FAILURE_THRESHOLD\"")
                .contains("\"rollback_tier\": \"tier_1\"")
                .contains("\"health_wait_duration\": \"60s\"")
                .contains("\"skipped_nodes\": 0")
                .contains("\"created_at\": \"2026-01-31T11:58:00Z\"");
    }

    static Rollout aRollout() {
        return Rollout.newBuilder()
                .setId(ID)
                .setChainProfileId("celestia")
                .setNodeType("full")
                .setBinaryName("celestia-node")
                .setSourceVersion("v0.20.4")
                .setTargetVersion("v0.21.0")
                .setStrategy(Strategy.STRATEGY_CANARY)
                .setBatchSize(2)
                .setMaxInFlight(100)
                .setHealthWaitDuration(Duration.newBuilder().setSeconds(60))
                .setStatus(RolloutStatus.ROLLOUT_STATUS_PAUSED)
                .setPauseReason(PauseReason.PAUSE_REASON_FAILURE_THRESHOLD)
                .setExplanation("2 nodes failed, 0 are tolerated. Retry, skip or roll back.")
                .setTotalNodes(5)
                .setSucceededNodes(3)
                .setFailedNodes(2)
                .setRollbackTier(RollbackTier.ROLLBACK_TIER_TIER_1)
                .setCurrentBatch(1)
                .addBatches(
                        Batch.newBuilder()
                                .setPhase(BatchPhase.BATCH_PHASE_PROMOTED)
                                .setNodes(1)
                                .setSucceeded(1)
                                .setCanary(true))
                .addBatches(
                        Batch.newBuilder()
                                .setIndex(1)
                                .setPhase(BatchPhase.BATCH_PHASE_SETTLING)
                                .setNodes(4)
                                .setSucceeded(2)
                                .setFailed(2))
                .setCreatedBy("local")
                .setCreatedAt(ago(120))
                .build();
    }

    private static Reason because(long secondsAgo, String code, String node, String sentence) {
        return Reason.newBuilder()
                .setAt(ago(secondsAgo))
                .setCode(code)
                .setNodeId(node)
                .setActor("drover")
                .setSentence(sentence)
                .build();
    }

    public static Timestamp ago(long seconds) {
        Instant at = CommandResult.NOW.minusSeconds(seconds);
        return Timestamp.newBuilder().setSeconds(at.getEpochSecond()).build();
    }
}
