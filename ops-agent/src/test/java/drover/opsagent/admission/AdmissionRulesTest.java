package drover.opsagent.admission;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.journal.Assignment;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** C8: of two agents of a node only the one that holds the executor lock does any work. */
class AdmissionRulesTest {
    private static final long LATEST = 4;
    private static final String BODY = Digest.of("body").value();

    private static Journal started() {
        return Journal.accepted(
                new Assignment(
                        LATEST,
                        BODY,
                        "rollout",
                        new Work.ClearFailure("why"),
                        Duration.ofSeconds(1),
                        "session"),
                new PreUpgradeState.NotNeeded());
    }

    private static Journal ended() {
        return started()
                .withResult(AttemptOutcome.SUCCEEDED, ReasonCode.NONE, "", ObservedProgram.NOTHING);
    }

    private static AgentStateAtAdmission admissionContext(
            boolean executor, @Nullable Journal latest) {
        return new AgentStateAtAdmission(
                "node-1", executor, latest == null ? 0 : LATEST, 1, latest, false, Set.of());
    }

    private static ParsedCommand request(long attempt) {
        return new ParsedCommand(
                "node-1",
                "rollout",
                attempt,
                1,
                BODY,
                List.of(),
                new ParsedCommand.WorkParseResult.Valid(new Work.ClearFailure("why")));
    }

    static Stream<Arguments> journals() {
        return Stream.of(
                Arguments.argumentSet("no journal", (Object) null),
                Arguments.argumentSet("an open journal", started()),
                Arguments.argumentSet("a closed journal", ended()));
    }

    @ParameterizedTest
    @MethodSource("journals")
    @DisplayName("C8: a standby accepts no command, with and without a journal of its own")
    void aStandbyAcceptsNothing(@Nullable Journal latest) {
        AgentStateAtAdmission standby = admissionContext(false, latest);
        for (long attempt : new long[] {1, LATEST, LATEST + 1}) {
            assertThat(AdmissionRules.decide(request(attempt), standby))
                    .as("attempt %d", attempt)
                    .isInstanceOfSatisfying(
                            CommandAdmissionDecision.RejectWithoutAttempt.class,
                            ignored ->
                                    assertThat(ignored.reason())
                                            .isEqualTo(ReasonCode.NOT_EXECUTOR));
            assertThat(AdmissionRules.isWithdrawable(attempt, 1, standby)).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("journals")
    void theExecutorAcceptsTheNextAttemptUnlessOneIsOpen(@Nullable Journal latest) {
        AgentStateAtAdmission executor = admissionContext(true, latest);
        boolean open = latest != null && !latest.hasEnded();
        Class<? extends CommandAdmissionDecision> expected =
                open
                        ? CommandAdmissionDecision.RejectWithoutAttempt.class
                        : CommandAdmissionDecision.Accept.class;
        assertThat(AdmissionRules.decide(request(LATEST + 1), executor)).isInstanceOf(expected);
        assertThat(AdmissionRules.isWithdrawable(LATEST + 1, 1, executor)).isEqualTo(!open);
    }
}
