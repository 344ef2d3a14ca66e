package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.machine.home.DataDirectory;
import drover.machine.home.OperatorsDoor;
import drover.model.Digest;
import drover.model.NodeId;
import drover.standalone.Rest.Answer;
import drover.standalone.StandaloneConfig.Pace;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A mesh in this process for the tests of one class, driven by REST as an operator would. */
final class TestMesh implements AutoCloseable {
    /** Heard twice a second; what starts must stay up for half a second. */
    private static final Pace QUICK =
            new Pace(Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofMillis(500));

    private static final Duration SOON = Waits.LIMIT; // measured 3–15 s
    private static final Set<String> ENDED =
            Set.of("completed", "failed", "cancelled", "rolled_back");

    final DataDirectory data;
    final Standalone standalone;
    final Rest rest;
    final ManagedChannel channel;

    private TestMesh(DataDirectory data, Standalone standalone) {
        this.data = data;
        this.standalone = standalone;
        this.rest = Rest.of(standalone.mesh(), data);
        this.channel = OperatorsDoor.dial(standalone.mesh(), data);
    }

    /** With the demo's configuration and so many nodes. */
    static TestMesh demo(Path folder, int nodes) {
        return start(folder, Optional.empty(), OptionalInt.of(nodes), Map.of());
    }

    /** With the demo's configuration, and traces sent to where the variables say. */
    static TestMesh traced(Path folder, int nodes, Map<String, String> environment) {
        return start(folder, Optional.empty(), OptionalInt.of(nodes), environment);
    }

    /** With a configuration directory that lists its nodes. */
    static TestMesh of(Path folder, Path config) {
        return start(folder, Optional.of(config), OptionalInt.empty(), Map.of());
    }

    /** With the demo's configuration, one node, and an identity provider beside the keys. */
    static TestMesh taking(Path folder, StandaloneConfig.Tokens tokens) {
        DataDirectory data = new DataDirectory(folder);
        StandaloneConfig wanted =
                new StandaloneConfig(
                        data,
                        Optional.empty(),
                        OptionalInt.of(1),
                        0,
                        0,
                        0,
                        Optional.empty(),
                        QUICK,
                        OptionalInt.empty(),
                        new StandaloneConfig.Access(
                                false, java.util.List.of(), Optional.of(tokens)));
        return new TestMesh(data, Standalone.start(wanted, new Assembly(Map.of()), _ -> {}));
    }

    /** With the demo's configuration and so many nodes, on services of the test's own. */
    static TestMesh on(Path folder, int nodes, Services services) {
        DataDirectory data = new DataDirectory(folder);
        return new TestMesh(
                data,
                Standalone.start(
                        new StandaloneConfig(
                                data,
                                Optional.empty(),
                                OptionalInt.of(nodes),
                                0,
                                0,
                                0,
                                Optional.empty(),
                                QUICK),
                        services,
                        _ -> {}));
    }

    private static TestMesh start(
            Path folder,
            Optional<Path> config,
            OptionalInt nodes,
            Map<String, String> environment) {
        DataDirectory data = new DataDirectory(folder);
        return new TestMesh(
                data,
                Standalone.start(
                        new StandaloneConfig(data, config, nodes, 0, 0, 0, Optional.empty(), QUICK),
                        new Assembly(environment),
                        _ -> {}));
    }

    /** Creates a rollout and gives its id. */
    String created(String json) {
        Answer answer = rest.post("/api/v1/rollouts", json);
        assertThat(answer.status()).as("%s", answer).isEqualTo(201);
        return answer.text("/rollout/id");
    }

    /** Creates a rollout, starts it once its targets are healthy, and gives its id. */
    String started(String json) {
        String id = created(json);
        String start = "/api/v1/rollouts/" + id + "/start";
        Answer answer =
                await().atMost(SOON) // a target that was only just started is not healthy yet
                        .until(
                                () -> rest.post(start, "{\"reason\": \"As planned.\"}"),
                                it -> !it.text("/reason").equals("TARGETS_UNHEALTHY"));
        assertThat(answer.status()).as("start: %s", answer).isIn(200, 202);
        return id;
    }

