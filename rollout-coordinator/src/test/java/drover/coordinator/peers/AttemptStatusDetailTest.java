package drover.coordinator.peers;

import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.ActionOutcome;
import drover.agent.v1.ActionReport;
import drover.agent.v1.AttemptStatus;
import org.junit.jupiter.api.Test;

/** What operators read about an attempt: its own sentence and those of its actions. */
class AttemptStatusDetailTest {
    private static final String KILLED = "app did not end within 20 s of SIGTERM and was killed.";

    @Test
    void addsTheSentencesOfActionsThatSucceeded() {
        AttemptStatus status =
                AttemptStatus.newBuilder()
                        .addActions(action("stop_node", ActionOutcome.ACTION_OUTCOME_DONE, KILLED))
                        .addActions(action("start_node", ActionOutcome.ACTION_OUTCOME_DONE, ""))
                        .build();

        assertThat(AgentReportConverter.toAttemptStatus(status).detail()).isEqualTo(KILLED);
    }

    @Test
    void addsThemToTheSentenceOfAFailureButDoesNotRepeatThat() {
        AttemptStatus status =
                AttemptStatus.newBuilder()
                        .setDetail("app ended.")
                        .addActions(
                                action(
                                        "stop_node",
                                        ActionOutcome.ACTION_OUTCOME_COMPENSATED,
                                        KILLED))
                        .addActions(
                                action(
                                        "start_node",
                                        ActionOutcome.ACTION_OUTCOME_FAILED,
                                        "app ended."))
                        .build();

        assertThat(AgentReportConverter.toAttemptStatus(status).detail())
                .isEqualTo("app ended. " + KILLED);
    }

    @Test
    void isEmptyForAgentsWhoseActionsHaveNoSentence() {
        AttemptStatus status =
                AttemptStatus.newBuilder()
                        .addActions(action("stop_node", ActionOutcome.ACTION_OUTCOME_DONE, ""))
                        .build();

        assertThat(AgentReportConverter.toAttemptStatus(status).detail()).isEmpty();
    }

    private static ActionReport action(String name, ActionOutcome outcome, String detail) {
        return ActionReport.newBuilder()
                .setName(name)
                .setOutcome(outcome)
                .setDetail(detail)
                .build();
    }
}
