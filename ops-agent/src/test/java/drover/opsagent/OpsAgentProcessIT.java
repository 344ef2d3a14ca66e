package drover.opsagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.Artifact;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.agent.v1.CommandType;
import drover.agent.v1.Content;
import drover.agent.v1.RenderedFile;
import drover.agent.v1.RestoreWork;
import drover.agent.v1.UpgradeWork;
import drover.model.ApplicationHealth;
import drover.model.BinaryName;
import drover.model.ConfigDigest;
import drover.model.Digest;
import drover.model.LaunchSpec;
import drover.model.NodePath;
import drover.model.Probe;
import drover.model.ProgramIdentity;
import drover.model.ProgramSpec;
import drover.opsagent.adopt.InstalledProgram;
import drover.opsagent.adopt.NodeInstaller;
import drover.opsagent.adopt.NodeLayout;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.peers.GatewayAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole agent with real processes and files. The program is a copy of {@code sleep}. */
class OpsAgentProcessIT {
    private static final NodePath PROGRAM = new NodePath("/bin/app");
    private static final NodePath CONFIG = new NodePath("/etc/app.toml");
    private static final String OLD_CONFIG = "a = 1";
    private static final String NEW_CONFIG = "a = 2";

    @TempDir Path directory;
    private ScriptedGateway gateway;
    private String door;
    private Path state;
    private Path root;
    private Path oldProgram;
    private Path newProgram;
    private OpsAgent agent;

    @BeforeEach
    void anInstalledNode() throws IOException {
        directory = directory.toRealPath();
        door = "gateway-" + UUID.randomUUID();
        gateway = new ScriptedGateway(door);
        state = directory.resolve("state");
        root = directory.resolve("root");
        oldProgram = directory.resolve("app-1");
        newProgram = directory.resolve("app-2");
        byte[] sleep = Files.readAllBytes(Path.of("/bin/sleep").toRealPath());
        Files.write(oldProgram, sleep);
        byte[] longer = java.util.Arrays.copyOf(sleep, sleep.length + 1); // another digest
        Files.write(newProgram, longer);
        install();
        agent = startAgent();
        await().atMost(Duration.ofSeconds(10)).until(() -> runs(digest(oldProgram)));
    }

