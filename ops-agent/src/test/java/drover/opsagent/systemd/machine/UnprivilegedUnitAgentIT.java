package drover.opsagent.systemd.machine;

import static drover.opsagent.systemd.machine.UnitCommands.upgradeAlone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.agent.v1.AgentFinding;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.Command;
import drover.opsagent.store.ProgramProfile;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a unit's files under an agent of an ordinary user, with polkit. */
class UnprivilegedUnitAgentIT extends SystemdMachineNode {
    private static final String PROGRAM = UnitCommands.PROGRAM.value();
    private static final String NO_POLKIT = "SKIPPED: no polkit; .ci/systemd-root gets it";

    private FileTools files;

    @BeforeAll
    void anAgentWithoutRoot() throws IOException {
        files = new FileTools(machine).install();
        assumeTrue(machine.lay("polkit"), NO_POLKIT);
        configureAgent("gate-marks=" + RootlessAgent.MARKS);
    }

    @Override
    ProgramProfile profile() {
        return new ProgramProfile(UnitCommands.spec(), List.of());
    }

    @Override
    void prepareNode() throws IOException {
        String owned = "/usr/local/bin /var/lib/drover-agent /exchange";
        new RootlessAgent(machine, "drover-agent", owned).take();
    }

    /** The drop-in is of the owner, and stays. */
    @Override
    void assertMayBeStartedByAnybody() {
        assertThat(machine.at(RootlessAgent.MARKS + "/app.service")).doesNotExist();
    }

    private Command upgrade() {
        return upgradeAlone(1, "app.service", oldVersion.digest(), newVersion);
    }

    @Test
    @DisplayName("B02 B03: it keeps all that it may give")
    void keepsWhatItMayGive() throws IOException {
        machine.run("setfacl", "-m", "u:games:rx", PROGRAM);
        machine.run("setfattr", "-n", "user.note", "-v", "text", PROGRAM);
        machine.run("chmod", "6755", PROGRAM);
        String before = files.attributes(PROGRAM);
        send(upgrade());
        assertThat(end(1))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(files.attributes(PROGRAM))
                .isEqualTo(before)
                .contains("6755 ops-agent ops-agent", "user:games:r-x", "user.note=");
    }

    @ParameterizedTest
    @CsvSource({
        "setcap cap_net_bind_service+ep, the attribute security.capability",
        "chgrp daemon, the group daemon",
        "chown root, the owner root",
        "setfattr -n security.other -v text, the attribute security.other",
    })
    @DisplayName("B02 B03: what it may not give is refused before the stop, with the reason")
    void refusesWhatItMayNotGive(String tool, String attribute) throws IOException {
        machine.run("sh", "-ec", tool + " " + PROGRAM);
        endsBeforeTheStop("DISK_ERROR", upgrade());
        assertThat(status().getDetail())
                .contains("cannot replace /usr/local/bin/app", attribute)
                .contains("Operation not permitted");
    }

    @Test
    @DisplayName("B01: a program that it may not execute keeps running")
    void doesNotStopAProgramThatMayNotBeExecuted() throws IOException {
        machine.run("chmod", "644", PROGRAM);
        endsBeforeTheStop("NOT_EXECUTABLE", upgrade());
    }

    @Test
    @DisplayName("B02: a process with a capability is not inspectable, and not down")
    void reportsAProcessThatItMayNotInspect() throws IOException {
        files.giveCapability(PROGRAM);
        machine.run("systemctl", "restart", "app.service");
        await().atMost(SOON).untilAsserted(() -> assertThat(mainPid()).isNotEqualTo("0"));
        String main = mainPid();
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(heartbeat().getFindingsList())
                                        .extracting(AgentFinding::getCode)
                                        .contains("NOT_INSPECTABLE"));
        assertThat(heartbeat().getPrograms(0).getRunId()).contains(":" + main + ":");
        send(upgrade());
        assertThat(end(1)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_REFUSED);
        assertThat(status().getReason()).isEqualTo("NOT_INSPECTABLE");
        assertThat(mainPid()).as("the same run").isEqualTo(main);
        assertNothingIsLeft();
    }
}
