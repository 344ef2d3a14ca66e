package drover.cli.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Timestamps;
import com.google.rpc.Code;
import drover.cli.CommandResult;
import drover.cli.FakeDrover;
import drover.cli.terminal.CommandFailed;
import drover.rollout.v1.GetRolloutPlanRequest;
import drover.rollout.v1.NodePreflight;
import drover.rollout.v1.PlanWarning;
import drover.rollout.v1.Preflight;
import drover.rollout.v1.PreflightCheck;
import drover.rollout.v1.PreflightResult;
import drover.rollout.v1.PreflightRolloutRequest;
import drover.rollout.v1.RolloutPlan;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class RolloutPreflightCommandTest {
    private static final String ID = "4f3c2a10-0000-4000-8000-000000000001";

    @AutoClose private final FakeDrover drover = new FakeDrover();

    private CommandResult preflight(String... more) {
        String[] all = new String[more.length + 3];
        all[0] = "rollout";
        all[1] = "preflight";
        all[2] = ID;
        System.arraycopy(more, 0, all, 3, more.length);
        return CommandResult.on(drover, all);
    }

    @Test
    void namesTheActionsThatWouldFailAndExitsWithOne() {
        drover.preflight = found();

        CommandResult typed = preflight();

        assertThat(drover.requested)
                .startsWith(PreflightRolloutRequest.newBuilder().setRolloutId(ID).build());
        assertThat(typed.out())
                .isEqualTo(
                        """
                        NODE      RESULT       ACTION            REASON              WHY
                        berth-01  ok           -                 -                   -
                        berth-02  would_fail   acquire_artifact  ARTIFACT_NOT_FOUND  Nothing is there.
                        berth-02  would_fail   start_node        WRONG_PLATFORM      It is for arm64.
                        berth-03  not_checked  -                 OFFLINE             Not connected.

                        1 ok, 1 would fail, 1 not checked, 2026-01-31 11:59:00 (1m ago) by key:ops
                        """);
        assertThat(typed.exitCode()).isEqualTo(CommandFailed.FAILED);
    }

    @Test
    void exitsWithNothingWhenNoActionWouldFail() {
        drover.preflight = found().toBuilder().removeNodes(1).setFailingNodes(0).build();

        assertThat(preflight().exitCode()).isZero();
    }

    @Test
    void checksAgainUntilItIsFinished() {
        drover.preflight = found().toBuilder().clearNodes().clearFinishedAt().build();
        drover.plan = RolloutPlan.newBuilder().setPreflight(found()).build();

        CommandResult typed = preflight();

        assertThat(drover.requested.getLast())
                .isEqualTo(GetRolloutPlanRequest.newBuilder().setRolloutId(ID).build());
        assertThat(typed.out()).contains("WRONG_PLATFORM");
    }

    @Test
    void showsTheWarningsOfThePlan() {
        drover.preflight = found();
        drover.plan =
                RolloutPlan.newBuilder()
                        .addWarnings(
                                PlanWarning.newBuilder()
                                        .setCode("CHAIN_PROFILE_STALE")
                                        .setSentence("The chain profile is broken."))
                        .build();

        assertThat(preflight().out())
                .endsWith("Warning CHAIN_PROFILE_STALE: The chain profile is broken.\n");
    }

    @Test
    void oneThatDoesNotFinishIsNoSuccess() {
        drover.preflight = found().toBuilder().clearNodes().clearFinishedAt().build();
        drover.plan = RolloutPlan.newBuilder().setPreflight(drover.preflight).build();

        assertThat(preflight().exitCode()).isEqualTo(CommandFailed.FAILED);
    }

    @Test
    void aPlanShowsWhatWasFoundAndWhen() {
        drover.plan = RolloutPlan.newBuilder().setPreflight(found()).build();

        CommandResult typed = CommandResult.on(drover, "rollout", "plan", ID);

        assertThat(typed.out())
                .contains("preflight    1 ok, 1 would fail, 1 not checked")
                .contains("berth-02  would_fail   start_node")
                .doesNotContain("berth-01");
    }

    @Test
    void refusalIsReported() {
        drover.refuse(Code.FAILED_PRECONDITION, "ALREADY", "It was started.");

        CommandResult typed = preflight();

        assertThat(typed.exitCode()).isEqualTo(CommandFailed.FAILED);
        assertThat(typed.err()).contains("It was started.");
    }

    private static Preflight found() {
        return Preflight.newBuilder()
                .setId("p")
                .setRequestedBy("key:ops")
                .setFinishedAt(Timestamps.fromSeconds(CommandResult.NOW.getEpochSecond() - 60))
                .setOkNodes(1)
                .setFailingNodes(1)
                .setUncheckedNodes(1)
                .addNodes(
                        node("berth-01", PreflightResult.PREFLIGHT_RESULT_OK)
                                .addChecks(check("backup_state").setOk(true)))
                .addNodes(
                        node("berth-02", PreflightResult.PREFLIGHT_RESULT_WOULD_FAIL)
                                .addChecks(check("backup_state").setOk(true))
                                .addChecks(
                                        check("acquire_artifact")
                                                .setReason("ARTIFACT_NOT_FOUND")
                                                .setSentence("Nothing is there."))
                                .addChecks(
                                        check("start_node")
                                                .setReason("WRONG_PLATFORM")
                                                .setSentence("It is for arm64.")))
                .addNodes(
                        node("berth-03", PreflightResult.PREFLIGHT_RESULT_NOT_CHECKED)
                                .setReason("OFFLINE")
                                .setSentence("Not connected."))
                .build();
    }

    private static NodePreflight.Builder node(String id, PreflightResult result) {
        return NodePreflight.newBuilder().setNodeId(id).setResult(result);
    }

    private static PreflightCheck.Builder check(String action) {
        return PreflightCheck.newBuilder().setAction(action);
    }
}
