package drover.system.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.gateway.Faults;
import drover.localenv.DataDirectory;
import drover.model.Digest;
import drover.model.NodeId;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.PreflightJson;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A preflight through the whole mesh: each node that would fail says at which action and why, and
 * every node is afterwards what it was before, to the last file and process.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class LatestPreflightIT {
    private static final List<String> NODES = List.of("drifted", "good", "locked", "tight");

    private static final String DREAM =
            """
            config_changes:
              - path: /etc/sleeper.conf
                template: sleeper.conf.tmpl
                overrides: { dream: goats }
            """;

    private final List<Path> mounts = new ArrayList<>();
    private TestDeployment deployment;

    @BeforeAll
    void start(@TempDir Path place) throws Exception {
        FullBuildAssumption.requireEverything();
        SleepProgramConfig yard = SleepProgramConfig.in(place.resolve("config"));
        for (String node : NODES) {
            yard.node(node);
        }
        yard.manifest("v2", yard.url("v2"), SleepProgramConfig.digest("v2"), DREAM);
        yard.manifest("nowhere", "http://127.0.0.1:1/nothing", SleepProgramConfig.digest("v2"));
        byte[] foreign = SleepProgramConfig.program("foreign");
        foreign[18] = 22; // e_machine of an s390x
        yard.manifest("foreign", yard.url("foreign", foreign), Digest.of(foreign));

        DataDirectory data = new DataDirectory(place.resolve("mesh"));
        data.createAndLock().close(); // makes it a data directory before the first start
        Path small = Files.createDirectories(data.node(new NodeId("tight")).path());
        mount(small, "-t", "tmpfs", "-o", "size=14m", "tmpfs", small.toString());
        deployment = TestDeployment.of(data.root(), yard.folder());
        NODES.forEach(deployment::pid);
        Path etc = deployment.root("locked").resolve("etc");
        mount(etc, "--bind", etc.toString(), etc.toString());
        assumeTrue(run("mount", "-o", "remount,bind,ro", etc.toString()), "Skipped: no remount");
    }

    private void mount(Path at, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("mount"));
        command.addAll(List.of(arguments));
        assumeTrue(
                run(command.toArray(String[]::new)),
                "Skipped: file systems can be mounted by root only");
        mounts.addFirst(at);
    }

    @AfterEach
    void endActiveRollouts() {
        deployment.endActiveRollouts();
    }

    @AfterAll
    void close() throws Exception {
        if (deployment != null) {
            deployment.close();
        }
        for (Path at : mounts) {
            assertThat(run("umount", "-l", at.toString())).isTrue();
        }
    }

    @Test
    @DisplayName("S5 preflight: each kind of failure is told of its node, and nothing is changed")
    void reportsPerNodeWhatWouldFail() throws IOException {
        Path config = deployment.root("drifted").resolve(SleepProgramConfig.CONFIG_PATH);
        String planned = Files.readString(config);
        String id = deployment.created(rollout("v2"));
        Files.writeString(config, "dream = something else\n");
        Map<String, String> before = everything();

        PreflightJson found = preflight(id);

        assertThat(everything()).as("files, owners, modes, times, processes").isEqualTo(before);
        assertThat(found.problems("good")).isEmpty();
        assertThat(found.node("good").at("/result").asString()).isEqualTo("ok");
        assertThat(found.node("good").at("/checks").size()).isEqualTo(8);
        assertThat(found.problems("drifted")).containsEntry("backup_state", "DRIFTED");
        assertThat(found.problems("locked"))
                .containsExactly(Map.entry("write_configs", "DISK_ERROR"));
        assertThat(found.problems("tight")).containsEntry("backup_state", "DISK_FULL");
        assertThat(found.json().at("/failing_nodes").asInt()).isEqualTo(3);
        assertThat(found.json().at("/ok_nodes").asInt()).isEqualTo(1);
        Files.writeString(config, planned);
    }

    @Test
    void isPartOfThePlanAndOfWhatIsShown() {
        String id = deployment.created(rollout("v2", "good"));
        assertThat(plan(id).at("/preflight").isMissingNode()).isTrue();
        String first = preflight(id).json().at("/id").asString();

        assertThat(plan(id).at("/preflight/id").asString()).isEqualTo(first);
        assertThat(plan(id).at("/preflight/nodes/0/node_id").asString()).isEqualTo("good");
        assertThat(deployment.rollout(id).at("/preflight/ok_nodes").asInt()).isEqualTo(1);
        assertThat(deployment.rollout(id).at("/preflight/finished_at").asString()).isNotBlank();

        String hash = plan(id).at("/plan_hash").asString();
        String second = preflight(id).json().at("/id").asString();
        assertThat(second).as("asked again, looked again").isNotEqualTo(first);
        assertThat(plan(id).at("/plan_hash").asString()).as("no part of it").isEqualTo(hash);
    }

    @Test
    @Faults(
            rule = "D-50 (a preflight checks all eight actions and changes nothing)",
            sample = "LatestPreflightIT.reportsPerNodeWhatWouldFail")
    void findsAnArtifactThatCannotBeHadAndOneForAnotherMachine() {
        String nowhere = deployment.created(rollout("nowhere", "good"));
        assertThat(preflight(nowhere).problems("good"))
                .containsExactly(Map.entry("acquire_artifact", "DOWNLOAD_FAILED"));
        deployment.endActiveRollouts();
        String foreign = deployment.created(rollout("foreign", "good"));
        assertThat(preflight(foreign).problems("good"))
                .containsExactly(Map.entry("start_node", "WRONG_PLATFORM"));
    }

    @Test
    @Faults(
            rule = "D-50 (a preflight checks all eight actions and changes nothing)",
            sample = "LatestPreflightIT.reportsPerNodeWhatWouldFail")
    void takesNoAttemptAndIsRefusedOnceItWasStarted() {
        String id = deployment.created(rollout("v2", "good"));
        preflight(id);
        deployment.request(id, "start", "{\"reason\": \"Nothing would fail.\"}");
        Answer late = deployment.rest.post("/api/v1/rollouts/" + id + "/preflight", "{}");
        assertThat(late.status()).as("%s", late).isEqualTo(409);
        assertThat(late.text("/reason")).isIn("ALREADY", "FINAL");
        deployment.awaitStill(id, "completed");
        assertThat(deployment.node(id, "good").at("/status").asString()).isEqualTo("succeeded");
        deployment.request(id, "rollback", "{\"reason\": \"For the other tests.\"}");
        deployment.awaitStatus(id, "rolled_back");
    }

    private static String rollout(String upgrade, String... nodes) {
        String ids = nodes.length == 0 ? "" : ", \"node_ids\": [\"" + nodes[0] + "\"]";
        return """
            {"upgrade_id": "sleeper-%s", "chain_profile_id": "yard", "node_type": "bunk",
             "source_version": "v1", "strategy": "rolling", "batch_size": 1,
             "health_wait_duration": "1s"%s}
            """
                .formatted(upgrade, ids);
    }

    private PreflightJson preflight(String id) {
        return PreflightJson.of(deployment, id);
    }

    private JsonNode plan(String id) {
        return deployment.rest.get("/api/v1/rollouts/" + id + "/plan").body().at("/plan");
    }

    /** Every file of every node with its digest, owner, mode and time, and the processes. */
    private Map<String, String> everything() throws IOException {
        Map<String, String> all = new TreeMap<>();
        for (String node : NODES) {
            all.put("processes of " + node, deployment.pids(node).toString());
            try (Stream<Path> files = Files.walk(deployment.data.node(new NodeId(node)).path())) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    if (!file.endsWith("output.log")) {
                        Map<String, Object> attributes =
                                Files.readAttributes(
                                        file,
                                        "unix:uid,gid,mode,lastModifiedTime,ino",
                                        LinkOption.NOFOLLOW_LINKS);
                        all.put(
                                file.toString(),
                                Digest.of(Files.readAllBytes(file))
                                        + new TreeMap<>(attributes).toString());
                    }
                }
            }
        }
        return all;
    }

    private static boolean run(String... command) throws Exception {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
        } catch (IOException e) {
            return false; // there is no such program here
        }
    }
}
