package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.agent.v1.ActionOutcome;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.agent.v1.CommandType;
import drover.model.Digest;
import drover.model.program.BinaryName;
import drover.model.program.ConfigDigest;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.adopt.AdoptionDecision;
import drover.opsagent.adopt.AdoptionReport;
import drover.opsagent.adopt.AdoptionRequest;
import drover.opsagent.adopt.ProgramAdopter;
import drover.opsagent.adopt.StateDirectoryAndRoot;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.engine.NodeSnapshot;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.runtime.RuntimeRegistry;
import drover.opsagent.store.ProgramProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The runtime of {@code docs/extending.md}, as it stands there: compiled into a jar that is no part
 * of Drover, it takes a node in, upgrades it and brings it back.
 */
class ThirdPartyRuntimeTest {
    private static final Path PAGE = Path.of("..", "docs", "extending.md");
    private static final Pattern SOURCE =
            Pattern.compile("(?ms)^```java\n(package ([a-z.]+);.*?class (\\w+) .*?)^```");
    private static final String PROVIDER =
            "META-INF/services/drover.opsagent.runtime.RuntimeProvider";

    private static Path jars;

    @TempDir Path directory;
    private Process program;
    private Path root;
    private Path state;
    private ScriptedGateway gateway;
    private OpsAgent agent;
    private OpsAgent.Dependencies parts;
    private Path config;
    private Digest old;
    private Digest young;
    private Path artifact;

    /** A directory with one jar: what the page shows, compiled. */
    @BeforeAll
    static void aJarOfWhatThePageShows(@TempDir Path place) throws IOException {
        jars = Files.createDirectories(place.resolve("runtimes"));
        Path classes = Files.createDirectories(place.resolve("classes"));
        compile(Files.createDirectories(place.resolve("sources")), classes);
        AgentJars.pack(classes, jars.resolve("plain.jar"));
    }

    @AfterEach
    void nothingIsLeft() {
        if (agent != null) {
            agent.close();
            gateway.close();
        }
        if (program == null) {
            return;
        }
        program.destroyForcibly();
        ProcessHandle.allProcesses()
                .filter(it -> it.info().command().orElse("").startsWith(root.toString()))
                .forEach(ProcessHandle::destroyForcibly);
    }

    @BeforeEach
    void aProgramThatRunsAndAnAgentThatTookItIn() throws IOException {
        Path setsid = Path.of("/usr/bin/setsid");
        assumeTrue(Files.isExecutable(setsid), "Skipped: there is no setsid");
        directory = directory.toRealPath();
        root = directory.resolve("root");
        state = directory.resolve("state");
        Path file = root.resolve(RealProcessNode.PROGRAM.value().substring(1));
        config = root.resolve(RealProcessNode.CONFIG.value().substring(1));
        Files.createDirectories(file.resolveSibling("."));
        Files.createDirectories(config.resolveSibling("."));
        byte[] sleep = Files.readAllBytes(Path.of("/bin/sleep").toRealPath());
        byte[] longer = Arrays.copyOf(sleep, sleep.length + 1); // another digest
        old = Digest.of(sleep);
        young = Digest.of(longer);
        Files.write(file, sleep);
        assertThat(file.toFile().setExecutable(true)).isTrue();
        Files.writeString(config, RealProcessNode.OLD_CONFIG);
        artifact = Files.write(directory.resolve("app-2"), longer);
        program = new ProcessBuilder(setsid.toString(), file.toString(), "600").start();
        await().atMost(Waits.LIMIT)
                .until(() -> program.info().command().orElse("").equals(file.toString()));
        parts =
                OpsAgent.Dependencies.local(
                        new LocalDisk(),
                        DownloadPolicy.forLocalMachine(),
                        new AgentMetrics(),
                        RuntimeRegistry.withPlugins(jars, Map.of()));
        takeIn();
        String address = "outside-" + UUID.randomUUID();
        gateway = new ScriptedGateway(address);
        agent =
                OpsAgent.start(
                        RealProcessNode.config(
                                state, root, address, "plain", Duration.ofMillis(300)),
                        parts);
        await().atMost(Waits.LIMIT).until(() -> !gateway.hellos.isEmpty());
    }

