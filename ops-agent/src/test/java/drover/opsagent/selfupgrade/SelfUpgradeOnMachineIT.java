package drover.opsagent.selfupgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.main.AgentJars;
import drover.opsagent.main.Faults;
import drover.opsagent.main.OpsAgentMain;
import drover.opsagent.systemd.machine.RootlessAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The agent replaces itself under a real systemd, in the unit that is shipped. The program that it
 * cares for never restarts but with the machine.
 */
class SelfUpgradeOnMachineIT extends SelfUpgradeMachine {
    private static final String NINE_CAPABILITIES = "00000000800800fb"; // those the units name
    private static final String NO_CAPABILITY = "0000000000000000";
    private static final Duration LONGER_THAN_A_RESTART = Duration.ofSeconds(3); // RestartSec=2

    @Test
    @DisplayName("Up and back, each by a unit of its own; then the machine starts `current`")
    void handsOverAndBackAndOutlivesAReboot() throws IOException {
        start("");
        String start = agents.now();
        long program = agents.mainPid("app.service");
        assertLeastPrivileges(UNIT);
        upgrade("2.0.0", OpsAgentMain.class);
        assertThat(ended().getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        onlyRuns(instance("2.0.0"), "2.0.0");
        assertEndedForGood(UNIT, start);
        assertThat(agents.property(UNIT, "ExecMainStatus")).isEqualTo("0");
        assertLeastPrivileges(instance("2.0.0"));

        goBack();
        assertThat(ended().getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        onlyRuns(instance("1.0.0"), "1.0.0");
        assertEndedForGood(instance("2.0.0"), start);
        assertThat(agents.mainPid("app.service")).isEqualTo(program);

        machine.cutPower();
        Files.delete(machine.at("/exchange/command"));
        machine.boot();
        onlyRuns(UNIT, "1.0.0");
        assertThat(agents.mainPid("app.service")).isPositive();
    }

    @Test
    @DisplayName("A successor that falls again and again, or never speaks: it goes, the old stays")
    @Faults(
            rule = "S1-29 (without a heartbeat of the new agent the link is restored)",
            sample = "AgentUpgradeTest.restoresWhenTheSuccessorDoesNotReport")
    void restoresAfterASuccessorWithoutReports() throws IOException {
        start("--handover-timeout 8");
        String start = agents.now();
        long old = agents.mainPid(UNIT);
        long program = agents.mainPid("app.service");
        upgrade("3.0.0", AgentJars.Crashing.class);
        assertTurnedBack("3.0.0");
        assertThat(agents.journal(instance("3.0.0"), start)).contains("status=1/FAILURE");
        upgrade("4.0.0", AgentJars.Unresponsive.class);
        assertTurnedBack("4.0.0");
        assertThat(agents.mainPid(UNIT)).isEqualTo(old);
        assertThat(agents.mainPid("app.service")).isEqualTo(program);
    }

    private void assertTurnedBack(String version) throws IOException {
        assertThat(ended().getReason()).isEqualTo("SUCCESSOR_UNSEEN");
        onlyRuns(UNIT, "1.0.0");
        assertThat(current()).isEqualTo("v1.0.0");
        stays(instance(version), "inactive");
        onlyRuns(UNIT, "1.0.0");
    }

    private void awaitRestart(String unit) {
        await().atMost(SOON).until(() -> !agents.property(unit, "NRestarts").equals("0"));
    }

    @Test
    @DisplayName("Killed beside a version that cannot run, the old one is brought back by hand")
    @Faults(
            rule = "S1-4 (a failed new agent is replaced by the last good one)",
            sample = "AgentUpgradeTest.turnsBackWhenTheSuccessorCannotBeStarted")
    void isBroughtBackByHand() throws IOException {
        start("--handover-timeout 20");
        long program = agents.mainPid("app.service");
        upgrade("3.0.0", AgentJars.Crashing.class);
        awaitRestart(instance("3.0.0"));
        agents.kill(UNIT);
        awaitRestart(UNIT); // of the version that the link names
        assertThat(current()).isEqualTo("v3.0.0");
        goBackByHand();
        assertThat(ended().getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        onlyRuns(UNIT, "1.0.0");
        assertThat(current()).isEqualTo("v1.0.0");
        assertThat(agents.mainPid("app.service")).isEqualTo(program);
    }

    /** As docs/operations.md says. */
    private void goBackByHand() {
        String commands =
                """
                systemctl stop 'ops-agent@*.service'
                ln -sfn v1.0.0 /var/lib/drover-agent/versions/current
                systemctl start ops-agent@current.service
                """;
        machine.run("sh", "-ec", commands);
    }

    @Test
    @DisplayName("C8: kill -9 before it was told to stop: the successor has the node, and alone")
    @Faults(rule = "C8 (a node has at most one executor)", sample = "AgentUpgradeTest.endsAnywhere")
    void theSuccessorIsAloneAfterAKill() throws IOException {
        start("");
        long program = agents.mainPid("app.service");
        hold();
        upgrade("2.0.0", OpsAgentMain.class);
        killDuringStandby(UNIT);
        assertThat(ended().getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        stays(UNIT, "inactive");
        onlyRuns(instance("2.0.0"), "2.0.0");

        hold();
        goBack();
        killDuringStandby(instance("2.0.0"));
        assertThat(ended().getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        stays(instance("2.0.0"), "inactive");
        onlyRuns(instance("1.0.0"), "1.0.0");

        agents.kill(instance("1.0.0")); // with no other agent there, systemd's Restart= counts
        onlyRuns(instance("1.0.0"), "1.0.0");
        assertThat(agents.property(instance("1.0.0"), "NRestarts")).isEqualTo("1");
        machine.run("systemctl", "try-restart", "ops-agent@*.service");
        onlyRuns(instance("1.0.0"), "1.0.0");
        assertThat(agents.mainPid("app.service")).isEqualTo(program);
    }

    @Test
    @DisplayName("C8: a power cut while both live: the new version starts, alone, and ends it")
    @Faults(
            rule = "C8 (a node has at most one executor)",
            sample = "AgentUpgradeTest.endsWhereverThePowerIsCut")
    void aPowerCutInTheHandOverLeavesTheNewVersion() throws IOException {
        start("");
        Digest installed = program();
        hold();
        upgrade("2.0.0", OpsAgentMain.class);
        loseThePowerWhileBothLive();
        assertThat(ended().getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertIsAloneAfterTheCut("2.0.0", installed);
        assertThat(versions()).contains("v1.0.0", "v2.0.0");
    }

    @Test
    @DisplayName("C8: the same on the way back: the version before starts, alone, and ends it")
    @Faults(
            rule = "C8 (a node has at most one executor)",
            sample = "AgentUpgradeTest.endsWhereverThePowerIsCut")
    void aPowerCutOnTheWayBackLeavesTheVersionBefore() throws IOException {
        start("");
        Digest installed = program();
        upgrade("2.0.0", OpsAgentMain.class);
        ended();
        onlyRuns(instance("2.0.0"), "2.0.0");
        hold();
        goBack();
        loseThePowerWhileBothLive();
        assertThat(ended().getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertIsAloneAfterTheCut("1.0.0", installed);
    }

    /** Decision 0042: what the link names started, and nobody else did; the program is there. */
    private void assertIsAloneAfterTheCut(String version, Digest installed) throws IOException {
        assertThat(current()).isEqualTo("v" + version);
        onlyRuns(UNIT, version);
        stays(instance("1.0.0"), "inactive");
        stays(instance("2.0.0"), "inactive");
        onlyRuns(UNIT, version);
        assertThat(agents.mainPid("app.service")).isPositive();
        assertThat(program()).isEqualTo(installed);
    }

    @Test
    @DisplayName("The installer changes nothing the second time, and leaves the programs running")
    @Faults(
            rule = "S1-3 (programs keep running while the agent is upgraded)",
            sample = "SelfUpgradeOnMachineIT.handsOverAndBackAndOutlivesAReboot")
    void installsAndUninstalls() throws IOException {
        start("");
        long program = agents.mainPid("app.service");
        assertThat(archive.install()).doesNotContain("wrote");
        archive.install("--uninstall");
        assertThat(agents.running()).isEmpty();
        assertThat(agents.mainPid("app.service")).isEqualTo(program);
        assertThat(machine.query("systemctl", "cat", UNIT, instance("1.0.0")))
                .doesNotContain("ExecStart");
        assertThat(machine.at("/opt/drover-agent")).doesNotExist();
        assertThat(current()).isEqualTo("v1.0.0");
        install();
    }

    @Test
    @DisplayName("H16: without root it upgrades a listed unit and itself; all else is refused")
    @Faults(
            rule = "H16 (the agent runs unprivileged)",
            sample = "StartBlockMarkerGateTest.closesAndOpensByItsMark")
    void needsNoRootForAListedUnit() throws IOException {
        Assumptions.assumeTrue(polkit, "SKIPPED: no polkit; .ci/systemd-root gets it");
        RootlessAgent rootless = new RootlessAgent(machine, "ops-agent@", "/usr/local/bin");
        rootless.take();
        try {
            upgradesAListedUnitAndItself(rootless);
        } finally {
            rootless.giveBack();
        }
    }

    private void upgradesAListedUnitAndItself(RootlessAgent rootless) throws IOException {
        start("--set gate-marks=" + RootlessAgent.MARKS);
        assertHasNoPowers(UNIT);
        String installed = program().value();
        upgradeProgram("app.service");
        assertThat(ended().getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(ended().getRunningDigest()).isEqualTo(program().value()).isNotEqualTo(installed);

        upgradeProgram("gateway.service");
        assertThat(ended().getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_REFUSED);
        long gateway = agents.mainPid("gateway.service");
        assertThat(rootless.stop("gateway.service")).contains("Access denied");
        assertThat(agents.mainPid("gateway.service")).isEqualTo(gateway);

        upgrade("2.0.0", OpsAgentMain.class);
        assertThat(ended().getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        onlyRuns(instance("2.0.0"), "2.0.0");
        assertHasNoPowers(instance("2.0.0"));
    }

    private void assertHasNoPowers(String unit) {
        String user = machine.run("id", "-u", RootlessAgent.USER).strip();
        assertThat(agents.kernelValue(unit, "Uid").split("\\s+")).containsOnly(user);
        assertThat(agents.kernelValue(unit, "CapEff")).isEqualTo(NO_CAPABILITY);
        assertThat(agents.kernelValue(unit, "CapBnd")).isEqualTo(NO_CAPABILITY);
        assertThat(agents.makes(unit, "/etc/systemd/system/probe"))
                .contains("Read-only file system");
    }

    /** It ended with 0, and systemd leaves it so. */
    private void assertEndedForGood(String unit, String since) {
        stays(unit, "inactive");
        assertThat(agents.journal(unit, since))
                .contains("Deactivated successfully")
                .doesNotContain("Scheduled restart");
        assertThat(agents.property(unit, "Restart")).isEqualTo("on-failure");
    }

    private void stays(String unit, String state) {
        await().during(LONGER_THAN_A_RESTART)
                .atMost(SOON)
                .until(() -> agents.property(unit, "ActiveState").equals(state));
    }

    /** What the unit says is really in force, and what its drop-in says. */
    private void assertLeastPrivileges(String unit) {
        assertThat(agents.kernelValue(unit, "CapEff")).isEqualTo(NINE_CAPABILITIES);
        assertThat(agents.kernelValue(unit, "CapBnd")).isEqualTo(NINE_CAPABILITIES);
        assertThat(agents.kernelValue(unit, "NoNewPrivs")).isEqualTo("1");
        assertThat(agents.kernelValue(unit, "Seccomp")).isEqualTo("2");
        assertThat(agents.makes(unit, "/usr/share/probe")).contains("Read-only file system");
        assertThat(agents.makes(unit, "/etc/probe")).contains("Read-only file system");
        assertThat(agents.makes(unit, "/usr/local/bin/probe")).as("the drop-in's").isEmpty();
    }
}
