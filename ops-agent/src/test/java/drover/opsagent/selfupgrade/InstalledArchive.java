package drover.opsagent.selfupgrade;

import static java.nio.charset.StandardCharsets.UTF_8;

import drover.opsagent.main.AgentJars;
import drover.opsagent.main.OpsAgentMain;
import drover.opsagent.systemd.machine.SystemdMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What .ci/archive makes, unpacked on a machine: with the test's Java, and an agent of the classes
 * under test.
 */
record InstalledArchive(SystemdMachine machine, String classPath) {
    private static final String PLACE = "/opt/archive/";
    private static final String INSTALLER = PLACE + "install.sh";
    private static final Path DEPLOY = Path.of("..", "deploy");

    /** Before the machine is booted. */
    void unpack(String version) throws IOException {
        take("archive/install.sh", INSTALLER);
        take("archive/drover-agent", PLACE + "bin/drover-agent");
        take("systemd/ops-agent@.service", PLACE + "systemd/ops-agent@.service");
        machine.put(PLACE + "version", ("v" + version + "\n").getBytes(UTF_8));
        agent(PLACE + "versions/v" + version + "/drover-agent.jar", version, OpsAgentMain.class);
        Path java = Path.of(System.getProperty("java.home"));
        Files.createSymbolicLink(machine.at(PLACE + "runtime"), java);
    }

    private void take(String shipped, String path) throws IOException {
        Path to = machine.at(path);
        Files.createDirectories(Objects.requireNonNull(to.getParent()));
        Files.copy(DEPLOY.resolve(shipped), to, StandardCopyOption.COPY_ATTRIBUTES);
    }

    /** A jar on the machine that starts this class as a version of the agent. */
    Path agent(String path, String version, Class<?> main) {
        String addresses =
                Arrays.stream(classPath.split(":", -1))
                        .map(entry -> "file://" + entry + (entry.endsWith(".jar") ? "" : "/"))
                        .collect(Collectors.joining(" "));
        return AgentJars.jar(machine.at(path), version, main, addresses);
    }

    /** What the installer says. */
    String install(String... flags) {
        machine.run("sh", "-c", "uname -sm > " + PLACE + "platform");
        return machine.run("sh", "-c", String.join(" ", "sh", INSTALLER, String.join(" ", flags)));
    }
}
