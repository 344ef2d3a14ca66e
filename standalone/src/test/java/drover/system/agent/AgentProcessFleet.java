package drover.system.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.localenv.NodeDirectory;
import drover.model.NodeId;
import drover.opsagent.main.OpsAgentMain;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Agents beside a mesh, each a process of its own that runs from a jar among its versions, and so
 * can replace itself. They are known by their command lines, which name jar and state directory.
 */
final class AgentProcessFleet implements AutoCloseable {
    private static final Duration SOON = Waits.LIMIT; // a dozen Java starts at once
    private static final String JAR = "drover-agent.jar";

    private final TestDeployment deployment;
    private final List<String> nodes;

    private AgentProcessFleet(TestDeployment deployment, List<String> nodes) {
        this.deployment = deployment;
        this.nodes = nodes;
    }

    /** Starts the agents of these nodes at version 1.0.0; comes back when the mesh hears them. */
    static AgentProcessFleet in(TestDeployment deployment, List<String> nodes) throws IOException {
        AgentProcessFleet yard = new AgentProcessFleet(deployment, nodes);
        for (String node : nodes) {
            yard.start(node);
        }
        await().atMost(SOON)
                .until(() -> nodes.stream().allMatch(it -> yard.reportsVersion(it, "1.0.0")));
        return yard;
    }

    /** An agent's jar: it says its version, and finds its classes where this test has them. */
    static Path jar(Path file, String version) throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, OpsAgentMain.class.getName());
        attributes.put(Attributes.Name.IMPLEMENTATION_VERSION, version);
        Files.createDirectories(file.resolveSibling("."));
        new JarOutputStream(Files.newOutputStream(file), manifest).close();
        return file;
    }

    private void start(String node) throws IOException {
        Path versions = directory(node).path().resolve("versions");
        jar(versions.resolve("v1.0.0").resolve(JAR), "1.0.0");
        Files.createSymbolicLink(versions.resolve("current"), Path.of("v1.0.0"));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
        command.add("-Xbootclasspath/a:" + System.getProperty("java.class.path"));
        command.addAll(List.of("-jar", versions.resolve("v1.0.0").resolve(JAR).toString()));
        command.addAll(
                List.of(
                        "--gateway",
                        "127.0.0.1:" + deployment.standalone.deployment().agentPort()));
        command.addAll(List.of("--state", directory(node).state().toString()));
        command.addAll(List.of("--root", directory(node).root().toString(), "--allow-local"));
        command.addAll(List.of("--token-file", directory(node).tokenFile().toString()));
        var _ =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory(node).path().resolve("agent.log").toFile())
                        .start();
    }

    NodeDirectory directory(String node) {
        return deployment.data.node(new NodeId(node));
    }

    /** Whether the mesh shows this version of a node's agent, and none that is still wanted. */
    private boolean reportsVersion(String node, String version) {
        var shown = deployment.rest.get("/api/v1/nodes/" + node).body().at("/node");
        return shown.at("/agent_version").asString("").equals(version)
                && shown.at("/online").asBoolean(false);
    }

    /** The one agent of the node is of this version: it says so, and so does its process. */
    void assertRuns(String node, String version) throws IOException {
        await().atMost(SOON).until(() -> agents(node).size() == 1 && reportsVersion(node, version));
        assertThat(TestDeployment.commandLine(agents(node).getFirst()))
                .contains("/v" + version + "/" + JAR);
        Path link = directory(node).path().resolve("versions").resolve("current");
        assertThat(Files.readSymbolicLink(link)).hasToString("v" + version);
    }

    /** The processes of the node's agents; a self-test is none. */
    private List<Long> agents(String node) {
        String mark = "\0" + directory(node).state() + "\0";
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .filter(pid -> TestDeployment.commandLine(pid).contains(mark))
                .filter(pid -> !TestDeployment.commandLine(pid).contains("--self-test"))
                .toList();
    }

    @Override
    public void close() {
        await().atMost(SOON)
                .until(
                        () -> {
                            List<Long> left =
                                    nodes.stream().flatMap(it -> agents(it).stream()).toList();
                            left.stream()
                                    .flatMap(pid -> ProcessHandle.of(pid).stream())
                                    .forEach(ProcessHandle::destroyForcibly);
                            return left.isEmpty();
                        });
    }
}
