package drover.opsagent.selfupgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.model.AgentUpgradeAction;
import drover.opsagent.journal.UndoStep;
import drover.opsagent.main.AgentJars;
import drover.opsagent.main.AgentProcesses;
import drover.opsagent.main.AgentProcesses.Again;
import drover.opsagent.main.Faults;
import drover.opsagent.main.HandoverNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * C8 with real processes: whoever holds the executor lock is killed at each step of the hand-over
 * and of the way back from it, once when the step has begun and has done nothing, and again when it
 * had its effect and the journal does not know it. {@code AgentUpgradeTest.endsAnywhere} does so at
 * every write, in one thread.
 */
@Faults(rule = "C8 (one executor per node)", sample = "AgentUpgradeTest.endsAnywhere")
class SelfUpgradeKillsIT extends HandoverNode {
    /** So long it waits for a successor of which the control plane says nothing. */
    private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(2);

    private Path two;

    @BeforeEach
    void agentsThatStandStill() {
        AgentJars.hanging(agents.jar("v1.0.0"), "1.0.0");
        two = AgentJars.hanging(directory.resolve("agent-2.jar"), "2.0.0");
    }

    @ParameterizedTest(name = "{0}, then the machine starts {1}")
    @DisplayName("Killed at an action of the hand-over, twice: the new version runs")
    @CsvSource({
        "DRAIN, CURRENT",
        "STAGE, ITSELF",
        "VERIFY, CURRENT",
        "SWAP, ITSELF",
        "HANDOVER, CURRENT"
    })
    void getsThereWhereverItIsKilled(AgentUpgradeAction action, Again again) throws IOException {
        getsThere(action, again);
    }

    @ParameterizedTest(name = "{0}, then the machine starts {1}")
    @DisplayName("The same, started again the other way: the new version runs")
    @CsvSource({"SWAP, CURRENT", "HANDOVER, ITSELF"})
    void getsThereTheOtherWay(AgentUpgradeAction action, Again again) throws IOException {
        getsThere(action, again);
    }

    private void getsThere(AgentUpgradeAction action, Again again) throws IOException {
        start("v1.0.0", AgentProcesses.LONG_DEADLINE);
        standStillAt("begun " + action);
        replace(1, two, "2.0.0");
        killedAt("begun " + action, "done " + action, again, AgentProcesses.LONG_DEADLINE);
        killedAt("done " + action, "", again, AgentProcesses.LONG_DEADLINE);
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        isWholeWithOneAgent("2.0.0");
    }

    @ParameterizedTest(name = "{0}, then the machine starts {1}")
    @DisplayName("Killed at a step of the way back, twice: the old version runs")
    @CsvSource({"CURRENT, ITSELF", "SUCCESSOR, CURRENT"})
    void getsBackWhereverItIsKilled(UndoStep step, Again again) throws IOException {
        getsBack(step, again);
    }

    @ParameterizedTest(name = "{0}, then the machine starts {1}")
    @DisplayName("The same, started again the other way: the old version runs")
    @CsvSource({"CURRENT, CURRENT", "SUCCESSOR, ITSELF"})
    void getsBackTheOtherWay(UndoStep step, Again again) throws IOException {
        getsBack(step, again);
    }

    private void getsBack(UndoStep step, Again again) throws IOException {
        control.lets = false; // as if the successor were never heard
        start("v1.0.0", SHORT_TIMEOUT);
        standStillAt("begun " + step);
        replace(1, two, "2.0.0");
        killedAt("begun " + step, "done " + step, again, SHORT_TIMEOUT);
        killedAt("done " + step, "", again, SHORT_TIMEOUT);
        AttemptStatus back = over(1);
        assertThat(back.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(back.getReason()).isEqualTo("SUCCESSOR_UNSEEN");
        isWhole("1.0.0");
    }

    @Test
    @DisplayName("The old one has left, and its successor is killed before it says the success")
    void theSuccessorIsKilledBetweenTheTwoWords() throws Exception {
        Process one = start("v1.0.0", AgentProcesses.LONG_DEADLINE);
        standStillAt("done HANDOVER");
        replace(1, two, "2.0.0");
        awaitStillAt("done HANDOVER");
        assertThat(one.waitFor()).as("it was told to leave, and left").isZero();
        assertThat(control.stops).isNotEmpty();
        assertThat(control.status(1).getOutcome())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS);
        assertThat(agents.executors()).isEqualTo(agents.of("v2.0.0"));
        standStillAt("");
        agents.killExecutor(Again.CURRENT, AgentProcesses.LONG_DEADLINE);
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        isWholeWithOneAgent("2.0.0");
    }

    private void standStillAt(String moment) throws IOException {
        Files.writeString(directory.resolve("failpoint"), moment);
    }

    /** Kills whoever stands still there; the next one is to stand still elsewhere, or nowhere. */
    private void killedAt(String moment, String next, Again again, Duration timeout)
            throws IOException {
        awaitStillAt(moment);
        standStillAt(next);
        agents.killExecutor(again, timeout);
    }

    private void awaitStillAt(String moment) {
        Path reached = directory.resolve("reached");
        await().atMost(LONG)
                .until(() -> Files.exists(reached) && Files.readString(reached).equals(moment));
    }
}
