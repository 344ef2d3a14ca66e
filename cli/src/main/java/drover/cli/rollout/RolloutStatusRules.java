package drover.cli.rollout;

import drover.cli.terminal.EnumNames;
import drover.cli.terminal.Style;
import drover.rollout.v1.PauseReason;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;

/** What the statuses of rollouts and nodes mean for somebody who waits. */
final class RolloutStatusRules {
    private RolloutStatusRules() {}

    static boolean isFinal(Rollout rollout) {
        return switch (rollout.getStatus()) {
            case ROLLOUT_STATUS_COMPLETED,
                    ROLLOUT_STATUS_FAILED,
                    ROLLOUT_STATUS_CANCELLED,
                    ROLLOUT_STATUS_ROLLED_BACK ->
                    true;
            case ROLLOUT_STATUS_UNSPECIFIED,
                    ROLLOUT_STATUS_PENDING,
                    ROLLOUT_STATUS_RUNNING,
                    ROLLOUT_STATUS_AWAITING_APPROVAL,
                    ROLLOUT_STATUS_PAUSED,
                    ROLLOUT_STATUS_CANCELLING,
                    ROLLOUT_STATUS_ROLLING_BACK,
                    UNRECOGNIZED ->
                    false;
        };
    }

    /** True when nothing goes on until a person does something. */
    static boolean needsOperator(Rollout rollout) {
        return switch (rollout.getStatus()) {
            case ROLLOUT_STATUS_PENDING, ROLLOUT_STATUS_AWAITING_APPROVAL, ROLLOUT_STATUS_PAUSED ->
                    true;
            case ROLLOUT_STATUS_UNSPECIFIED,
                    ROLLOUT_STATUS_RUNNING,
                    ROLLOUT_STATUS_CANCELLING,
                    ROLLOUT_STATUS_ROLLING_BACK,
                    ROLLOUT_STATUS_COMPLETED,
                    ROLLOUT_STATUS_FAILED,
                    ROLLOUT_STATUS_CANCELLED,
                    ROLLOUT_STATUS_ROLLED_BACK,
                    UNRECOGNIZED ->
                    false;
        };
    }

    /** True when every node is where somebody wanted it. */
    static boolean isCompletedOrRolledBack(Rollout rollout) {
        return EnumNames.of(rollout.getStatus()).matches("completed|rolled_back");
    }

    static boolean isInProgress(RolloutNode node) {
        return switch (node.getStatus()) {
            case NODE_UPGRADE_STATUS_ASSIGNED,
                    NODE_UPGRADE_STATUS_UPGRADING,
                    NODE_UPGRADE_STATUS_SETTLING,
                    NODE_UPGRADE_STATUS_RESTORING,
                    NODE_UPGRADE_STATUS_RESTORED ->
                    true;
            case NODE_UPGRADE_STATUS_UNSPECIFIED,
                    NODE_UPGRADE_STATUS_PENDING,
                    NODE_UPGRADE_STATUS_SUCCEEDED,
                    NODE_UPGRADE_STATUS_FAILED,
                    NODE_UPGRADE_STATUS_FAILED_ROLLBACK,
                    NODE_UPGRADE_STATUS_UNHEALTHY,
                    NODE_UPGRADE_STATUS_UNREACHABLE,
                    NODE_UPGRADE_STATUS_SKIPPED,
                    NODE_UPGRADE_STATUS_HELD,
                    NODE_UPGRADE_STATUS_ROLLED_BACK,
                    UNRECOGNIZED ->
                    false;
        };
    }

    static boolean countsAsFailed(RolloutNode node) {
        return EnumNames.of(node.getStatus())
                .matches("failed|failed_rollback|unhealthy|unreachable");
    }

    /** The status, with the reason of a pause or failure. */
    static String statusText(Rollout rollout) {
        String status = EnumNames.nameOrUnknown(rollout.getStatus());
        String reason =
                rollout.getPauseReason() != PauseReason.PAUSE_REASON_UNSPECIFIED
                        ? EnumNames.of(rollout.getPauseReason())
                        : EnumNames.of(rollout.getFailureReason());
        return reason.isEmpty() ? status : status + " (" + reason + ")";
    }

    /** The same of a past moment. */
    static String pastStatusSentence(String moment, Rollout rollout) {
        return "At %s rollout %s was %s. %s"
                .formatted(
                        moment,
                        rollout.getId(),
                        statusText(rollout),
                        Style.sanitize(rollout.getExplanation()));
    }

    /** One line: which rollout, where it stands, and why. */
    static String statusSentence(Rollout rollout) {
        String explanation = Style.sanitize(rollout.getExplanation());
        return "Rollout %s is %s.%s"
                .formatted(
                        rollout.getId(),
                        statusText(rollout),
                        explanation.isEmpty() ? "" : " " + explanation);
    }
}
