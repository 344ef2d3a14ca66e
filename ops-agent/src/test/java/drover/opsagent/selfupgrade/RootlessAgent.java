package drover.opsagent.selfupgrade;

import static java.nio.charset.StandardCharsets.UTF_8;

import drover.opsagent.systemd.SystemdMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Takes root away from a machine's agent, as docs/operations.md says, and gives it back. */
record RootlessAgent(SystemdMachine machine) {
    static final String USER = "ops-agent";
    static final String MARKS = "/var/lib/drover-agent/gates";

    private static final Path DEPLOY = Path.of("..", "deploy", "systemd");
    private static final String DROP_IN =
            "/etc/systemd/system/ops-agent@.service.d/10-unprivileged.conf";
    private static final String UNIT_DROP_INS = "/etc/systemd/system/app.service.d/";

    /** What unpacking leaves to a package's own script. */
    private static final String AS_POLKITS_PACKAGE_DOES =
            """
            systemd-sysusers
            cd / && chown polkitd etc/polkit-1/rules.d usr/share/polkit-1/rules.d var/lib/polkit-1
            systemctl reload dbus.service
            """;

    private static final String AS_THE_OWNER_DOES =
            """
            useradd --system --user-group ops-agent
            chgrp ops-agent /etc/drover-agent/token && chmod 640 /etc/drover-agent/token
            chown -R ops-agent: /usr/local/bin
            systemctl daemon-reload
            systemctl restart app.service
            """;

    private static final String BACK =
            """
            chown -R root: /usr/local/bin
            chown root: /etc/drover-agent/token && chmod 600 /etc/drover-agent/token
            systemctl stop 'ops-agent@*.service'
            systemctl daemon-reload
            systemctl restart app.service
            userdel ops-agent
            """;

    void take() throws IOException {
        machine.run("sh", "-ec", AS_POLKITS_PACKAGE_DOES);
        byte[] rules = Files.readAllBytes(DEPLOY.resolve("ops-agent.rules"));
        machine.put("/etc/polkit-1/rules.d/ops-agent.rules", rules);
        machine.put(DROP_IN, Files.readAllBytes(DEPLOY.resolve("unprivileged.conf")));
        String gate = "[Unit]\nConditionPathExists=!" + MARKS + "/app.service\n";
        machine.put(UNIT_DROP_INS + "zz-drover-gate.conf", gate.getBytes(UTF_8));
        machine.put(UNIT_DROP_INS + "user.conf", "[Service]\nUser=ops-agent\n".getBytes(UTF_8));
        machine.run("sh", "-ec", AS_THE_OWNER_DOES);
    }

    void giveBack() throws IOException {
        Files.delete(machine.at(DROP_IN));
        Files.delete(machine.at(UNIT_DROP_INS + "zz-drover-gate.conf"));
        Files.delete(machine.at(UNIT_DROP_INS + "user.conf"));
        machine.run("sh", "-ec", BACK);
    }

    /** What systemd answers when the agent's user asks it to stop a unit. */
    String stop(String unit) {
        return machine.query(
                "runuser", "-u", USER, "--", "systemctl", "--no-ask-password", "stop", unit);
    }
}
