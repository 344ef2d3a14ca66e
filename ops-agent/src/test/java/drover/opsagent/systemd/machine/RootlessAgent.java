package drover.opsagent.systemd.machine;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Takes root away from a machine's agent, as docs/operations.md says, and gives it back.
 *
 * @param unit name of the agent's units without {@code .service}: {@code ops-agent@} or {@code
 *     drover-agent}
 * @param owned directories that become those of the agent's user
 */
public record RootlessAgent(SystemdMachine machine, String unit, String owned) {
    public static final String USER = "ops-agent";
    public static final String MARKS = "/var/lib/drover-agent/gates";

    private static final Path DEPLOY = Path.of("..", "deploy", "systemd");
    private static final String UNIT_DROP_INS = "/etc/systemd/system/app.service.d/";

    /** What unpacking leaves to a package's own script. */
    private static final String AS_POLKITS_PACKAGE_DOES =
            """
            systemd-sysusers
            cd / && chown polkitd etc/polkit-1/rules.d usr/share/polkit-1/rules.d var/lib/polkit-1
            systemctl try-reload-or-restart dbus.service
            """;

    private static final String AS_THE_OWNER_DOES =
            """
            id -u ops-agent >/dev/null 2>&1 || useradd --system --user-group ops-agent
            token=/etc/drover-agent/token
            ! [ -e $token ] || { chgrp ops-agent $token && chmod 640 $token; }
            chown -R ops-agent: OWNED
            systemctl daemon-reload
            systemctl restart app.service
            """;

    private static final String BACK =
            """
            chown -R root: OWNED
            chown root: /etc/drover-agent/token && chmod 600 /etc/drover-agent/token
            systemctl stop 'UNIT*.service'
            systemctl daemon-reload
            systemctl restart app.service
            userdel ops-agent
            """;

    public void take() throws IOException {
        machine.run("sh", "-ec", AS_POLKITS_PACKAGE_DOES);
        byte[] rules = Files.readAllBytes(DEPLOY.resolve("ops-agent.rules"));
        machine.put("/etc/polkit-1/rules.d/ops-agent.rules", rules);
        machine.put(dropIn(), Files.readAllBytes(DEPLOY.resolve("unprivileged.conf")));
        String gate = "[Unit]\nConditionPathExists=!" + MARKS + "/app.service\n";
        machine.put(UNIT_DROP_INS + "zz-drover-gate.conf", gate.getBytes(UTF_8));
        machine.put(UNIT_DROP_INS + "user.conf", "[Service]\nUser=ops-agent\n".getBytes(UTF_8));
        machine.run("sh", "-ec", AS_THE_OWNER_DOES.replace("OWNED", owned));
    }

    public void giveBack() throws IOException {
        Files.delete(machine.at(dropIn()));
        Files.delete(machine.at(UNIT_DROP_INS + "zz-drover-gate.conf"));
        Files.delete(machine.at(UNIT_DROP_INS + "user.conf"));
        machine.run("sh", "-ec", BACK.replace("OWNED", owned).replace("UNIT", unit));
    }

    private String dropIn() {
        return "/etc/systemd/system/" + unit + ".service.d/10-unprivileged.conf";
    }

    /** What systemd answers when the agent's user asks it to stop a unit. */
    public String stop(String stopped) {
        return machine.query(
                "runuser", "-u", USER, "--", "systemctl", "--no-ask-password", "stop", stopped);
    }
}
