package drover.opsagent.systemd.machine;

import static drover.opsagent.systemd.machine.UnitCommands.restore;
import static drover.opsagent.systemd.machine.UnitCommands.upgrade;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import drover.model.UpgradeAction;
import drover.opsagent.main.Faults;
import drover.opsagent.systemd.machine.UnitCommands.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The agent's runtime for systemd, proved under a real one. */
class SystemdRuntimeIT extends SystemdMachineNode {
    private static final List<UpgradeAction> ALL = List.of(UpgradeAction.values());
    private static final String NOWHERE = "";
    private static final Set<UpgradeAction> DOWN =
            EnumSet.range(UpgradeAction.STOP_NODE, UpgradeAction.RELOAD_DAEMON);

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
    @DisplayName("D17: with no server at all, the latest upgrade is taken back on the machine")
    @Faults(
            rule = "D17 (the latest upgrade is restored without a server)",
            sample = "OpsAgentMainIT.rollsBackOffline")
    void takesTheLatestUpgradeBackOnTheMachine() throws IOException {
        send(upgrade(1, oldVersion, newVersion));
        assertThat(end(1))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        machine.run("systemctl", "stop", "drover-agent.service");
        String[] flags = {
            "--roll-back-last",
            "--runtime",
            "systemd",
            "--root",
            "/",
            "--state",
            MachineAgentMain.STATE.toString(),
            "--policy",
            policy()
        };
        assertThat(java("drover.opsagent.main.OpsAgentMain", flags)).contains("was taken back");
        machine.run("systemctl", "start", "drover-agent.service");
        assertIs(oldVersion);
    }

    /** What the machine's owner writes down; both directories of the program, and its unit. */
    private String policy() throws IOException {
        String file = "/etc/drover-policy.json";
        String lists =
                "{\"roots\": [\"/usr/local/bin\", \"/etc/app\"], \"units\":"
                        + " [\"app.service\"]}";
        put(file, lists.getBytes(UTF_8));
        return file;
    }

