package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.gateway.Faults;
import drover.localenv.NodeDirectory;
import drover.model.Digest;
import drover.model.NodeId;
import drover.standalone.fleet.AgentlessProgramStopper;
import drover.system.fixture.DroverProcess;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.SlowArtifact;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
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
 * Programs and an agent are killed with {@code kill -9}, idle and in the middle of an attempt. The
 * programs are real executables, told apart by what the kernel says each process runs.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class ProcessKillIT {
    private static final Duration SOON = Waits.LIMIT;

    private TestDeployment deployment;
    private SlowArtifact slow;
    private SlowArtifact halting;

    @TempDir Path folder;

    @BeforeAll
    void start(@TempDir Path place) throws IOException {
        FullBuildAssumption.requireEverything();
        SleepProgramConfig yard = SleepProgramConfig.in(place.resolve("config"));
        yard.node("bunk-1").node("bunk-2").node("away", "agent: external");
        byte[] v2 = SleepProgramConfig.program("v2");
        byte[] bad = SleepProgramConfig.fallingOver("v3");
        slow = SlowArtifact.of(v2);
        yard.manifest("v2", yard.url("v2", v2), Digest.of(v2));
        yard.manifest("v2-slow", slow.url(), Digest.of(v2));
        halting = SlowArtifact.of(v2);
        yard.manifest("v2-halting", halting.url(), Digest.of(v2), "target_size: " + v2.length);
        yard.manifest("v3", yard.url("v3", bad), Digest.of(bad));
        deployment = TestDeployment.of(place.resolve("mesh"), yard.folder());
    }

    @AfterEach
    void endActiveRollouts() {
        deployment.endActiveRollouts();
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            deployment.close();
        }
        if (slow != null) {
            slow.close();
        }
        if (halting != null) {
            halting.close();
        }
    }

    @Test
    @Faults(
            rule = "D5 (success requires the target's digest in the running process)",
            sample = "OpsAgentProcessIT.upgradesAndReportsWhatRuns")
    void upgradesAnExecutableAndVerifiesItByTheKernel() throws IOException {
        assertThat(TestDeployment.executable(deployment.pid("bunk-1")))
                .isEqualTo(SleepProgramConfig.digest("v1"));
        String id = deployment.started(rollout("sleeper-v2", "bunk-1"));
        deployment.awaitStill(id, "completed");
        assertThat(TestDeployment.executable(deployment.pid("bunk-1")))
                .isEqualTo(SleepProgramConfig.digest("v2"));
        assertThat(TestDeployment.executable(deployment.pid("bunk-2")))
                .isEqualTo(SleepProgramConfig.digest("v1"));
        deployment.request(id, "rollback");
        deployment.awaitStill(id, "rolled_back");
        assertThat(TestDeployment.executable(deployment.pid("bunk-1")))
                .isEqualTo(SleepProgramConfig.digest("v1"));
    }

    @Test
    @Faults(
            rule = "S0-101 (the agent restores a node whose upgrade fails)",
            sample = "OpsAgentProcessIT.putsBackAProgramThatFalls")
    void aProgramThatCannotStayUpIsUndoneByItsAgent() throws IOException {
        String id = deployment.started(rollout("sleeper-v3", "bunk-1"));
        deployment.awaitStill(id, "paused");
        assertThat(status(id, "bunk-1")).isEqualTo("failed");
        assertThat(TestDeployment.executable(deployment.pid("bunk-1")))
                .isEqualTo(SleepProgramConfig.digest("v1"));
    }

    @Test
    @DisplayName("S0-72, S0-171, S0-197: REST tells where an agent is, and how often it has tried")
    @Faults(
            rule = "S0-197 (the action in progress and its percentage are shown)",
            sample = "RolloutWatchCommandTest.redrawsInPlaceOnATerminal")
    void reportsPhaseAndAttemptsDuringTheWork() throws Exception {
        String id = deployment.created(rollout("sleeper-v2-halting", "bunk-1"));
        assertThat(deployment.node(id, "bunk-1").at("/upgrade_phase").asString("")).isEmpty();
        assertThat(deployment.node(id, "bunk-1").at("/attempt_count").asInt()).isZero();

        deployment.request(id, "start");
        halting.awaitHalfSent();

        await().atMost(SOON)
                .untilAsserted(
                        () -> {
                            JsonNode node = deployment.node(id, "bunk-1");
                            assertThat(node.at("/action").asString()).isEqualTo("acquire_artifact");
                            assertThat(node.at("/upgrade_phase").asString()).isEqualTo("PREPARING");
                            assertThat(node.at("/attempt_count").asInt()).isEqualTo(1);
                            assertThat(node.at("/progress_percent").asInt()).isBetween(1, 99);
                        });
        halting.sendTheRest();
        deployment.awaitStill(id, "completed");
        assertThat(deployment.node(id, "bunk-1").at("/upgrade_phase").asString(""))
                .isNotEqualTo("PREPARING");
        assertThat(deployment.node(id, "bunk-1").at("/attempt_count").asInt()).isEqualTo(1);
        deployment.request(id, "rollback");
        deployment.awaitStill(id, "rolled_back");
    }

    @Test
    @DisplayName("S0-72: every retry is an attempt more")
    @Faults(
            rule = "S0-72 (each retry of a node is one more attempt)",
            sample = "RolloutPlannerTest.aWithdrawnNodeIsDispatchedAgainWithAHigherNumber")
    void aRetryIsCounted() {
        String id = deployment.started(rollout("sleeper-v3", "bunk-1"));
        deployment.awaitStill(id, "paused");
        assertThat(deployment.node(id, "bunk-1").at("/attempt_count").asInt()).isEqualTo(1);

        deployment.request(id, "nodes/bunk-1/retry");
        deployment.request(id, "resume");

        await().atMost(SOON)
                .until(() -> deployment.node(id, "bunk-1").at("/attempt_count").asInt() == 2);
        deployment.awaitStill(id, "paused");
    }

    @Test
    @Faults(
            rule = "C8 (one executor per node starts its program once)",
            sample = "OpsAgentProcessIT.startsAFallenProgramAgain")
    void aKilledProgramIsStartedAgainOnce() throws IOException {
        long before = deployment.pid("bunk-2");
        kill(before);
        await().atMost(SOON).until(() -> !deployment.pids("bunk-2").contains(before));
        long after = deployment.pid("bunk-2");
        assertThat(after).isNotEqualTo(before);
        // Whoever starts it has its command line for a moment, and then becomes it.
        await().atMost(SOON)
                .until(
                        () ->
                                TestDeployment.executable(after)
                                        .equals(SleepProgramConfig.digest("v1")));
        assertThat(deployment.pids("bunk-2")).containsExactly(after);
    }

    @Test
    @Faults(
            rule = "S0-141 (fewer restarts than the limit do not fail a node)",
            sample = "ProgramHealthRulesTest.aRestartWithinTheAttemptCounts")
    void aProgramKilledInMidRolloutIsStartedAgainAndTheRolloutCompletes() throws IOException {
        String id =
                deployment.started(
                        rollout("sleeper-v2", "bunk-2")
                                .replace("\"1s\"", "\"4s\"")); // time to kill
        await().atMost(SOON).until(() -> status(id, "bunk-2").equals("settling"));
        long before = deployment.pid("bunk-2");
        assertThat(TestDeployment.executable(before)).isEqualTo(SleepProgramConfig.digest("v2"));
        kill(before);
        deployment.awaitStill(id, "completed");
        long after = deployment.pid("bunk-2");
        assertThat(after).isNotEqualTo(before);
        assertThat(TestDeployment.executable(after)).isEqualTo(SleepProgramConfig.digest("v2"));
        deployment.request(id, "rollback");
        deployment.awaitStill(id, "rolled_back");
    }

    @Test
    @Faults(
            rule = "F4 (a crash loop fails the node)",
            sample = "ProgramHealthRulesTest.aCrashLoopIsUnhealthyAtOnce")
    void aProgramKilledAgainAndAgainIsACrashLoopAndTheNodeGoesBack() throws IOException {
        String id =
                deployment.started(rollout("sleeper-v2", "bunk-2").replace("\"1s\"", "\"10s\""));
        Digest bad = SleepProgramConfig.digest("v2");
        await().atMost(Waits.LIMIT)
                .pollInterval(Duration.ofMillis(200))
                .until(
                        () -> {
                            if (status(id, "bunk-2").equals("settling")) {
                                killIfItRuns(bad, "bunk-2");
                            }
                            return deployment.status(id).equals("paused");
                        });
        assertThat(deployment.node(id, "bunk-2").at("/reason").asString()).isEqualTo("CRASH_LOOP");
        assertThat(TestDeployment.executable(deployment.pid("bunk-2")))
                .isEqualTo(SleepProgramConfig.digest("v1"));
    }

    @Test
    @Faults(
            rule = "C8 (one executor per node)",
            sample = "OpsAgentMainIT.adoptsTheProgramAfterAKill")
    void anAgentKilledInMidAttemptGoesOnAndRunsNoSecondCopyC8() throws Exception {
        NodeDirectory offline = deployment.data.node(new NodeId("away"));
        DroverProcess first = agent(offline);
        try {
            long before = deployment.pid("away");
            String id = deployment.started(rollout("sleeper-v2-slow", "away"));
            slow.awaitHalfSent();
            first.kill();
            assertThat(deployment.pids("away")).containsExactly(before);
            slow.sendTheRest();
            try (DroverProcess second = agent(offline)) {
                deployment.awaitStill(id, "completed");
                assertThat(second.isAlive()).isTrue();
                long after = deployment.pid("away");
                assertThat(TestDeployment.executable(after))
                        .isEqualTo(SleepProgramConfig.digest("v2"));
                assertThat(deployment.pids("away")).containsExactly(after).doesNotContain(before);
                assertThat(AgentlessProgramStopper.stopAllButExternal(List.of(offline), _ -> {}))
                        .as("left to its agent")
                        .isZero();
                assertThat(deployment.pids("away")).containsExactly(after);
            }
        } finally {
            first.close();
        }
    }

    private DroverProcess agent(NodeDirectory node) throws IOException {
        String[] words =
                node.agentCommand(deployment.standalone.deployment().agentPort()).split(" ", -1);
        String[] arguments = Arrays.copyOfRange(words, 1, words.length);
        DroverProcess agent = DroverProcess.start(folder, arguments);
        await().atMost(SOON).until(() -> isOnline(node.name()));
        return agent;
    }

    private boolean isOnline(String node) {
        return deployment
                .rest
                .get("/api/v1/nodes/" + node)
                .body()
                .at("/node/online")
                .asBoolean(false);
    }

    private String status(String rollout, String node) {
        return deployment.node(rollout, node).at("/status").asString("");
    }

    private void killIfItRuns(Digest program, String node) {
        deployment.pids(node).stream()
                .filter(pid -> runs(pid, program))
                .forEach(ProcessKillIT::kill);
    }

    private static boolean runs(long pid, Digest program) {
        try {
            return TestDeployment.executable(pid).equals(program);
        } catch (IOException e) {
            return false; // it has just ended
        }
    }

    private static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    private static String rollout(String upgrade, String node) {
        return """
            {"upgrade_id": "%s", "chain_profile_id": "yard", "node_type": "bunk",
             "source_version": "v1", "strategy": "rolling", "batch_size": 1,
             "health_wait_duration": "1s", "node_ids": ["%s"]}
            """
                .formatted(upgrade, node);
    }
}
