package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.ProgramLog;
import drover.agent.v1.ReadLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The main paths of a whole agent with real processes and files. */
class OpsAgentProcessIT extends RealProcessNode {
    @Test
    @DisplayName("D5 F1: an upgrade ends with the target's own executable running")
    void upgradesAndReportsWhatRuns() throws IOException {
        gateway.send(upgrade(1, newProgram, "601"));
        AttemptStatus status = end(1);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(status.getRunningDigest()).isEqualTo(digest(newProgram).value());
        assertThat(status.getSourceDigest()).isEqualTo(digest(oldProgram).value());
        assertThat(status.getConfigDigest()).isEqualTo(configDigest(NEW_CONFIG, "601").value());
        await().atMost(Waits.LIMIT).until(() -> gateway.lastHeartbeat().getAttempt() == 1);
        await().atMost(Waits.LIMIT)
                .until(
                        () ->
                                gateway.lastHeartbeat()
                                        .getPrograms(0)
                                        .getRunId()
                                        .equals(status.getRunId()));
        assertThat(gateway.tokens).containsOnly("secret");
        assertThat(marked()).hasSize(1);
    }

    @Test
    @DisplayName("A13: a restore brings program, configuration and launch specification back")
    void restoresFromTheBackup() throws IOException {
        gateway.send(upgrade(1, newProgram, "601"));
        assertThat(end(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        gateway.send(restore(2, 1));
        assertThat(end(2).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertThat(end(2).getRunningDigest()).isEqualTo(digest(oldProgram).value());
        assertThat(Files.readString(root.resolve("etc/app.toml"))).isEqualTo(OLD_CONFIG);
        assertThat(end(2).getConfigDigest()).isEqualTo(configDigest(OLD_CONFIG, "600").value());
    }

    @Test
    void returnsTheOutputOfARequestedLog() throws IOException {
        await().atMost(Waits.LIMIT).until(() -> !gateway.heartbeats.isEmpty());
        gateway.sendMessage(
                ConnectResponse.newBuilder()
                        .setReadLog(ReadLog.newBuilder().setRequestId("r1").setProgram("app"))
                        .build());
        await().atMost(Waits.LIMIT).until(() -> !gateway.logs.isEmpty());

        assertThat(gateway.logs.getFirst())
                .isEqualTo(ProgramLog.newBuilder().setRequestId("r1").build());
        assertThat(gateway.hellos.getFirst().getFeaturesList()).contains("log/1");
    }

    @Test
    @DisplayName("D6 D7: a program that does not stay up is put back, and its output is reported")
    void putsBackAProgramThatFalls() throws IOException {
        gateway.send(upgrade(1, newProgram, "not-a-number"));
        AttemptStatus status = end(1);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(status.getReason()).isEqualTo("START_FAILED");
        assertThat(status.getLogTail()).contains("not-a-number");
        assertThat(status.getDetail()).contains("with exit code 1 (last line: \"");
        assertThat(status.getRunningDigest()).isEqualTo(digest(oldProgram).value());
        assertThat(Files.readString(root.resolve("etc/app.toml"))).isEqualTo(OLD_CONFIG);
    }

    @Test
    void leavesProgramsRunningAndAdoptsThem() {
        String run = gateway.lastHeartbeat().getPrograms(0).getRunId();
        agent.close();
        assertThat(marked()).hasSize(1);
        gateway.heartbeats.clear();
        agent = startAgent();
        await().atMost(Waits.LIMIT).until(() -> gateway.lastHeartbeat().getProgramsCount() == 1);
        assertThat(gateway.lastHeartbeat().getPrograms(0).getRunId()).isEqualTo(run);
        assertThat(marked()).hasSize(1);
        assertThat(gateway.hellos.getLast().getIncarnation())
                .isGreaterThan(gateway.hellos.getFirst().getIncarnation());
    }

    @Test
    void startsAFallenProgramAgain() {
        String run = gateway.lastHeartbeat().getPrograms(0).getRunId();
        marked().forEach(ProcessHandle::destroyForcibly);
        await().atMost(Waits.LIMIT)
                .until(
                        () ->
                                runs(digest(oldProgram))
                                        && !gateway.lastHeartbeat()
                                                .getPrograms(0)
                                                .getRunId()
                                                .equals(run));
        assertThat(gateway.lastHeartbeat().getPrograms(0).getStartsSinceAttempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("C8: a second agent of the node stands by and does nothing")
    void aSecondAgentIsOnStandby() throws IOException {
        try (OpsAgent second = startAgent()) {
            assertThat(second.isExecutor()).isFalse();
            await().atMost(Waits.LIMIT)
                    .until(() -> gateway.hellos.stream().anyMatch(hello -> !hello.getExecutor()));
            gateway.send(upgrade(1, newProgram, "601")); // goes to the standby, which dialled last
            await().atMost(Waits.LIMIT)
                    .during(Duration.ofSeconds(1))
                    .until(() -> gateway.statuses.isEmpty() && marked().size() == 1);
            assertThat(digest(root.resolve("bin/app"))).isEqualTo(digest(oldProgram));
        }
    }

    @Test
    @DisplayName("H11: a planted link is not followed; the attempt is refused and nothing touched")
    void refusesAPathThroughALink() throws IOException {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.delete(root.resolve("etc/app.toml"));
        Files.delete(root.resolve("etc"));
        Files.createSymbolicLink(root.resolve("etc"), outside);
        gateway.send(upgrade(1, newProgram, "601"));
        AttemptStatus status = end(1);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_REFUSED);
        assertThat(status.getReason()).isEqualTo("PATH_REFUSED");
        assertThat(outside).isEmptyDirectory();
    }

    @Test
    void confirmsAWithdrawal() {
        gateway.withdraw(5, 1);
        AttemptStatus status = end(5);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_WITHDRAWN);
    }
}
