package drover.system.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.gateway.Faults;
import drover.localenv.NodeDirectory;
import drover.model.NodeId;
import drover.opsagent.main.OpsAgentMain;
import drover.system.fixture.DroverProcess;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rollout to a node whose runtime is the jar of {@code docs/extending.md}. */
@Faults(
        rule = "S0-8 (a new runtime needs no change of the agent)",
        sample = "ThirdPartyRuntimeTest.aRuntimeFromAJarUpgradesANodeAndBringsItBack")
class ThirdPartyRuntimeIT {
    private static final Duration SOON = Waits.LIMIT;
    private static final Path SETSID = Path.of("/usr/bin/setsid");
    private static final Path PAGE = Path.of("..", "docs", "extending.md");
    private static final Pattern SOURCE =
            Pattern.compile("(?ms)^```java\n(package ([a-z.]+);.*?class (\\w+) .*?)^```");
    private static final String NODE = "bunk-1";

    @TempDir Path directory;
    private TestDeployment deployment;
    private NodeDirectory node;
    private Path jars;
    private SleepProgramConfig programs;
    private @Nullable DroverProcess agent; // null until a test starts it

    @BeforeEach
    void aDeploymentWhoseChainNamesAnExternalRuntime() throws Exception {
        FullBuildAssumption.requireEverything();
        assumeTrue(Files.isExecutable(SETSID), "Skipped: there is no setsid");
        directory = directory.toRealPath();
        programs = SleepProgramConfig.in(directory.resolve("config"));
        Path profile = programs.folder().resolve("chains/yard.yaml");
        String text = Files.readString(profile);
        Files.writeString(profile, text.replace("type: process", "type: plain"));
        programs.write(
                "nodes.yaml",
                "nodes:\n  - { name: bunk-1, chain: yard, type: bunk, agent: external,"
                        + " programs: [] }\n");
        programs.manifest("v2", programs.url("v2"), SleepProgramConfig.digest("v2"));
        jars = Files.createDirectories(directory.resolve("runtimes"));
        pack(jars.resolve("plain.jar"));
        deployment = TestDeployment.of(directory.resolve("mesh"), programs.folder());
        node = deployment.data.node(new NodeId(NODE));
    }

    @AfterEach
    void stopAll() {
        if (agent != null) {
            agent.close();
        }
        if (deployment != null) {
            deployment.pids(NODE).stream()
                    .flatMap(pid -> ProcessHandle.of(pid).stream())
                    .forEach(ProcessHandle::destroyForcibly);
            deployment.close();
        }
    }

    /** The node's program, as its operator installed and started it before Drover was there. */
    private void startTheProgram() throws IOException {
        Path program = node.root().resolve("opt/sleeper/sleep");
        Files.createDirectories(program.getParent());
        Files.write(program, SleepProgramConfig.program("v1"));
        assertThat(program.toFile().setExecutable(true)).isTrue();
        Path config = node.root().resolve(SleepProgramConfig.CONFIG_PATH);
        Files.createDirectories(config.getParent());
        Files.writeString(config, "dream = sheep\n");
        var _ = new ProcessBuilder(SETSID.toString(), program.toString(), "86400").start();
        await().atMost(SOON).until(() -> deployment.pids(NODE).size() == 1);
        long pid = deployment.pid(NODE);
        await().atMost(SOON)
                .until(
                        () ->
                                TestDeployment.executable(pid)
                                        .equals(SleepProgramConfig.digest("v1")));
    }

    private void adopt() throws Exception {
        DroverProcess.Ended ended =
                DroverProcess.run(
                        directory,
                        commandLine(
                                        "agent",
                                        "adopt",
                                        "--node",
                                        NODE,
                                        "--program",
                                        SleepProgramConfig.PROGRAM)
                                .and("--profile", programs.folder().resolve("chains/yard.yaml"))
                                .and("--state", node.state(), "--root", node.root())
                                .and("--runtimes", jars, "--runtime", "plain")
                                .and("--version", "v1", "--url", programs.url("v1"))
                                .array());
        assertThat(ended.exitCode()).as(ended.output()).isZero();
    }

    @Test
    @DisplayName("S0-8 S0-207 a rollout over REST upgrades a node whose runtime is an external jar")
    void aRolloutTargetsAnExternalRuntime() throws Exception {
        startTheProgram();
        adopt();
        agent =
                DroverProcess.start(
                        directory,
                        OpsAgentMain.class,
                        Map.of(),
                        commandLine(
                                        "--gateway",
                                        "127.0.0.1:"
                                                + deployment.standalone.deployment().agentPort())
                                .and("--state", node.state(), "--root", node.root())
                                .and("--runtimes", jars, "--runtime", "plain", "--allow-local")
                                .and("--token-file", node.tokenFile())
                                .array());
        await().atMost(SOON).until(() -> runtime(NODE).equals("plain"));

        String rollout =
                deployment.started(
                        """
                        {"upgrade_id": "sleeper-v2", "chain_profile_id": "yard",
                         "node_type": "bunk", "source_version": "v1",
                         "strategy": "rolling", "batch_size": 1,
                         "health_wait_duration": "1s"}
                        """);
        deployment.awaitStill(rollout, "completed");

        assertThat(TestDeployment.executable(deployment.pid(NODE)))
                .isEqualTo(SleepProgramConfig.digest("v2"));
    }

    private String runtime(String name) {
        return deployment.rest.get("/api/v1/nodes/" + name).body().at("/node/runtime").asString("");
    }

    private record CommandLine(List<String> list) {
        CommandLine and(Object... more) {
            return new CommandLine(
                    Stream.concat(list.stream(), Stream.of(more).map(Object::toString)).toList());
        }

        String[] array() {
            return list.toArray(String[]::new);
        }
    }

    private static CommandLine commandLine(Object... first) {
        return new CommandLine(List.of()).and(first);
    }

    /** Compiles the page's classes into a jar with their service file. */
    private void pack(Path jar) throws IOException {
        Path sources = Files.createDirectories(directory.resolve("sources"));
        Path classes = Files.createDirectories(directory.resolve("classes"));
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", classes.toString()));
        arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
        Matcher source = SOURCE.matcher(Files.readString(PAGE));
        String provider = "";
        while (source.find()) {
            Path file = sources.resolve(source.group(3) + ".java");
            arguments.add(Files.writeString(file, source.group(1)).toString());
            provider = source.group(2) + "." + source.group(3);
        }
        assertThat(
                        ToolProvider.getSystemJavaCompiler()
                                .run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        String service = "META-INF/services/drover.opsagent.runtime.RuntimeProvider";
        Files.createDirectories(classes.resolve(service).resolveSibling("."));
        Files.writeString(classes.resolve(service), provider + "\n");
        List<Path> files;
        try (Stream<Path> tree = Files.walk(classes)) {
            files = tree.filter(Files::isRegularFile).toList();
        }
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (Path file : files) {
                out.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
    }
}
