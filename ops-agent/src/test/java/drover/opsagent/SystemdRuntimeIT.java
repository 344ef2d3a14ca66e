package drover.opsagent;

import static drover.opsagent.UnitCommands.restore;
import static drover.opsagent.UnitCommands.upgrade;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import drover.model.ActionName;
import drover.opsagent.UnitCommands.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The agent's runtime for systemd, proved under a real one. */
class SystemdRuntimeIT extends MachineNode {
    private static final List<ActionName> ALL = List.of(ActionName.values());
    private static final Set<ActionName> DOWN =
            EnumSet.range(ActionName.STOP_NODE, ActionName.RELOAD_DAEMON);

    @Test
    void upgradesReloadsAndRestoresProgramConfigurationAndUnitFile() throws IOException {
        send(upgrade(1, oldVersion, newVersion));
        assertThat(end(1)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertIs(newVersion);
        assertThat(machine.run("systemctl", "show", "-p", "ExecStart", "app.service"))
                .as("the unit file was read again")
                .contains("app 700");
        send(restore(2, 1, oldVersion));
        assertThat(end(2)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertIs(oldVersion);
        assertThat(machine.run("systemctl", "show", "-p", "ExecStart", "app.service"))
                .contains("app 600");
    }

    @Test
    void theRealSystemdKeepsTheContractOfItsDouble() {
        String java = System.getProperty("java.home") + "/bin/java";
        String main = "drover.opsagent.systemd.SystemctlUnitsOnMachine";
        String said = machine.ask(java, "-XX:TieredStopAtLevel=1", "-cp", classPath, main);
        assertThat(said).contains("kept: startsAndStops").endsWith("broken: 0\n");
    }

    @Test
    void upgradesTheConfigurationAlone() throws IOException {
        Version configured =
                new Version("old", oldVersion.digest(), newVersion.config(), newVersion.unit());
        send(upgrade(1, oldVersion, configured));
        assertThat(end(1)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertIs(configured);
    }

    @Test
    @DisplayName("D3 D5: a program that does not stay up is put back, with its files")
    void goesBackWhenTheStartFails() throws IOException {
        send(upgrade(1, oldVersion, falling));
        assertThat(end(1)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(status().getReason()).isEqualTo("START_FAILED");
        assertThat(status().getLogTail()).as("from the journal").contains("app.service");
        assertIs(oldVersion);
    }

    @Test
    @DisplayName("D4: what the old unit leaves behind when it is stopped is gone before the new")
    void endsWhatTheOldUnitLeavesBehind() throws IOException {
        String two = "/bin/sh -c '/usr/local/bin/app 600 & exec /usr/local/bin/app 600'";
        Version leaving =
                new Version(
                        "old",
                        oldVersion.digest(),
                        oldVersion.config(),
                        oldVersion.unit().replace("/usr/local/bin/app 600", two)
                                + "[Service]\nKillMode=process\n");
        send(upgrade(1, oldVersion, leaving));
        assertThat(end(1)).as("%s", status()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(runningDigests()).hasSize(2);
        send(upgrade(2, leaving, newVersion));
        assertThat(end(2)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertIs(newVersion);
    }

    @Test
    @DisplayName("F1: a program that systemd starts again and again is seen, and brought back")
    void goesBackFromACrashLoop() throws IOException {
        Version shortLived =
                new Version("new", newVersion.digest(), newVersion.config(), unit("1.5"));
        send(upgrade(1, oldVersion, shortLived));
        assertThat(end(1)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        await().atMost(SOON)
                .until(
                        () ->
                                heartbeat().getFindingsList().stream()
                                        .anyMatch(it -> it.getCode().equals("CRASH_LOOP")));
        assertThat(heartbeat().getPrograms(0).getStartsSinceAttempt()).isGreaterThanOrEqualTo(3);
        send(restore(2, 1, oldVersion));
        assertThat(end(2)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertIs(oldVersion);
    }

    @Test
    @DisplayName("C1 D1 D4: killed after each action's effect, the next agent ends the attempt")
    void anAgentKilledAtEachActionLeavesTheAttemptToTheNext() throws IOException {
        // Two in one attempt: three restarts of the agent would turn it back.
        Version from = oldVersion;
        Version to = newVersion;
        long attempt = 1;
        for (Iterator<ActionName> left = ALL.iterator(); left.hasNext(); attempt++) {
            ActionName first = left.next();
            ActionName second = left.next();
            stopAfter(first.name());
            send(upgrade(attempt, from, to));
            killWhenReached(first, second.name());
            killWhenReached(second, "none");
            assertThat(end(attempt))
                    .as("killed at %s and %s: %s", first, second, status())
                    .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
            assertIs(to);
            Version was = from;
            from = to;
            to = was;
        }
    }

    private void killWhenReached(ActionName action, String next) throws IOException {
        Path reached = machine.at("/exchange/reached");
        await().atMost(SOON)
                .until(
                        () ->
                                Files.exists(reached)
                                        && Files.readString(reached).equals(action.name()));
        assertThat(runningDigests()).as("at %s", action).hasSize(DOWN.contains(action) ? 0 : 1);
        stopAfter(next);
        machine.run("systemctl", "kill", "--signal=SIGKILL", "drover-agent.service");
    }

    @Test
    @DisplayName("D12: a machine that loses power in the middle starts nothing before its agent")
    void aRebootInTheMiddleStartsNothingHalfChanged() throws IOException {
        stopAfter(ActionName.INSTALL_ARTIFACT.name());
        send(upgrade(1, oldVersion, newVersion));
        await().atMost(SOON).until(() -> Files.exists(machine.at("/exchange/reached")));
        machine.cutPower();
        stopAfter("none");
        machine.boot();
        assertThat(end(1)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertIs(newVersion);
        assertThat(machine.run("journalctl", "--boot", "--unit=app.service", "--output=cat"))
                .as("systemd wanted to start it with the machine, and could not")
                .contains("unmet condition");
    }
}
