package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AgentFinding;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.ProgramHealth;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Programs that start, live longer than {@code start_settle}, and fall: again and again. */
@Faults(
        rule = "F4 (a crash loop fails the node)",
        sample = "ProgramHealthRulesTest.aCrashLoopIsUnhealthyAtOnce")
class CrashLoopIT extends RealProcessNode {
    @Test
    @DisplayName("A version that lives 5 s is counted as a crash loop, and the way back works")
    void reportsACrashLoopAndRestoresFromIt() throws IOException {
        gateway.send(upgrade(1, newProgram, "5"));
        AttemptStatus status = end(1);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        // What health-evaluator decides by: stamped with the attempt, three starts in it.
        await().atMost(Waits.LIMIT)
                .until(() -> program().getStartsSinceAttempt() >= 3 && findsCrashLoop());
        Heartbeat heartbeat = gateway.lastHeartbeat();
        assertThat(heartbeat.getAttempt()).isEqualTo(1);
        assertThat(program().getProbeDetails(0))
                .isEqualTo("its last run ended with exit code 0 (it printed nothing)");
        assertThat(heartbeat.getFindings(0).getDetail())
                .isEqualTo(
                        "The program crashes repeatedly (3 starts within 5 minutes), most recently"
                                + " with exit code 0 (it printed nothing). This finding ends when"
                                + " fewer than 3 starts lie within 5 minutes.");
        assertThat(marked()).hasSizeLessThanOrEqualTo(1);
        gateway.send(restore(2, 1));
        assertThat(end(2).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertThat(end(2).getRunningDigest()).isEqualTo(digest(oldProgram).value());
        assertThat(end(2).getConfigDigest())
                .isEqualTo(configDigest(OLD_CONFIG, firstLife()).value());
        assertThat(Files.readString(root.resolve("etc/app.toml"))).isEqualTo(OLD_CONFIG);
        await().atMost(Waits.LIMIT).until(() -> gateway.lastHeartbeat().getAttempt() == 2);
        await().atMost(Waits.LIMIT)
                .until(() -> program().getStartsSinceAttempt() == 0 && !findsCrashLoop());
        assertThat(marked()).hasSize(1);
    }

    private ProgramHealth program() {
        Heartbeat heartbeat = gateway.lastHeartbeat();
        return heartbeat.getProgramsCount() == 0
                ? ProgramHealth.getDefaultInstance()
                : heartbeat.getPrograms(0);
    }

    private boolean findsCrashLoop() {
        return gateway.lastHeartbeat().getFindingsList().stream()
                .map(AgentFinding::getCode)
                .anyMatch("CRASH_LOOP"::equals);
    }
}
