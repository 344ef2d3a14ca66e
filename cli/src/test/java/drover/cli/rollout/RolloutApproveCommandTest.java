package drover.cli.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import drover.cli.CommandResult;
import drover.cli.FakeDrover;
import drover.rollout.v1.ApproveCanaryRequest;
import drover.rollout.v1.Evidence;
import drover.rollout.v1.RolloutStatus;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A9: who approves at the terminal sees what is approved, and approves nothing else. */
class RolloutApproveCommandTest {
    private static final String ID = RolloutCommandsTest.aRollout().getId();
    private static final String SEEN = "sha256:" + "ab".repeat(32);
    private static final String EARLIER = "sha256:" + "cd".repeat(32);

    @AutoClose private final FakeDrover drover = new FakeDrover();

    @BeforeEach
    void canaryIsVerified() {
        drover.rollouts.add(
                RolloutCommandsTest.aRollout().toBuilder()
                        .setStatus(RolloutStatus.ROLLOUT_STATUS_AWAITING_APPROVAL)
                        .clearPauseReason()
                        .setEvidence(
                                Evidence.newBuilder()
                                        .setDigest(SEEN)
                                        .addLines("node a-1: succeeded, verdict WELL"))
                        .build());
    }

    @Test
    void showsTheEvidenceAndApprovesOnIt() {
        CommandResult typed =
                CommandResult.on(drover, "rollout", "approve", ID, "--reason", "looked at");
        assertThat(typed.out())
                .startsWith(
                        "Approving on evidence "
                                + SEEN
                                + ":\n  node a-1: succeeded, verdict WELL\n");
        assertThat(drover.requested).endsWith(approval(SEEN, "looked at"));
    }

    @Test
    void approvesOnEvidenceThatWasSeenEarlierAndOnNoOther() {
        CommandResult.on(drover, "rollout", "approve", ID, "--evidence", EARLIER);
        assertThat(drover.requested).endsWith(approval(EARLIER, ""));
    }

    @Test
    void showHasTheEvidence() {
        assertThat(CommandResult.on(drover, "rollout", "show", ID).out())
                .contains("Evidence " + SEEN + ":\n  node a-1: succeeded, verdict WELL\n");
    }

    private static ApproveCanaryRequest approval(String evidence, String reason) {
        return ApproveCanaryRequest.newBuilder()
                .setRolloutId(ID)
                .setReason(reason)
                .setEvidence(evidence)
                .build();
    }
}
