package drover.opsagent.selfupgrade;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.ProgramReport;
import drover.model.Digest;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.main.RealProcessNode;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.NodeProfile;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.systemd.machine.SystemdMachine;
import drover.opsagent.systemd.machine.SystemdMachineNode;
import drover.opsagent.systemd.machine.UnitCommands;
import drover.opsagent.systemd.machine.UnitCommands.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * An agent that the installer of the archive has put on a machine of its own under a real systemd,
 * in the units that are shipped and as docs/operations.md says. It cares for {@code app.service}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // one machine for all
abstract class SelfUpgradeMachine {
    /** Starts with the machine; a successor is another instance, by its number. */
    static final String UNIT = "ops-agent@current.service";

    static final Duration SOON = Duration.ofMinutes(3); // of Java starts on a busy machine
    private static final String STATE = "/var/lib/drover-agent";
    private static final String VERSIONS = STATE + "/versions/";
    private static final int PORT = 9091;

    SystemdMachine machine;
    InstalledArchive archive;
    MachineAgents agents;
    boolean polkit;
    private long attempts;
    private long standbysBefore;

    static String instance(String version) {
        return "ops-agent@" + version + ".service";
    }

    @BeforeAll
    void aMachine(@TempDir Path directory) throws IOException {
        machine = SystemdMachine.prepare(directory.resolve("machine"));
        agents = new MachineAgents(machine);
        polkit = machine.lay("polkit");
        archive = new InstalledArchive(machine, machine.installClasses());
        archive.unpack("1.0.0");
        putGateway();
        putProgram();
        machine.put("/etc/drover-agent/token", "secret".getBytes(UTF_8));
        machine.boot();
        machine.run("chmod", "600", "/etc/drover-agent/token");
        install();
        machine.run("systemctl", "enable", "--now", "gateway.service");
        machine.run("systemctl", "enable", "app.service");
    }

    /** As docs/operations.md tells an operator to. */
    void install() {
        archive.install();
        machine.run("systemctl", "enable", UNIT);
    }

    private void putGateway() throws IOException {
        String unit =
                """
                [Service]
                ExecStart=%s -XX:TieredStopAtLevel=1 -Xmx128m -cp %s %s /exchange %d
                [Install]
                WantedBy=multi-user.target
                """
                        .formatted(
                                System.getProperty("java.home") + "/bin/java",
                                archive.classPath(),
                                MachineGatewayMain.class.getName(),
                                PORT);
        machine.put("/etc/systemd/system/gateway.service", unit.getBytes(UTF_8));
        machine.put("/exchange/wanted", new byte[0]);
    }

    private void putProgram() throws IOException {
        Path program = machine.at(UnitCommands.PROGRAM.value());
        Files.createDirectories(Objects.requireNonNull(program.getParent()));
        Files.copy(machine.at("/usr/bin/sleep"), program, StandardCopyOption.COPY_ATTRIBUTES);
        machine.put(UnitCommands.UNIT.value(), SystemdMachineNode.unit("900").getBytes(UTF_8));
        String policy =
                "{\"roots\": [\"/usr/local/bin\"], \"units\": [\"app.service\"],"
                        + " \"unsigned_agent\": true}";
        machine.put("/etc/drover-agent/policy.json", policy.getBytes(UTF_8));
        String dropIn = "[Service]\nReadWritePaths=/usr/local/bin\n";
        machine.put("/etc/systemd/system/ops-agent@.service.d/node.conf", dropIn.getBytes(UTF_8));
    }

    @AfterAll
    void nothingIsLeft() throws IOException {
        if (machine != null) {
            machine.close();
        }
    }

    /** The node as it was installed, its agent with these flags besides the usual ones. */
    void start(String flags) throws IOException {
        machine.run("sh", "-c", "systemctl stop 'ops-agent@*.service'");
        machine.run("sh", "-c", "cd " + STATE + " && ls -A | grep -v versions | xargs rm -rf");
        machine.run("sh", "-c", "cd " + VERSIONS + " && rm -rf v[2-9]* && ln -sfn v1.0.0 current");
        machine.run("sh", "-c", "rm -f /exchange/command /exchange/holds");
        new StateDirectory(machine.at(STATE), new DurableFiles(new LocalDisk(), new SecureRandom()))
                .saveRecord(
                        new NodeProfile(
                                List.of(new ProgramProfile(UnitCommands.spec(), List.of())),
                                List.of(new KnownVersion(program(), "v1", ""))));
        machine.run("chown", "-R", "root:", STATE);
        String all =
                "DROVER_AGENT_FLAGS=--runtime systemd --root / --state /var/lib/drover-agent"
                        + " --gateway 127.0.0.1:9091 --token-file /etc/drover-agent/token"
                        + " --policy /etc/drover-agent/policy.json --allow-local "
                        + flags;
        machine.put("/etc/drover-agent/agent.env", all.getBytes(UTF_8));
        machine.run("systemctl", "start", "app.service", UNIT);
        onlyRuns(UNIT, "1.0.0");
    }

