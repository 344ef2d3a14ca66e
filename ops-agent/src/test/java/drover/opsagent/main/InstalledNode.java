package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.Artifact;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.agent.v1.CommandType;
import drover.agent.v1.Content;
import drover.agent.v1.RenderedFile;
import drover.agent.v1.RestoreWork;
import drover.agent.v1.UpgradeWork;
import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.ConfigDigest;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.adopt.InitialProgramInstallation;
import drover.opsagent.adopt.InitialProgramInstaller;
import drover.opsagent.adopt.StateDirectoryAndRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node with a program installed, and what a control plane asks of its agent. The program is a
 * copy of {@code sleep}: its argument says how long it lives.
 */
public abstract class InstalledNode {
    static final NodePath PROGRAM = new NodePath("/bin/app");
    public static final NodePath CONFIG = new NodePath("/etc/app.toml");
    public static final String OLD_CONFIG = "a = 1";
    static final String NEW_CONFIG = "a = 2";

    @TempDir public Path directory;
    public Path state;
    public Path root;
    public Path oldProgram;
    public Path newProgram;

    @BeforeEach
    void anInstalledNode() throws IOException {
        directory = directory.toRealPath();
        state = directory.resolve("state");
        root = directory.resolve("root");
        oldProgram = directory.resolve("app-1");
        newProgram = directory.resolve("app-2");
        byte[] sleep = Files.readAllBytes(Path.of("/bin/sleep").toRealPath());
        Files.write(oldProgram, sleep);
        byte[] longer = java.util.Arrays.copyOf(sleep, sleep.length + 1); // another digest
        Files.write(newProgram, longer);
        install(firstLife());
    }

    @AfterEach
    void noProgramIsLeft() {
        marked().forEach(ProcessHandle::destroyForcibly);
    }

    /** How many seconds the first installed program lives. */
    String firstLife() {
        return "600";
    }

    /** Every process that runs the node's program. */
    public List<ProcessHandle> marked() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().command().orElse("").startsWith(root.toString()))
                .toList();
    }

    void install(String seconds) {
        InitialProgramInstaller.InstallationResult done =
                InitialProgramInstaller.install(
                        new StateDirectoryAndRoot(state, root),
                        List.of(
                                new InitialProgramInstallation(
                                        spec(seconds),
                                        "v1",
                                        oldProgram.toUri().toString(),
                                        digest(oldProgram),
                                        Map.of(CONFIG, OLD_CONFIG))));
        assertThat(done).isEqualTo(InitialProgramInstaller.InstallationResult.INSTALLED);
    }

    static ProgramSpec spec(String seconds) {
        return new ProgramSpec(
                new BinaryName("app"),
                "process",
                new LaunchSpec(
                        PROGRAM,
                        "",
                        List.of("{path}", seconds),
                        Map.of(),
                        "",
                        ProgramDigestSource.EXE),
                List.of(
                        new Probe(
                                "alive",
                                Duration.ofMillis(300),
                                Duration.ofSeconds(1),
                                Duration.ZERO,
                                new Probe.Check.ProcessAlive(),
                                new Probe.StatusWhileFailing.HealthWhileFailing(
                                        ApplicationHealth.CRITICAL))));
    }

    static Digest configDigest(String config, String seconds) {
        return ConfigDigest.of(Map.of(CONFIG, Digest.of(config)), spec(seconds).launch().digest());
    }

    public Command upgrade(long attempt, Path program, String seconds) {
        return upgrade(attempt, program, program.toUri().toString(), seconds);
    }

    /**
     * To this program, which is to be had there.
     *
     * @param seconds how long it lives
     */
    Command upgrade(long attempt, Path program, String url, String seconds) {
        UpgradeWork work =
                UpgradeWork.newBuilder()
                        .setProgram(
                                drover.agent.v1.ProgramSpec.newBuilder()
                                        .setName("app")
                                        .setPath(PROGRAM.value())
                                        .setRuntime("process")
                                        .addArguments("{path}")
                                        .addArguments(seconds))
                        .setTargetVersion("v2")
                        .setArtifact(
                                Artifact.newBuilder()
                                        .setUrl(url)
                                        .setDigest(digest(program).value()))
                        .addConfigFiles(
                                RenderedFile.newBuilder()
                                        .setPath(CONFIG.value())
                                        .setDigest(Digest.of(NEW_CONFIG).value()))
                        .setSourceDigest(digest(oldProgram).value())
                        .setTargetConfigDigest(configDigest(NEW_CONFIG, seconds).value())
                        .build();
        CommandBody body = body(attempt).setUpgrade(work).build();
        return command(CommandType.COMMAND_TYPE_UPGRADE, body);
    }

    public Command restore(long attempt, long of) {
        RestoreWork work =
                RestoreWork.newBuilder()
                        .setAttemptToUndo(of)
                        .setProgram("app")
                        .setExpectedDigest(digest(oldProgram).value())
                        .setExpectedConfigDigest(configDigest(OLD_CONFIG, firstLife()).value())
                        .build();
        CommandBody body = body(attempt).setRestore(work).build();
        return command(CommandType.COMMAND_TYPE_RESTORE, body);
    }

    public static CommandBody.Builder body(long attempt) {
        return CommandBody.newBuilder()
                .setNodeId("node-1")
                .setRolloutId("6f1c3d0e-0000-4000-8000-000000000001")
                .setAttempt(attempt);
    }

    public static Command command(CommandType type, CommandBody body) {
        return Command.newBuilder()
                .setType(type)
                .setEpoch(1)
                .setBody(body.toByteString())
                .addContents(
                        Content.newBuilder()
                                .setDigest(Digest.of(NEW_CONFIG).value())
                                .setData(
                                        com.google.protobuf.ByteString.copyFrom(
                                                NEW_CONFIG, StandardCharsets.UTF_8)))
                .build();
    }

    public static Digest digest(Path file) {
        try {
            return Digest.of(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new IllegalStateException("Cannot read " + file, e);
        }
    }
}
