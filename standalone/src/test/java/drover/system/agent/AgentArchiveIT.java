package drover.system.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.gateway.Faults;
import drover.localenv.NodeDirectory;
import drover.model.Digest;
import drover.model.NodeId;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The archive of the agent: made, unpacked, installed, and at work without a JDK on the machine.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Faults(
        rule = "D-48 (one archive brings the agent with its Java)",
        sample = "OpsAgentMainIT.leavesTheProgramAtSigterm")
class AgentArchiveIT {
    private static final Duration SOON = Waits.LIMIT; // measured 2–4 s
    private static final String NODE = "away";
    private static final String NONE = "65534";
    private Path place;
    private Path prefix;
    private Path state;
    private Path tree;

    @BeforeAll
    void unpacked(@TempDir Path directory) throws Exception {
        FullBuildAssumption.requireEverything();
        Path home = Path.of("..").toRealPath();
        Path jar = home.resolve("ops-agent/target/drover-agent.jar");
        assumeTrue(Files.exists(jar), "Skipped: there is no " + jar + "; -Dquick leaves it out");
        Path jlink = Path.of(System.getProperty("java.home"), "bin", "jlink");
        assumeTrue(Files.isExecutable(jlink), "Skipped: this Java has no jlink");
        place = directory.toRealPath();
        Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwx--x--x"));
        prefix = place.resolve("opt");
        state = place.resolve("var");
        List<String> made =
                lines(0, home.resolve(".ci/archive"), "--jar", jar, "--out", place.resolve("out"));
        Path archive = Path.of(made.getLast());
        assertThat(archive.getFileName().toString())
                .matches("drover-agent-[0-9.]+-linux-[a-z0-9_]+\\.tar\\.gz");
        Files.createDirectory(place.resolve("unpacked"));
        lines(0, "tar", "-C", place.resolve("unpacked"), "-xzf", archive);
        try (Stream<Path> entries = Files.list(place.resolve("unpacked"))) {
            tree = entries.findFirst().orElseThrow();
        }
        assertThat(install(0).getLast()).isEqualTo("drover-agent " + version());
    }

    @AfterAll
    void uninstalled() throws Exception {
        if (tree != null) {
            install(0, "--uninstall");
            assertThat(prefix).doesNotExist();
            assertThat(state.resolve("versions/current/drover-agent.jar")).exists();
        }
    }

    @Test
    void installingTwiceChangesNothing() throws Exception {
        assertThat(install(0)).containsExactly("drover-agent " + version());
    }

    @Test
    @DisplayName("An agent that has upgraded itself is not taken back by an installer")
    void leavesTheVersionThatRuns() throws Exception {
        Path current = state.resolve("versions/current");
        Path next = Files.createDirectory(state.resolve("versions/v9.9.9"));
        Files.copy(current.resolve("drover-agent.jar"), next.resolve("drover-agent.jar"));
        Path old = Files.readSymbolicLink(current);
        Files.delete(current);
        Files.createSymbolicLink(current, Path.of("v9.9.9"));
        try {
            assertThat(install(0)).anyMatch(line -> line.startsWith("The agent stays v9.9.9"));
            assertThat(Files.readSymbolicLink(current)).isEqualTo(Path.of("v9.9.9"));
        } finally {
            Files.delete(current);
            Files.createSymbolicLink(current, old);
        }
    }

    @Test
    void reportsItsFeatures() throws Exception {
        assertThat(lines(0, launcher(), "--help").getFirst()).startsWith("Usage: ");
        assertThat(lines(2, launcher(), "--color")).contains("'--color' is no flag of the agent.");
        assertThat(install(1, "--somewhere").getLast())
                .isEqualTo("install.sh: '--somewhere' is no flag.");
    }