    private String java(String main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath, main));
        command.addAll(List.of(arguments));
        return machine.query(command.toArray(String[]::new));
    }

    @Test
    @Faults(
            rule = "S0-55 (files of a unit are reloaded by systemd)",
            sample = "SimulatedUnitsTest.readsUnitFilesAtAReloadAndNoSooner")
    void theRealSystemdKeepsTheContractOfItsDouble() {
        assertThat(java("drover.opsagent.systemd.SystemctlUnitsContractMain"))
                .contains("kept: startsAndStops")
                .endsWith("broken: 0\n");
    }

    @Test
    @DisplayName("D19: each action done twice and each step back taken twice leave it as it was")
    @Faults(
            rule = "D19 (each action and each undo may be repeated)",
            sample = "ProcessRuntimeIT.eachActionMayBeRepeatedAndTakenBack")
    void eachActionMayBeRepeatedAndTakenBack() {
        machine.run("systemctl", "stop", "drover-agent.service"); // just one cares for the unit
        assertThat(java("drover.opsagent.systemd.machine.SystemdActionsContractMain"))
                .endsWith("kept\n");
    }

    @Test
    @DisplayName("The unit's bounds are in force, and stand for the agent alone")
    void boundsTheAgentAndNotItsProgram() {
        String agent = "drover-agent.service";
        assertThat(shown(agent, "MemoryMax")).isEqualTo(Long.toString(512L << 20));
        assertThat(shown(agent, "TasksMax")).isEqualTo("512");
        assertThat(badness(agent)).isEqualTo("500");
        assertThat(shown("app.service", "MemoryMax")).isEqualTo("infinity");
        assertThat(badness("app.service")).isEqualTo("0");
    }

    private String shown(String unit, String property) {
        return machine.run("systemctl", "show", "--value", "-p", property, unit).strip();
    }

    /** Of the unit's main process; the higher, the sooner it is ended when memory is short. */
    private String badness(String unit) {
        String file = "/proc/" + shown(unit, "MainPID") + "/oom_score_adj";
        return machine.run("cat", file).strip();
    }

    @Test
    @Faults(
            rule = "D3 (no program runs with only a part of its upgrade)",
            sample = "CrashEnumerationTest.aConfigurationUpgradeEndsWholeWhereverItIsStopped")
    void upgradesTheConfigurationAlone() throws IOException {
        Version configured =
                new Version("old", oldVersion.digest(), newVersion.config(), newVersion.unit());
        send(upgrade(1, oldVersion, configured));
        assertThat(end(1)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertIs(configured);
    }

    @Test
    @DisplayName("D3 D5: a program that does not stay up is put back, with its files")
    @Faults(
            rule = "D3 (no program runs with only a part of its upgrade)",
            sample = "CrashEnumerationTest.aFallingProgramEndsAllOldWhereverItIsStopped")
    void goesBackWhenTheStartFails() throws IOException {
        send(upgrade(1, oldVersion, falling));
        assertThat(end(1)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(status().getReason()).isEqualTo("START_FAILED");
        assertThat(status().getLogTail())
                .as("what the failed run wrote to the journal")
                .contains("invalid time interval")
                .doesNotContain("Started");
        assertThat(status().getDetail()).contains("exit code 1", " (last line: \"Try '");
        assertIs(oldVersion);
    }

    @Test
    @DisplayName("A11: a unit that runs another file than was installed is no success, and goes")
    @Faults(
            rule = "D5 (success requires the target's digest in the running process)",
            sample = "SystemdRuntimeTest.verifiesTheProgramAndNotItsLauncher")
    void goesBackWhenTheUnitRunsAnotherFile() throws IOException {
        String wrapper = "#!/bin/sh\nexec /opt/elsewhere/app \"$@\"\n";
        put("/opt/elsewhere/run", wrapper.getBytes(UTF_8));
        machine.run("cp", "--preserve=mode", "/usr/bin/sleep", "/opt/elsewhere/app");
        machine.run("chmod", "755", "/opt/elsewhere/run");
        String elsewhere = newVersion.unit().replace("/usr/local/bin/app", "/opt/elsewhere/run");
        Version beside = new Version("new", newVersion.digest(), newVersion.config(), elsewhere);
        send(upgrade(1, oldVersion, beside));
        assertThat(end(1)).as("%s", status()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(status().getReason()).isEqualTo("PROOF_FAILED");
        assertIs(oldVersion);
    }

    @Test
    @DisplayName("D4: what the old unit leaves behind when it is stopped is gone before the new")
    @Faults(
            rule = "D4 (no process of the unit is left before a file changes)",
            sample = "SystemdRuntimeTest.endsWhatAStopLeavesBehind")
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
        standStillAt("done " + UpgradeAction.STOP_NODE);
        send(upgrade(2, leaving, newVersion));
        awaitReached("done " + UpgradeAction.STOP_NODE);
        assertThat(runningDigests()).as("before anything is changed").isEmpty();
        assertFilesAre(leaving);
        killAgentAndStopTheNextAt(NOWHERE);
        assertThat(end(2)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertIs(newVersion);
    }

    @Test
    @DisplayName("F1: a program that systemd starts again and again is seen, and brought back")
    @Faults(
            rule = "F4 (a crash loop fails the node)",
            sample = "ProgramHealthRulesTest.aCrashLoopIsUnhealthyAtOnce")
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
        assertThat(heartbeat().getPrograms(0).getProbeDetails(0))
                .startsWith(
                        "its last run ended with no failure in the journal, as after exit code 0");
        send(restore(2, 1, oldVersion));
        assertThat(end(2)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertIs(oldVersion);
    }

    @Test
    @DisplayName("C1 D1 D4: killed after each action's effect, the next agent ends the attempt")
    @Faults(
            rule = "C1 (each action takes effect at most once)",
            sample = "UnitCrashEnumerationTest.anUpgradeEndsWholeWhereverItIsStopped")
    void anAgentKilledAtEachActionLeavesTheAttemptToTheNext() throws IOException {
        // Two in one attempt: three restarts of the agent would turn it back.
        Version from = oldVersion;
        Version to = newVersion;
        long attempt = 1;
        for (Iterator<UpgradeAction> left = ALL.iterator(); left.hasNext(); attempt++) {
            UpgradeAction first = left.next();
            UpgradeAction second = left.next();
            standStillAt("done " + first);
            send(upgrade(attempt, from, to));
            awaitReached("done " + first);
            assertRunningAt(first);
            killAgentAndStopTheNextAt("done " + second);
            awaitReached("done " + second);
            assertRunningAt(second);
            killAgentAndStopTheNextAt(NOWHERE);
            assertThat(end(attempt))
                    .as("killed at %s and %s: %s", first, second, status())
                    .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
            assertIs(to);
            Version was = from;
            from = to;
            to = was;
        }
    }

    /** Nothing runs from the stop to the start; before and after it is one. */
    private void assertRunningAt(UpgradeAction action) {
        assertThat(runningDigests()).as("at %s", action).hasSize(DOWN.contains(action) ? 0 : 1);
    }

    @Test
    @DisplayName("D12: a machine that loses power in the middle starts nothing before its agent")
    @Faults(
            rule = "D12 (after a reboot a node starts as all old or all new)",
            sample = "UnitCrashEnumerationTest.anUpgradeEndsWholeWhereverItIsStopped")
    void aRebootInTheMiddleStartsNothingHalfChanged() throws IOException {
        losesPowerAt("done " + UpgradeAction.INSTALL_ARTIFACT);
        assertThat(machine.run("journalctl", "--boot", "--unit=app.service", "--output=cat"))
                .as("systemd wanted to start it with the machine, and could not")
                .contains("unmet condition");
    }

    @ParameterizedTest
    @EnumSource(UpgradeAction.class)
    @DisplayName("D12: the same at each action, once it has had its effect")
    @Faults(
            rule = "D12 (after a reboot a node starts as all old or all new)",
            sample = "UnitCrashEnumerationTest.anUpgradeEndsWholeWhereverItIsStopped")
    void aRebootAtEachActionEndsAllNew(UpgradeAction action) throws IOException {
        losesPowerAt("done " + action);
    }

    private void losesPowerAt(String moment) throws IOException {
        standStillAt(moment);
        send(upgrade(1, oldVersion, newVersion));
        awaitReached(moment);
        machine.cutPower();
        standStillAt(NOWHERE);
        stopControlPlane();
        machine.boot();
        await().atMost(SOON).until(() -> journal().hasEnded());
        assertThat(journal().ending().outcome()).isEqualTo(drover.model.AttemptOutcome.SUCCEEDED);
        assertFilesAre(newVersion);
        assertMayBeStartedByAnybody();
        assertThat(runningDigests()).containsExactly(newVersion.digest().value());
        assertThat(machine.at("/exchange/status")).as("it has spoken with nobody").doesNotExist();
    }

    /** What was sent is not sent again, and at the address where it dials is nobody. */
    private void stopControlPlane() throws IOException {
        Files.delete(machine.at("/exchange/command"));
        Files.delete(machine.at("/exchange/status"));
        put("/exchange/unreachable", new byte[0]);
    }

    @ParameterizedTest
    @EnumSource(UpgradeAction.class)
    @DisplayName("C1: killed when an action has begun and done nothing, the next agent ends it")
    @Faults(
            rule = "C1 (each action takes effect at most once)",
            sample = "UnitCrashEnumerationTest.anUpgradeEndsWholeWhereverItIsStopped")
    void anAgentKilledAsAnActionStartsLeavesTheAttemptToTheNext(UpgradeAction action)
            throws IOException {
        standStillAt("begun " + action);
        send(upgrade(1, oldVersion, newVersion));
        awaitReached("begun " + action);
        killAgentAndStopTheNextAt(NOWHERE);
        assertThat(end(1)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertIs(newVersion);
    }
}
