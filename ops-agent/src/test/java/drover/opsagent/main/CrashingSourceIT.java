package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A node whose program falls over and over before anybody upgrades it. */
@Faults(
        rule = "D9 (a node is upgraded if it runs the source digest)",
        sample = "CommandProcessorTest.refusesADriftedNode")
class CrashingSourceIT extends RealProcessNode {
    @Override
    String firstLife() {
        return "1";
    }

    @BeforeEach
    void untilItHasFallenOften() {
        await().atMost(Waits.LIMIT).until(() -> gateway.lastHeartbeat().getFindingsCount() > 0);
        assertThat(gateway.lastHeartbeat().getFindings(0).getCode()).isEqualTo("CRASH_LOOP");
    }

    @Test
    @DisplayName("D9: the source's digest is right though it is down: it can be upgraded")
    void upgradesAProgramThatKeepsFalling() throws IOException {
        gateway.send(upgrade(1, newProgram, "601"));
        assertThat(end(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(end(1).getRunningDigest()).isEqualTo(digest(newProgram).value());
        gateway.send(restore(2, 1)); // and back to what falls, because the operator says so
        assertThat(end(2).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertThat(digest(root.resolve("bin/app"))).isEqualTo(digest(oldProgram));
        await().atMost(Waits.LIMIT).until(() -> !marked().isEmpty());
    }

    @Test
    @DisplayName("A failed upgrade of it goes back to where it was: falling, under supervision")
    void goesBackToAProgramThatKeepsFalling() throws IOException {
        gateway.send(upgrade(1, newProgram, "not-a-number"));
        assertThat(end(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(end(1).getReason()).isEqualTo("START_FAILED");
        assertThat(end(1).getLogTail()).contains("not-a-number");
        assertThat(Files.readString(root.resolve("etc/app.toml"))).isEqualTo(OLD_CONFIG);
        await().atMost(Waits.LIMIT).until(() -> !marked().isEmpty());
    }
}
