package drover.opsagent.systemd.machine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.PreflightReport;
import drover.model.Digest;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.journal.Journal;
import drover.opsagent.main.Waits;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.NodeProfile;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.systemd.machine.UnitCommands.Version;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A whole agent, in the unit that is shipped for it, on a machine of its own under a real systemd.
 * The program is a copy of {@code sleep}: its argument, in the unit file, says how long it lives.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // one machine for all
public abstract class SystemdMachineNode {
    private static final String GATE = UnitCommands.UNIT + ".d/zz-drover-gate.conf";
    static final Duration SOON = Waits.LIMIT;

    SystemdMachine machine;

    /** Of the agent, on the machine. */
    String classPath = "";

    Version oldVersion;
    Version newVersion;
    Version falling;

    public static String unit(String seconds) {
        return """
        [Service]
        ExecStart=/usr/local/bin/app %s
        Restart=always
        RestartSec=100ms
        [Install]
        WantedBy=multi-user.target
        """
                .formatted(seconds);
    }

    @BeforeAll
    void aMachine(@TempDir Path directory) throws IOException {
        machine = SystemdMachine.prepare(directory.resolve("machine"));
        byte[] sleep = Files.readAllBytes(machine.at("/usr/bin/sleep"));
        oldVersion = artifact("old", sleep, "a = 1", unit("600"));
        newVersion = artifact("new", longer(sleep), "a = 2", unit("700"));
        falling = artifact("falling", longer(longer(sleep)), "a = 2", unit("never"));
        installAgent();
        layOut();
        machine.boot();
        machine.run("systemctl", "enable", "app.service", "drover-agent.service");
    }

    private Version artifact(String name, byte[] program, String config, String unit)
            throws IOException {
        put("/opt/artifacts/" + name, program);
        return Version.on(machine.at("/"), name, config, unit);
    }

    private static byte[] longer(byte[] program) {
        return Arrays.copyOf(program, program.length + 1); // the same program, another digest
    }

    @AfterAll
    void nothingIsLeft() throws IOException {
        if (machine != null) {
            machine.close();
        }
    }

    /** The agent as the test has it, under the unit that is shipped. */
    private void installAgent() throws IOException {
        classPath = machine.installClasses();
        Path shipped = Path.of("..", "deploy", "systemd", "drover-agent.service");
        put("/etc/systemd/system/drover-agent.service", Files.readAllBytes(shipped));
        configureAgent("");
        Files.createDirectories(machine.at("/exchange"));
    }

    /** Writes the drop-in of the agent's unit: its classes, directories and runtime setting. */
    final void configureAgent(String setting) throws IOException {
        String java = System.getProperty("java.home") + "/bin/java";
        String dropIn =
                """
                [Service]
                ExecStart=
                ExecStart=%s -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx128m -cp %s %s /exchange %s
                ReadWritePaths=/usr/local/bin /etc/app /exchange
                RestartSec=100ms
                """
                        .formatted(java, classPath, MachineAgentMain.class.getName(), setting);
        put("/etc/systemd/system/drover-agent.service.d/here.conf", dropIn.getBytes(UTF_8));
    }

    /** The program as the agent knows it before a test. */
    ProgramProfile profile() {
        return new ProgramProfile(
                UnitCommands.spec(), List.of(UnitCommands.CONFIG, UnitCommands.UNIT));
    }

    /** Changes the node before the program and the agent are started. */
    void prepareNode() throws IOException {}

    /** The old version, and an agent's directory that knows it and nothing else. */
    private void layOut() throws IOException {
        // Another test may have given them attributes that this one, or its agent, must not have.
        Files.deleteIfExists(machine.at(UnitCommands.PROGRAM.value()));
        Files.deleteIfExists(machine.at(UnitCommands.CONFIG.value()));
        put(UnitCommands.PROGRAM.value(), Files.readAllBytes(machine.at("/opt/artifacts/old")));
        assertThat(machine.at(UnitCommands.PROGRAM.value()).toFile().setExecutable(true, false))
                .isTrue();
        put(UnitCommands.CONFIG.value(), oldVersion.config().getBytes(UTF_8));
        put(UnitCommands.UNIT.value(), oldVersion.unit().getBytes(UTF_8));
        state().saveRecord(
                        new NodeProfile(
                                List.of(profile()),
                                List.of(new KnownVersion(oldVersion.digest(), "v1", ""))));
    }

    @BeforeEach
    void aFreshNode() throws IOException {
        machine.run("systemctl", "stop", "drover-agent.service", "app.service");
        machine.run(
                "sh",
                "-c",
                "rm -rf /exchange/* /var/lib/drover-agent/* /var/lib/drover-agent/.[!.]*"
                        + " /etc/systemd/system/app.service.d");
        layOut();
        prepareNode();
        machine.run("systemctl", "daemon-reload");
        machine.query("systemctl", "reset-failed");
        machine.run("systemctl", "start", "app.service", "drover-agent.service");
        await().atMost(SOON).until(() -> reports(oldVersion));
    }

