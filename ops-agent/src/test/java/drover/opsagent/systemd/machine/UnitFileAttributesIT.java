package drover.opsagent.systemd.machine;

import static drover.opsagent.systemd.machine.UnitCommands.restore;
import static drover.opsagent.systemd.machine.UnitCommands.upgrade;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.AttemptOutcome;
import drover.opsagent.systemd.machine.UnitCommands.Version;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the files of a unit keep if the agent of root, in the unit that is shipped, upgrades it. */
class UnitFileAttributesIT extends SystemdMachineNode {
    private static final String PROGRAM = UnitCommands.PROGRAM.value();
    private static final String CONFIG = UnitCommands.CONFIG.value();

    private FileTools files;

    @BeforeAll
    void fileTools() {
        files = new FileTools(machine).install();
    }

    @Test
    @DisplayName("B02 B03: an upgrade keeps all that program and configuration carry")
    void anUpgradeKeepsAllThatFilesCarry() throws IOException {
        giveEverything();
        String program = files.attributes(PROGRAM);
        String config = files.attributes(CONFIG);
        succeed(oldVersion, newVersion);
        assertThat(files.attributes(PROGRAM))
                .isEqualTo(program)
                .contains("6755 root daemon", "cap_net_bind_service=ep", "user:games:r-x")
                .contains("security.capability=", "user.note=");
        assertThat(files.attributes(CONFIG))
                .isEqualTo(config)
                .contains("2750 root daemon", "user:games:r-x", "user.note=");
    }

    @Test
    @DisplayName("B02 B03 D11: a rollback gives all back, with the time")
    void aRollbackGivesAllBack() throws IOException {
        giveEverything();
        String before = everything();
        succeed(oldVersion, newVersion);
        send(restore(2, 1, oldVersion));
        assertThat(end(2))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertThat(everything()).isEqualTo(before).contains("18:00:00.123456789");
        assertIs(oldVersion);
    }

    @Test
    @DisplayName("B02 B03 D11: after a failed start all is given back, with the time")
    void aFailedStartGivesAllBack() throws IOException {
        giveEverything();
        String before = everything();
        send(upgrade(1, oldVersion, falling));
        assertThat(end(1))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(status().getReason()).isEqualTo("START_FAILED");
        assertThat(everything()).isEqualTo(before).contains("18:00:00.123456789");
        assertIs(oldVersion);
    }

    private void giveEverything() {
        files.giveAttributes(PROGRAM, "6755");
        files.giveCapability(PROGRAM);
        files.giveAttributes(CONFIG, "2750");
    }

    private String everything() {
        return files.attributesAndTime(PROGRAM) + files.attributesAndTime(CONFIG);
    }

    @Test
    @DisplayName("B02: an attribute that not even root may give is refused by name before the stop")
    void refusesAnAttributeThatItMayNotGive() throws IOException {
        machine.run("setfattr", "-n", "security.other", "-v", "text", PROGRAM);
        refusesBeforeTheStop("DISK_ERROR");
        assertThat(status().getDetail())
                .contains("cannot replace /usr/local/bin/app", "the attribute security.other")
                .contains("Operation not permitted");
    }

    @Test
    @DisplayName("B02: a SELinux label is kept, and given back after a failed start")
    void keepsTheLabel() throws IOException {
        String label = "system_u:object_r:bin_t:s0";
        machine.run("setfattr", "-n", "security.selinux", "-v", label, PROGRAM);
        String before = files.attributesAndTime(PROGRAM);
        send(upgrade(1, oldVersion, falling));
        assertThat(end(1))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(files.attributesAndTime(PROGRAM)).isEqualTo(before);
        send(upgrade(2, oldVersion, newVersion));
        assertThat(end(2))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(files.attributes(PROGRAM)).contains("security.selinux=");
    }

    @Test
    @DisplayName("B01: a program whose file lost its permission to execute keeps running")
    void doesNotStopAProgramThatMayNotBeExecuted() throws IOException {
        machine.run("chmod", "644", PROGRAM);
        refusesBeforeTheStop("NOT_EXECUTABLE");
        assertThat(status().getDetail()).contains("/usr/local/bin/app (rw-r--r--");
    }

    @Test
    @DisplayName("B01: nor is one stopped that the user of its unit may not execute")
    void doesNotStopAProgramThatItsUserMayNotExecute() throws IOException {
        runAs("User=games");
        machine.run("chmod", "700", PROGRAM);
        refusesBeforeTheStop("NOT_EXECUTABLE");
        assertThat(status().getDetail()).contains("user games may not execute");
    }

    @Test
    @DisplayName("B01: a program that its user executes as a member of the unit's groups")
    void upgradesAProgramThatTheGroupsOfTheUnitMayExecute() throws IOException {
        machine.run("sh", "-ec", "chgrp daemon " + PROGRAM + "; chmod 750 " + PROGRAM);
        runAs("User=games\nGroup=daemon");
        succeed(oldVersion, newVersion);
        runAs("User=games\nSupplementaryGroups=mail daemon");
        send(upgrade(2, newVersion, oldVersion));
        assertThat(end(2))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
    }

    private void runAs(String settings) throws IOException {
        String dropIn = "/etc/systemd/system/app.service.d/user.conf";
        put(dropIn, ("[Service]\n" + settings + "\n").getBytes(UTF_8));
        machine.run("systemctl", "daemon-reload");
        machine.run("systemctl", "restart", "app.service");
    }

    private void succeed(Version from, Version to) throws IOException {
        send(upgrade(1, from, to));
        assertThat(end(1))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
    }

    private void refusesBeforeTheStop(String reason) throws IOException {
        endsBeforeTheStop(reason, upgrade(1, oldVersion, newVersion));
    }
}