    @AfterEach
    void nothingIsLeft() {
        agent.close();
        gateway.close();
        marked().forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    @DisplayName("D5 F1: an upgrade ends with the target's own executable running")
    void upgradesAndReportsWhatRuns() throws IOException {
        gateway.send(upgrade(1, newProgram, "601"));
        AttemptStatus status = end(1);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(status.getRunningDigest()).isEqualTo(digest(newProgram).value());
        assertThat(status.getSourceDigest()).isEqualTo(digest(oldProgram).value());
        assertThat(status.getConfigDigest()).isEqualTo(configDigest(NEW_CONFIG, "601").value());
        await().until(() -> gateway.lastHeartbeat().getAttempt() == 1);
        await().until(
                        () ->
                                gateway.lastHeartbeat()
                                        .getPrograms(0)
                                        .getRunId()
                                        .equals(status.getRunId()));
        assertThat(gateway.tokens).containsOnly("secret");
        assertThat(marked()).hasSize(1);
    }

    @Test
    @DisplayName("A13: a restore brings program, configuration and launch specification back")
    void restoresFromTheBackup() throws IOException {
        gateway.send(upgrade(1, newProgram, "601"));
        assertThat(end(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        gateway.send(restore(2, 1));
        assertThat(end(2).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertThat(end(2).getRunningDigest()).isEqualTo(digest(oldProgram).value());
        assertThat(Files.readString(root.resolve("etc/app.toml"))).isEqualTo(OLD_CONFIG);
        assertThat(end(2).getConfigDigest()).isEqualTo(configDigest(OLD_CONFIG, "600").value());
    }

    @Test
    @DisplayName("D6 D7: a program that does not stay up is put back, and its output is reported")
    void putsBackAProgramThatFalls() throws IOException {
        gateway.send(upgrade(1, newProgram, "not-a-number"));
        AttemptStatus status = end(1);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(status.getReason()).isEqualTo("START_FAILED");
        assertThat(status.getLogTail()).contains("not-a-number");
        assertThat(status.getRunningDigest()).isEqualTo(digest(oldProgram).value());
        assertThat(Files.readString(root.resolve("etc/app.toml"))).isEqualTo(OLD_CONFIG);
    }

    @Test
    void leavesProgramsRunningAndAdoptsThem() {
        String run = gateway.lastHeartbeat().getPrograms(0).getRunId();
        agent.close();
        assertThat(marked()).hasSize(1);
        gateway.heartbeats.clear();
        agent = startAgent();
        await().until(() -> gateway.lastHeartbeat().getProgramsCount() == 1);
        assertThat(gateway.lastHeartbeat().getPrograms(0).getRunId()).isEqualTo(run);
        assertThat(marked()).hasSize(1);
        assertThat(gateway.hellos.getLast().getIncarnation())
                .isGreaterThan(gateway.hellos.getFirst().getIncarnation());
    }

    @Test
    void startsAFallenProgramAgain() {
        String run = gateway.lastHeartbeat().getPrograms(0).getRunId();
        marked().forEach(ProcessHandle::destroyForcibly);
        await().atMost(Duration.ofSeconds(15))
                .until(
                        () ->
                                runs(digest(oldProgram))
                                        && !gateway.lastHeartbeat()
                                                .getPrograms(0)
                                                .getRunId()
                                                .equals(run));
        assertThat(gateway.lastHeartbeat().getPrograms(0).getStartsSinceAttempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("C8: a second agent of the node stands by and does nothing")
    void aSecondAgentStandsBy() throws IOException {
        try (OpsAgent second = startAgent()) {
            assertThat(second.isExecutor()).isFalse();
            await().until(() -> gateway.hellos.stream().anyMatch(hello -> !hello.getExecutor()));
            gateway.send(upgrade(1, newProgram, "601")); // goes to the standby, which dialled last
            await().during(Duration.ofSeconds(1))
                    .until(() -> gateway.statuses.isEmpty() && marked().size() == 1);
            assertThat(digest(root.resolve("bin/app"))).isEqualTo(digest(oldProgram));
        }
    }

    @Test
    @DisplayName("H11: a planted link is not followed; the attempt is refused and nothing touched")
    void refusesAPathThroughALink() throws IOException {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.delete(root.resolve("etc/app.toml"));
        Files.delete(root.resolve("etc"));
        Files.createSymbolicLink(root.resolve("etc"), outside);
        gateway.send(upgrade(1, newProgram, "601"));
        AttemptStatus status = end(1);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_REFUSED);
        assertThat(status.getReason()).isEqualTo("PATH_REFUSED");
        assertThat(outside).isEmptyDirectory();
    }

    @Test
    void confirmsAWithdrawal() {
        gateway.withdraw(5, 1);
        AttemptStatus status = end(5);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_WITHDRAWN);
    }

    private AttemptStatus end(long attempt) {
        await().atMost(Duration.ofSeconds(30))
                .until(
                        () ->
                                gateway.lastStatus().getAttempt() == attempt
                                        && gateway.lastStatus().getOutcome()
                                                != AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS);
        return gateway.lastStatus();
    }

    private boolean runs(Digest digest) {
        return gateway.lastHeartbeat().getProgramsCount() == 1
                && gateway.lastHeartbeat().getPrograms(0).getRunningDigest().equals(digest.value());
    }

    /** Every process that runs the node's program. */
    private List<ProcessHandle> marked() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().command().orElse("").startsWith(root.toString()))
                .toList();
    }

    private OpsAgent startAgent() {
        return OpsAgent.start(
                new OpsAgentConfig(
                        state,
                        root,
                        List.of(new GatewayAddress("in-process:" + door)),
                        "secret",
                        "process",
                        Duration.ofMillis(700),
                        Duration.ofMillis(200),
                        Duration.ofMillis(200),
                        "test"),
                OpsAgent.Parts.local(DownloadPolicy.localMachine()));
    }

    private void install() {
        NodeInstaller.Installation done =
                NodeInstaller.install(
                        new NodeLayout(state, root),
                        List.of(
                                new InstalledProgram(
                                        spec("600"),
                                        "v1",
                                        oldProgram.toUri().toString(),
                                        digest(oldProgram),
                                        Map.of(CONFIG, OLD_CONFIG))));
        assertThat(done).isEqualTo(NodeInstaller.Installation.INSTALLED);
    }

    private static ProgramSpec spec(String seconds) {
        return new ProgramSpec(
                new BinaryName("app"),
                "process",
                new LaunchSpec(
                        PROGRAM, "", List.of("{path}", seconds), Map.of(), "", ProgramIdentity.EXE),
                List.of(
                        new Probe(
                                "alive",
                                Duration.ofMillis(300),
                                Duration.ofSeconds(1),
                                Duration.ZERO,
                                new Probe.Check.ProcessAlive(),
                                new Probe.Signal.Health(ApplicationHealth.CRITICAL))));
    }

    private static Digest configDigest(String config, String seconds) {
        return ConfigDigest.of(Map.of(CONFIG, Digest.of(config)), spec(seconds).launch().digest());
    }

    private Command upgrade(long attempt, Path program, String seconds) {
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
                                        .setUrl(program.toUri().toString())
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

    private Command restore(long attempt, long of) {
        RestoreWork work =
                RestoreWork.newBuilder()
                        .setOfAttempt(of)
                        .setProgram("app")
                        .setExpectedDigest(digest(oldProgram).value())
                        .setExpectedConfigDigest(configDigest(OLD_CONFIG, "600").value())
                        .build();
        CommandBody body = body(attempt).setRestore(work).build();
        return command(CommandType.COMMAND_TYPE_RESTORE, body);
    }

    private static CommandBody.Builder body(long attempt) {
        return CommandBody.newBuilder()
                .setNodeId("node-1")
                .setRolloutId("6f1c3d0e-0000-4000-8000-000000000001")
                .setAttempt(attempt);
    }

    private static Command command(CommandType type, CommandBody body) {
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

    private static Digest digest(Path file) {
        try {
            return Digest.of(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new IllegalStateException("Cannot read " + file, e);
        }
    }
}
