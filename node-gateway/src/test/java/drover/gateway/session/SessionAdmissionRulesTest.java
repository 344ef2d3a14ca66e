package drover.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SessionAdmissionRulesTest {
    private static final Comparator<AgentSession> AS_THE_NODE_COUNTS =
            Comparator.comparingLong(AgentSession::incarnation)
                    .thenComparingLong(AgentSession::connectionNumber);

    @Test
    void aHigherConnectionReplacesALowerOne() {
        SessionsOfNode present = new SessionsOfNode(List.of(executor(3, 1)));

        SessionAdmission admission = SessionAdmissionRules.decide(present, executor(3, 2));

        assertThat(admission)
                .isEqualTo(
                        new SessionAdmission.Admitted(
                                new SessionsOfNode(List.of(executor(3, 2))),
                                List.of(executor(3, 1))));
    }

    @Test
    void aHigherIncarnationWinsOverAHigherConnection() {
        SessionsOfNode present = new SessionsOfNode(List.of(executor(3, 9)));

        assertThat(SessionAdmissionRules.decide(present, executor(4, 1)))
                .isInstanceOf(SessionAdmission.Admitted.class);
        assertThat(SessionAdmissionRules.decide(present, executor(2, 99)))
                .isEqualTo(new SessionAdmission.AlreadySuperseded(executor(3, 9)));
    }

    @Test
    void aRepeatedConnectionIsOvertakenByItself() {
        SessionsOfNode present = new SessionsOfNode(List.of(executor(3, 9)));

        assertThat(SessionAdmissionRules.decide(present, executor(3, 9)))
                .isInstanceOf(SessionAdmission.AlreadySuperseded.class);
    }

    @Test
    void aStandbyWaitsBesideTheExecutor() {
        SessionsOfNode present = new SessionsOfNode(List.of(executor(3, 1)));

        SessionAdmission admission = SessionAdmissionRules.decide(present, standby(4, 1));

        assertThat(admission)
                .isEqualTo(
                        new SessionAdmission.Admitted(
                                new SessionsOfNode(List.of(executor(3, 1), standby(4, 1))),
                                List.of()));
    }

    @Test
    void aStandbyThatBecomesExecutorReplacesBothItselfAndTheOldOne() {
        SessionsOfNode present = new SessionsOfNode(List.of(executor(3, 1), standby(4, 1)));

        SessionAdmission admission = SessionAdmissionRules.decide(present, executor(4, 2));

        assertThat(admission)
                .isEqualTo(
                        new SessionAdmission.Admitted(
                                new SessionsOfNode(List.of(executor(4, 2))),
                                List.of(executor(3, 1), standby(4, 1))));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("C13: whatever the order and however often, the latest executor is current")
    void theLatestExecutorIsCurrentInAnyOrder(long seed) {
        Random random = new Random(seed);
        List<AgentSession> sessions = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(12); i++) {
            sessions.add(executor(random.nextInt(4), random.nextInt(4)));
        }
        AgentSession latest = Collections.max(sessions, AS_THE_NODE_COUNTS);
        sessions.addAll(List.copyOf(sessions)); // every dial may arrive twice
        Collections.shuffle(sessions, random);

        SessionsOfNode present = SessionsOfNode.NONE;
        for (AgentSession session : sessions) {
            present = after(present, session);
        }

        assertThat(present.executor()).as("seed %d", seed).isEqualTo(Optional.of(latest));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("C13: never two sessions of one role, and none is lost without being named")
    void everySessionIsLiveOrSupersededOrOvertaken(long seed) {
        Random random = new Random(seed);
        SessionsOfNode present = SessionsOfNode.NONE;
        for (int i = 0; i < 40; i++) {
            AgentSession session =
                    new AgentSession(
                            "s" + i, random.nextInt(5), random.nextInt(5), random.nextBoolean());
            switch (SessionAdmissionRules.decide(present, session)) {
                case SessionAdmission.Admitted(
                                SessionsOfNode next,
                                List<AgentSession> superseded) -> {
                    List<AgentSession> accounted = new ArrayList<>(next.live());
                    accounted.addAll(superseded);
                    List<AgentSession> expected = new ArrayList<>(present.live());
                    expected.add(session);
                    assertThat(accounted)
                            .as("seed %d", seed)
                            .containsExactlyInAnyOrderElementsOf(expected);
                    assertThat(next.live().stream().filter(AgentSession::executor).count())
                            .as("seed %d", seed)
                            .isLessThanOrEqualTo(1);
                    assertThat(next.live()).as("seed %d", seed).hasSizeLessThanOrEqualTo(2);
                    present = next;
                }
                case SessionAdmission.AlreadySuperseded(AgentSession by) ->
                        assertThat(present.live()).as("seed %d", seed).contains(by);
            }
        }
    }

    static List<Long> seeds() {
        return new Random(42).longs(200).boxed().toList();
    }

    private static SessionsOfNode after(SessionsOfNode present, AgentSession arriving) {
        return switch (SessionAdmissionRules.decide(present, arriving)) {
            case SessionAdmission.Admitted(SessionsOfNode next, List<AgentSession> _) -> next;
            case SessionAdmission.AlreadySuperseded _ -> present;
        };
    }

    private static AgentSession executor(long incarnation, long connectionNumber) {
        return new AgentSession(
                "e" + incarnation + "." + connectionNumber, incarnation, connectionNumber, true);
    }

    private static AgentSession standby(long incarnation, long connectionNumber) {
        return new AgentSession(
                "s" + incarnation + "." + connectionNumber, incarnation, connectionNumber, false);
    }
}