    @Test
    @DisplayName("H16: without any capability, as nobody, the installed agent upgrades its node")
    void upgradesAsAnUnprivilegedUser() throws Exception {
        boolean root = System.getProperty("user.name").equals("root");
        assumeTrue(root, "Skipped: only root can give its rights away");
        SleepProgramConfig yard = SleepProgramConfig.in(place.resolve("config"));
        yard.node(NODE, "agent: external");
        byte[] program = SleepProgramConfig.program("v2");
        yard.manifest("v2", yard.url("v2", program), Digest.of(program));
        readable(yard.folder());
        try (TestDeployment deployment = TestDeployment.of(place.resolve("mesh"), yard.folder())) {
            NodeDirectory node = deployment.data.node(new NodeId(NODE));
            own(node.path());
            Process agent = agent(node, deployment.standalone.deployment().agentPort());
            try {
                await().atMost(SOON)
                        .until(
                                () ->
                                        deployment
                                                .rest
                                                .get("/api/v1/nodes/" + NODE)
                                                .body()
                                                .at("/node/online")
                                                .asBoolean(false));
                assertThat(status(agent.pid()))
                        .contains("CapEff:\t0000000000000000", "CapPrm:\t0000000000000000")
                        .contains("CapBnd:\t0000000000000000", "NoNewPrivs:\t1")
                        .contains("Uid:\t65534\t65534\t65534\t65534");
                String rollout =
                        deployment.started(
                                """
                                {"upgrade_id": "sleeper-v2", "chain_profile_id": "yard",
                                 "node_type": "bunk", "source_version": "v1",
                                 "node_ids": ["away"], "strategy": "rolling", "batch_size": 1,
                                 "health_wait_duration": "1s"}
                                """);
                deployment.awaitStill(rollout, "completed");
                long pid = deployment.pid(NODE);
                assertThat(TestDeployment.executable(pid))
                        .isEqualTo(SleepProgramConfig.digest("v2"));
                assertThat(status(pid)).contains("CapEff:\t0000000000000000");
            } finally {
                deployment.pids(NODE).stream()
                        .flatMap(pid -> ProcessHandle.of(pid).stream())
                        .forEach(ProcessHandle::destroyForcibly);
                agent.destroy();
                agent.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    private Process agent(NodeDirectory node, int port) throws IOException {
        File log = place.resolve("agent.log").toFile();
        return new ProcessBuilder(
                        "setpriv",
                        "--reuid=" + NONE,
                        "--regid=" + NONE,
                        "--clear-groups",
                        "--inh-caps=-all",
                        "--bounding-set=-all",
                        "--no-new-privs",
                        launcher().toString(),
                        "--gateway",
                        "127.0.0.1:" + port,
                        "--state",
                        node.state().toString(),
                        "--root",
                        node.root().toString(),
                        "--token-file",
                        node.tokenFile().toString(),
                        "--allow-local")
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
    }

    private void own(Path node) throws Exception {
        lines(0, "chown", "-R", NONE + ":" + NONE, node);
        // The installer keeps what the agent knows to itself; here its versions are for nobody.
        lines(0, "chown", "-R", NONE + ":" + NONE, state);
        for (Path above = node.getParent();
                above != null && !above.equals(place);
                above = above.getParent()) {
            Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwx--x--x"));
        }
    }

    private static void readable(Path folder) throws Exception {
        lines(0, "chmod", "-R", "a+rX", folder);
    }

    private static List<String> status(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"));
    }

    private Path launcher() {
        return prefix.resolve("bin/drover-agent");
    }

    private String version() throws IOException {
        return Files.readString(tree.resolve("version")).strip().substring(1);
    }

    private List<String> install(int code, String... flags) throws Exception {
        List<Object> command = new ArrayList<>(List.of(tree.resolve("install.sh")));
        command.addAll(List.of("--prefix", prefix, "--state", state, "--units", "none"));
        command.addAll(List.of(flags));
        return lines(code, command.toArray());
    }

    private static List<String> lines(int code, Object... command) throws Exception {
        Process process =
                new ProcessBuilder(Stream.of(command).map(Object::toString).toList())
                        .redirectErrorStream(true)
                        .start();
        String message =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(message).isEqualTo(code);
        return message.lines().filter(line -> !line.startsWith("WARNING")).toList();
    }
}