    /** An operator's request that must be taken, now or soon. */
    Answer asked(String rollout, String verb) {
        return asked(rollout, verb, "{}");
    }

    Answer asked(String rollout, String verb, String json) {
        Answer answer = rest.post("/api/v1/rollouts/" + rollout + "/" + verb, json);
        assertThat(answer.status()).as("%s: %s", verb, answer).isIn(200, 202);
        return answer;
    }

    JsonNode rollout(String id) {
        return rest.get("/api/v1/rollouts/" + id).body().at("/rollout");
    }

    /** Waits until it stands still; a status other than the wanted one fails at once. */
    JsonNode awaitStill(String id, String wanted) {
        await().atMost(SOON).pollInterval(Duration.ofMillis(100)).until(() -> isStill(status(id)));
        JsonNode rollout = rollout(id);
        assertThat(rollout.at("/status").asString()).as("%s", why(id)).isEqualTo(wanted);
        return rollout;
    }

    /** What is shown when a rollout did not go as it should: its nodes and its reasons. */
    private String why(String id) {
        return rest.get("/api/v1/rollouts/" + id + "/nodes").body().toPrettyString()
                + rest.get("/api/v1/rollouts/" + id + "/why").body().toPrettyString();
    }

    void awaitStatus(String id, String wanted) {
        await().atMost(SOON)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> status(id).equals(wanted));
    }

    String status(String id) {
        return rollout(id).at("/status").asString("");
    }

    private static boolean isStill(String status) {
        return status.equals("paused") || ENDED.contains(status);
    }

    /** The node as its rollout shows it. */
    JsonNode node(String rollout, String node) {
        for (JsonNode one :
                rest.get("/api/v1/rollouts/" + rollout + "/nodes").body().at("/nodes")) {
            if (one.at("/node_id").asString("").equals(node)) {
                return one;
            }
        }
        throw new AssertionError(node + " is not in rollout " + rollout);
    }

    /** Ends whatever rollout is still active, so that the next test may begin. */
    void endActiveRollouts() {
        for (JsonNode rollout : rest.get("/api/v1/rollouts").body().at("/rollouts")) {
            if (!ENDED.contains(rollout.at("/status").asString())) {
                String id = rollout.at("/id").asString();
                rest.post("/api/v1/rollouts/" + id + "/cancel", "{}");
                await().atMost(SOON).until(() -> ENDED.contains(status(id)));
            }
        }
    }

    /** The processes of a node's program, counted by what the kernel says: an orphan would show. */
    List<Long> pids(String node) {
        String place = root(node).resolve("opt") + "/";
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .filter(pid -> commandLine(pid).contains(place))
                .toList();
    }

    /** The one process of a node's program. */
    long pid(String node) {
        await().atMost(Waits.LIMIT).until(() -> pids(node).size() == 1);
        return pids(node).getFirst();
    }

    /** The digest of the executable that a process really runs. */
    static Digest executable(long pid) throws IOException {
        return Digest.of(Files.readAllBytes(Path.of("/proc", Long.toString(pid), "exe")));
    }

    /** One byte of each saved file is another now (invariant D10). */
    void spoilBackups(String node) throws IOException {
        Path backups = data.node(new NodeId(node)).state().resolve(".upgrade-backup");
        List<Path> saved;
        try (Stream<Path> files = Files.walk(backups)) {
            saved =
                    files.filter(Files::isRegularFile)
                            .filter(file -> !file.endsWith("manifest.json"))
                            .toList();
        }
        assertThat(saved).isNotEmpty();
        for (Path file : saved) {
            byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length - 1] ^= 1;
            Files.write(file, bytes);
        }
    }

    Path root(String node) {
        return data.node(new NodeId(node)).root();
    }

    static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
        } catch (IOException e) {
            return ""; // it has just ended
        }
    }

    @Override
    public void close() {
        rest.close();
        channel.shutdownNow();
        standalone.close();
    }
}