    /** All of this version is there, nothing else runs, and anybody may start it. */
    void assertIs(Version version) throws IOException {
        assertFilesAre(version);
        assertMayBeStartedByAnybody();
        await().atMost(SOON).until(() -> reports(version));
        assertThat(runningDigests()).containsExactly(version.digest().value());
    }

    void assertMayBeStartedByAnybody() {
        assertThat(machine.at(GATE)).doesNotExist();
    }

    /** The latest attempt, as the machine's disk has it. */
    Journal journal() {
        return Objects.requireNonNull(new JournalStore(state()).loadLatest());
    }

    private StateDirectory state() {
        return new StateDirectory(
                machine.at(MachineAgentMain.STATE.toString()),
                new DurableFiles(new LocalDisk(), new SecureRandom()));
    }

    void assertFilesAre(Version version) throws IOException {
        assertThat(Digest.of(Files.readAllBytes(machine.at(UnitCommands.PROGRAM.value()))))
                .isEqualTo(version.digest());
        assertThat(machine.at(UnitCommands.CONFIG.value())).hasContent(version.config());
        assertThat(machine.at(UnitCommands.UNIT.value())).hasContent(version.unit());
    }

    /** What every process of the program executes, whoever started it. */
    List<String> runningDigests() {
        String script =
                "for p in /proc/[0-9]*; do case $(readlink $p/exe) in /usr/local/bin/app*)"
                        + " sha256sum < $p/exe;; esac; done";
        return machine.query("sh", "-c", script)
                .lines()
                .filter(line -> line.endsWith(" -"))
                .map(line -> "sha256:" + line.substring(0, 64))
                .toList();
    }

    /** Where the agent is to stand still, as {@link FailpointDisk} says. */
    void standStillAt(String moment) throws IOException {
        Files.deleteIfExists(machine.at("/exchange/reached"));
        put("/exchange/failpoint", moment.getBytes(UTF_8));
    }

    void awaitReached(String moment) {
        Path reached = machine.at("/exchange/reached");
        await().atMost(SOON)
                .until(() -> Files.exists(reached) && Files.readString(reached).equals(moment));
    }

    /**
     * Kills the agent; systemd starts another. The result is not checked: {@code systemctl kill}
     * also fails if a process of the unit ends meanwhile, and the caller awaits the next agent.
     */
    void killAgentAndStopTheNextAt(String moment) throws IOException {
        standStillAt(moment);
        machine.query("systemctl", "kill", "--signal=SIGKILL", "drover-agent.service");
    }

    AttemptOutcome end(long attempt) {
        await().atMost(SOON)
                .until(
                        () ->
                                status().getAttempt() == attempt
                                        && status().getOutcome()
                                                != AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS);
        return status().getOutcome();
    }

    AttemptStatus status() {
        return received("status", bytes -> AttemptStatus.parseFrom(bytes));
    }

    /** Of the program's unit. */
    String mainPid() {
        return machine.run("systemctl", "show", "--value", "-p", "MainPID", "app.service").strip();
    }

    Heartbeat heartbeat() {
        return received("heartbeat", bytes -> Heartbeat.parseFrom(bytes));
    }

    /** The first attempt changes nothing: the same run goes on, and nothing is left behind. */
    void endsBeforeTheStop(String reason, Command command) throws IOException {
        String main = mainPid();
        send(command);
        assertThat(end(1))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(status().getReason()).as("%s", status().getDetail()).isEqualTo(reason);
        assertThat(mainPid()).as("the same run").isEqualTo(main).isNotEqualTo("0");
        assertNothingIsLeft();
    }

    /** No temporary file, no artifact, no backup and no gate. */
    void assertNothingIsLeft() {
        assertMayBeStartedByAnybody();
        String found =
                "find /usr/local/bin /etc/app /etc/systemd/system /var/lib/drover-agent"
                        + " '(' -name '.drover-*' -o -path '*/.upgrade-backup/*'"
                        + " -o -path '*/staging/*' ')' -type f";
        assertThat(machine.run("sh", "-c", found)).isEmpty();
    }

    PreflightReport preflightReport() {
        return received("preflight", bytes -> PreflightReport.parseFrom(bytes));
    }

    private boolean reports(Version version) {
        return heartbeat().getProgramsList().stream()
                .anyMatch(it -> it.getRunningDigest().equals(version.digest().value()));
    }

    /** Reads bytes. */
    private interface Parser<T> {
        T parse(byte[] bytes) throws IOException;
    }

    private <T> T received(String file, Parser<T> parser) {
        try {
            Path path = machine.at("/exchange/" + file);
            return parser.parse(Files.exists(path) ? Files.readAllBytes(path) : new byte[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void put(String path, byte[] content) throws IOException {
        machine.put(path, content);
    }

    void send(Command command) throws IOException {
        put("/exchange/command.next", command.toByteArray());
        Files.move(
                machine.at("/exchange/command.next"),
                machine.at("/exchange/command"),
                StandardCopyOption.REPLACE_EXISTING);
    }
}