    /** What is installed. */
    Digest program() {
        return RealProcessNode.digest(machine.at(UnitCommands.PROGRAM.value()));
    }

    /** Sends the command for this version of the agent, which starts that class. */
    void upgrade(String version, Class<?> main) throws IOException {
        String path = "/opt/artifacts/agent-" + version + ".jar";
        Digest jar = RealProcessNode.digest(archive.agent(path, version, main));
        String source = agent().getRunningDigest();
        send(jar, AgentUpgradeCommands.upgrade(++attempts, version, "file://" + path, jar, source));
    }

    /** Sends the command to go back to version 1.0.0, from what the attempt before installed. */
    void goBack() throws IOException {
        Digest jar = RealProcessNode.digest(machine.at(VERSIONS + "v1.0.0/drover-agent.jar"));
        long undone = attempts++;
        send(jar, AgentUpgradeCommands.restore(attempts, undone, jar));
    }

    /** Sends the command for another version of the program, as a unit of this name. */
    void upgradeProgram(String unit) throws IOException {
        byte[] sleep = Files.readAllBytes(machine.at("/usr/bin/sleep"));
        byte[] longer = Arrays.copyOf(sleep, sleep.length + 1); // the same, another digest
        machine.put("/opt/artifacts/app-2", longer);
        Version to = new Version("app-2", Digest.of(longer), "", "");
        send(UnitCommands.upgradeAlone(++attempts, unit, program(), to));
    }

    private void send(Digest wanted, Command command) throws IOException {
        machine.put("/exchange/wanted", wanted.value().getBytes(UTF_8));
        send(command);
    }

    private void send(Command command) throws IOException {
        machine.put("/exchange/command.next", command.toByteArray());
        Files.move(
                machine.at("/exchange/command.next"),
                machine.at("/exchange/command"),
                StandardCopyOption.REPLACE_EXISTING);
    }

    /** How the latest attempt has ended. */
    AttemptStatus ended() throws IOException {
        await().atMost(SOON)
                .untilAsserted(
                        () -> {
                            assertThat(status().getAttempt()).isEqualTo(attempts);
                            assertThat(isOver(status())).as("%s", status()).isTrue();
                        });
        return status();
    }

    private static boolean isOver(AttemptStatus status) {
        return status.getOutcome().getNumber() > AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS_VALUE;
    }

    /** This unit's agent is the only one, has the lock, and is who the control plane hears. */
    void onlyRuns(String unit, String version) {
        await().atMost(SOON)
                .untilAsserted(
                        () -> {
                            long main = agents.mainPid(unit);
                            assertThat(agents.running()).containsExactly(main);
                            assertThat(agents.lockHolders()).containsExactly(main);
                            assertThat(agent().getRunId()).contains(":" + main + ":");
                            assertThat(agent().getVersion()).isEqualTo(version);
                        });
    }

    /** Lets no agent go for now. */
    void hold() throws IOException {
        machine.put("/exchange/holds", new byte[0]);
        standbysBefore = standbys();
    }

    /** Waits until a successor has dialled since then, and kills the old one. */
    void killDuringStandby(String unit) {
        awaitStandby();
        agents.kill(unit);
    }

    /**
     * Waits until a successor has dialled since then; the machine loses its power, and has it
     * again. The control plane still lets nobody go, and sends nothing.
     */
    void loseThePowerWhileBothLive() throws IOException {
        awaitStandby();
        assertThat(agents.running()).hasSize(2);
        machine.cutPower();
        Files.delete(machine.at("/exchange/command"));
        Files.delete(machine.at("/exchange/status"));
        machine.boot();
    }

    private void awaitStandby() {
        await().atMost(SOON).until(() -> standbys() > standbysBefore);
    }

    private long standbys() throws IOException {
        return Long.parseLong(new String(read("standbys"), UTF_8));
    }

    /** The version that the link names. */
    String current() throws IOException {
        return Files.readSymbolicLink(machine.at(VERSIONS + "current")).toString();
    }

    /** What is side by side; the link is among them. */
    List<String> versions() {
        return machine.run("ls", "-A", VERSIONS).lines().toList();
    }

    private AttemptStatus status() throws IOException {
        return AttemptStatus.parseFrom(read("status"));
    }

    /** What the executor said of itself when it dialled. */
    private ProgramReport agent() throws IOException {
        return ProgramReport.parseFrom(read("agent"));
    }

    private byte[] read(String file) throws IOException {
        Path output = machine.at("/exchange/" + file);
        return Files.exists(output) ? Files.readAllBytes(output) : new byte[0];
    }
}
