package drover.system.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.localenv.DataDirectory;
import drover.model.Digest;
import drover.system.fixture.DroverProcess;
import drover.system.fixture.DroverProcess.Ended;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What people get wrong ends in a sentence that says what to do, with an exit code, without a stack
 * trace, and with every program running on as before. The commands are processes of their own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class BadInputIT {
    private static final int REFUSED = 1;
    private static final int WRONG_FLAGS = 2;

    private TestDeployment deployment;
    private SleepProgramConfig yard;
    private long running;

    @TempDir Path folder;

    @BeforeAll
    void start(@TempDir Path place) throws IOException {
        FullBuildAssumption.requireEverything();
        yard = SleepProgramConfig.in(place.resolve("config")).node("bunk-1");
        yard.manifest("v2", yard.url("v2"), SleepProgramConfig.digest("v2"));
        deployment = TestDeployment.of(place.resolve("mesh"), yard.folder());
        running = deployment.pid("bunk-1");
    }

    @AfterEach
    void theProgramWasNeverStopped() {
        deployment.endActiveRollouts();
        assertThat(deployment.pids("bunk-1")).containsExactly(running);
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            deployment.close();
        }
    }

    @Test
    void wrongFlagsAreNamed() throws Exception {
        assertThat(refused(WRONG_FLAGS, "up", "--nods", "3")).contains("--nods");
        assertThat(refused(WRONG_FLAGS, "up", "--nodes", "many")).contains("--nodes", "many");
        assertThat(refused(WRONG_FLAGS, "agent", "--gatway", "x")).contains("--gatway");
        assertThat(refused(WRONG_FLAGS, "rollout", "create")).contains("--chain");
    }

    @Test
    void anOccupiedPortIsNamedWithItsFlag() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = other.getLocalPort();
            String data = "--data=" + fresh();
            assertThat(refused(REFUSED, "up", data, "--http-port=0", "--grpc-port=" + port))
                    .contains("Port " + port + " is taken", "--grpc-port");
        }
    }

    @Test
    void aSecondUpOnOneDataDirectoryIsRefused() throws Exception {
        String root = deployment.data.root().toString();
        assertThat(refused(REFUSED, "up", "--data", root))
                .contains("Another Drover runs on " + root, "drover down --data");
    }

    @Test
    void aDataDirectoryOfAnotherVersionIsLeftAlone() throws Exception {
        Path old = Files.createDirectories(folder.resolve("old"));
        new DataDirectory(old).createAndLock().close();
        Files.writeString(old.resolve("version"), "drover-data 99\n");
        assertThat(refused(REFUSED, "up", "--data", old.toString()))
                .contains("another version of Drover", "drover-data 99", "--data");
        assertThat(old.resolve("version")).hasContent("drover-data 99");
        assertThat(old.resolve("postgres")).doesNotExist();
    }

    @Test
    void blockedUserNamespacesAreExplainedWithTheWayOut() throws Exception {
        assumeTrue(
                System.getProperty("user.name").equals("root"),
                "Skipped: only root needs user namespaces");
        Path programs = Files.createDirectories(folder.resolve("bin"));
        Path unshare = Files.writeString(programs.resolve("unshare"), "#!/bin/sh\nexit 1\n");
        assertThat(unshare.toFile().setExecutable(true)).isTrue();
        Map<String, String> path = Map.of("PATH", programs + ":" + System.getenv("PATH"));
        try (DroverProcess up = startUp(path)) {
            assertThat(plain(up.ended(), REFUSED)).contains("user namespaces", "--postgres URL");
        }
    }

    @Test
    void reportsTheLinesOfABrokenManifestAndRefusesTheRollout() throws Exception {
        String text = Files.readString(yard.folder().resolve("upgrades/yard/sleeper-v2.yaml"));
        String broken =
                text.replace("sleeper-v2", "broken")
                        .replace("target_url", "target_uri")
                        .replace("sha256:", "md5:");
        yard.write("upgrades/yard/broken.yaml", broken);
        Path file = yard.folder().resolve("upgrades/yard/broken.yaml");
        assertThat(refused(REFUSED, "manifest", "validate", file.toString(), server(), keys()))
                .contains("target_uri", "target_checksum")
                .containsPattern("[^0-9]6[^0-9]")
                .containsPattern("[^0-9]7[^0-9]");
        Answer refusal = refusal(rollout("\"upgrade_id\": \"broken\""), "MANIFEST_INVALID");
        assertThat(refusal.text("/detail")).contains("upgrades/yard/broken.yaml:", "3 problems");
        Files.delete(file);
    }

    @Test
    void aMissingManifestAndAnUnknownProfileAreNamed() throws Exception {
        Answer manifest = refusal(rollout("\"upgrade_id\": \"nothing\""), "MANIFEST_NOT_FOUND");
        assertThat(manifest.text("/detail")).contains("nothing");
        String elsewhere = byHand("").replace("\"yard\"", "\"nowhere\"");
        assertThat(refusal(elsewhere, "CHAIN_PROFILE_NOT_FOUND").text("/detail"))
                .contains("nowhere");
        assertThat(
                        refused(
                                REFUSED,
                                "rollout",
                                "create",
                                server(),
                                keys(),
                                "--chain=nowhere",
                                "--type=bunk",
                                "--upgrade=sleeper-v2",
                                "--from=v1",
                                "--strategy=rolling",
                                "--batch-size=1"))
                .contains("nowhere");
    }

    @Test
    void aChecksumNeedsItsPrefix() throws IOException {
        Answer bare = refusal(byHand("").replace("sha256:", ""), "CHECKSUM_NOT_SHA256");
        assertThat(bare.text("/field")).isEqualTo("target_binary_checksum");
        Digest digest = SleepProgramConfig.digest("v2");
        refusal(byHand("").replace(digest.value(), ""), "CHECKSUM_MISSING");
    }

    @Test
    void aPathThatLeavesTheNodesRootIsRefusedH11() throws IOException {
        String change =
                ", \"config_changes\": [{\"path\": \"%s\", \"template\": \"sleeper.conf.tmpl\"}]";
        for (String path : List.of("/etc/../../x.conf", "etc/x.conf")) {
            Answer refused = refusal(byHand(change.formatted(path)), "PATH_OUTSIDE_ROOT");
            assertThat(refused.text("/field")).isEqualTo("config_changes.path");
            assertThat(refused.text("/detail")).contains(path, "use an absolute path");
        }

        Path outside = Files.createDirectories(folder.resolve("outside"));
        Files.createSymbolicLink(deployment.root("bunk-1").resolve("etc/link"), outside);
        String id = deployment.started(byHand(change.formatted("/etc/link/x.conf")));
        deployment.awaitStill(id, "paused");
        assertThat(deployment.node(id, "bunk-1").at("/error_message").asString()).contains("link");
        assertThat(outside).isEmptyDirectory();
    }

    private DroverProcess startUp(Map<String, String> environment) throws IOException {
        return DroverProcess.start(
                folder,
                environment,
                "up",
                "--data=" + fresh(),
                "--http-port=0",
                "--grpc-port=0",
                "--agent-port=0");
    }

    private String fresh() {
        return folder.resolve("fresh").toString();
    }

    private String server() {
        return "--server=127.0.0.1:" + deployment.standalone.deployment().grpcPort();
    }

    private String keys() {
        return "--key-file=" + deployment.data.root();
    }

    private String refused(int exitCode, String... command) throws Exception {
        return plain(DroverProcess.run(folder, command), exitCode);
    }

    /** What people read: the right exit code, some words, and no stack trace. */
    private static String plain(Ended ended, int exitCode) {
        assertThat(ended.exitCode()).as(ended.output()).isEqualTo(exitCode);
        assertThat(ended.output())
                .isNotBlank()
                .doesNotContain("\tat ", "Exception", "Something went wrong");
        return ended.output();
    }

    private Answer refusal(String json, String reason) {
        Answer answer = deployment.rest.post("/api/v1/rollouts", json);
        assertThat(answer.text("/reason")).as("%s", answer).isEqualTo(reason);
        assertThat(answer.status()).isBetween(400, 499);
        assertThat(answer.text("/detail")).isNotBlank();
        return answer;
    }

    private static String rollout(String artifact) {
        return """
            {"chain_profile_id": "yard", "node_type": "bunk", "source_version": "v1",
             "strategy": "rolling", "batch_size": 1, "health_wait_duration": "1s", %s}
            """
                .formatted(artifact);
    }

    private String byHand(String more) throws IOException {
        return rollout(
                """
                "binary_name": "sleeper", "target_version": "v2", "target_binary_url": "%s",
                "target_binary_checksum": "%s" %s
                """
                        .formatted(yard.url("v2"), SleepProgramConfig.digest("v2"), more));
    }
}