    @Test
    @DisplayName("A jar beside the agent brings a runtime that runs all eight actions")
    void aRuntimeFromAJarUpgradesANodeAndBringsItBack() {
        gateway.send(upgrade(1));
        AttemptStatus upgraded = end(1);
        assertThat(upgraded.getOutcome())
                .as("%s", upgraded)
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(upgraded.getActionsList())
                .hasSize(8)
                .allMatch(it -> it.getOutcome() == ActionOutcome.ACTION_OUTCOME_DONE);
        assertThat(upgraded.getRunningDigest()).isEqualTo(young.value());
        assertThat(config).hasContent(RealProcessNode.NEW_CONFIG);

        gateway.send(restore());
        AttemptStatus restored = end(2);
        assertThat(restored.getOutcome())
                .as("%s", restored)
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertThat(restored.getRunningDigest()).isEqualTo(old.value());
        assertThat(config).hasContent(RealProcessNode.OLD_CONFIG);
    }

    @Test
    @DisplayName("D19: it keeps the contract that each runtime of Drover keeps")
    void aRuntimeFromAJarMayRepeatAndTakeBackEachAction() {
        agent.close(); // just one cares for the program, which runs on
        RuntimeTestNode.open("plain", parts, new StateDirectoryAndRoot(state, root))
                .idempotencyCheck(
                        this::upgrade,
                        () ->
                                NodeSnapshot.blank()
                                        .andFiles(parts.disk(), root, state)
                                        .andProcesses(parts.processes(), root))
                .whole();
    }

    private static ProgramSpec spec() {
        return new ProgramSpec(
                new BinaryName("app"),
                "plain",
                new LaunchSpec(
                        RealProcessNode.PROGRAM,
                        "",
                        List.of("{path}", "600"),
                        Map.of(),
                        "",
                        ProgramDigestSource.EXE),
                List.of());
    }

    private void takeIn() {
        RuntimeTestNode node =
                RuntimeTestNode.open("plain", parts, new StateDirectoryAndRoot(state, root));
        ProgramAdopter adopter = new ProgramAdopter(node.state(), node.runtime());
        AdoptionReport survey =
                adopter.inspect(
                        new AdoptionRequest(
                                new ProgramProfile(spec(), List.of(RealProcessNode.CONFIG)),
                                "v1",
                                "",
                                List.of()));
        assertThat(survey.adoption()).isInstanceOf(AdoptionDecision.Adopted.class);
        adopter.recordAndAdopt(survey);
    }

    private static Digest configDigest(String config) {
        return ConfigDigest.of(
                Map.of(RealProcessNode.CONFIG, Digest.of(config)), spec().launch().digest());
    }

    private Command upgrade(long attempt) {
        CommandBody.Builder body = RealProcessNode.body(attempt);
        body.getUpgradeBuilder()
                .setTargetVersion("v2")
                .setSourceDigest(old.value())
                .setTargetConfigDigest(configDigest(RealProcessNode.NEW_CONFIG).value());
        body.getUpgradeBuilder()
                .getProgramBuilder()
                .setName("app")
                .setPath(RealProcessNode.PROGRAM.value())
                .setRuntime("plain")
                .addArguments("{path}")
                .addArguments("600");
        body.getUpgradeBuilder()
                .getArtifactBuilder()
                .setUrl(artifact.toUri().toString())
                .setDigest(young.value());
        body.getUpgradeBuilder()
                .addConfigFilesBuilder()
                .setPath(RealProcessNode.CONFIG.value())
                .setDigest(Digest.of(RealProcessNode.NEW_CONFIG).value());
        return RealProcessNode.command(CommandType.COMMAND_TYPE_UPGRADE, body.build());
    }

    private Command restore() {
        CommandBody.Builder body = RealProcessNode.body(2);
        body.getRestoreBuilder()
                .setAttemptToUndo(1)
                .setProgram("app")
                .setExpectedDigest(old.value())
                .setExpectedConfigDigest(configDigest(RealProcessNode.OLD_CONFIG).value());
        return RealProcessNode.command(CommandType.COMMAND_TYPE_RESTORE, body.build());
    }

    private AttemptStatus end(long attempt) {
        return gateway.end(attempt, Waits.LIMIT);
    }

    private static void compile(Path sources, Path classes) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", classes.toString()));
        arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
        Matcher source = SOURCE.matcher(Files.readString(PAGE));
        String provider = "";
        while (source.find()) {
            Path file = sources.resolve(source.group(3) + ".java");
            Files.writeString(file, source.group(1));
            arguments.add(file.toString());
            provider = source.group(2) + "." + source.group(3); // the last one
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler.run(null, null, null, arguments.toArray(String[]::new))).isZero();
        Path services = classes.resolve(PROVIDER);
        Files.createDirectories(services.getParent());
        Files.writeString(services, provider + "\n");
    }
}
