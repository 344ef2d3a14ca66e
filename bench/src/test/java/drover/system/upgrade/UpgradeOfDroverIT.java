package drover.system.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.deployment.Build;
import drover.coordinator.Faults;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.Strategy;
import drover.system.failover.ReplicatedDeployment;
import drover.system.upgrade.StartLoggingPrograms.Start;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drover itself is upgraded, from a build of this repository's own history to today's, in the order
 * that operations.md tells. A rollout of the earlier build is in flight all the time: at each step
 * a node is in the middle of fetching its artifact, and gets it when the step is done.
 */
@DisplayName("C15: a rollout goes on while each service, and then each agent, is replaced")
@Faults(
        rule = "C15 (neighboring versions work together)",
        sample = "SchemaSkewIT.opensWhatWasOnlyAddedTo")
class UpgradeOfDroverIT {
    private static final int NODES = 6;
    private static final Duration SOON = Duration.ofMinutes(4);
    private static final Build TODAY = Build.ofToday();

    @TempDir Path folder;
    private Build previous = TODAY;
    private StartLoggingPrograms programs;
    private ThrottledArtifacts artifacts;
    private ReplicatedDeployment mesh;
    private AgentProcesses agents;

    @BeforeEach
    void startThePreviousBuild() throws IOException {
        previous = PreviousBuild.required("UpgradeOfDroverIT");
        programs = new StartLoggingPrograms(folder);
        artifacts = new ThrottledArtifacts(programs);
        mesh = new ReplicatedDeployment(folder, NODES, previous, AgentProcesses.PROFILE);
        agents = new AgentProcesses(folder, mesh.gateways(), artifacts.program("v1"), NODES);
        IntStream.range(0, NODES).forEach(number -> agents.start(number, previous));
        mesh.awaitConnected(NODES);
        await().atMost(SOON).until(() -> programs.starts().size() == NODES);
    }

    @AfterEach
    void close() {
        if (agents != null) {
            agents.close();
        }
        if (mesh != null) {
            mesh.close();
        }
        if (artifacts != null) {
            artifacts.close();
            programs.end();
        }
    }

    @Test
    @Timeout(900)
    void aRolloutGoesOnWhileEverythingIsReplaced() {
        String past = created();
        mesh.operator().cancel(past);
        awaitStatus(past, "cancelled");
        List<HistoryEntry> before = mesh.history(past);
        List<String> olderSchemas = mesh.schemas();
        String rollout = created();
        int asked = artifacts.asked(); // before anybody can ask
        mesh.operator().start(rollout);

        awaitAtWork(rollout, 0, asked);
        List.of("manifest-1", "manifest-2", "health-1", "health-2").forEach(this::toToday);

        atWork(rollout, 1);
        String led = mesh.leader();
        toToday(mesh.other(led));
        toToday(led);
        assertThat(mesh.leader()).isEqualTo(mesh.other(led));

        atWork(rollout, 2);
        toToday("gateway-1");
        assertThat(mesh.schemas()).as("the schema is expanded").isNotEqualTo(olderSchemas);
        toToday("gateway-2");

        atWork(rollout, 3);
        wayBackAndForth();

        atWork(rollout, 4);
        IntStream.range(0, NODES).forEach(number -> agents.replace(number, TODAY));
        mesh.awaitConnected(NODES);

        artifacts.allow(NODES);
        awaitStatus(rollout, "completed");
        assertThat(mesh.ledger().progress(rollout).succeeded()).isEqualTo(NODES);
        HistoryAssertions.assertThatOf(mesh, rollout);
        assertThat(mesh.history(past)).as("what was written is kept").isEqualTo(before);
        assertEachNodeStartedEachVersionOnce();
    }

    /** The other way round: a gateway, then who leads, on a schema that the next build expanded. */
    private void wayBackAndForth() {
        List<String> newer = mesh.schemas();
        String led = mesh.leader();
        for (String service : List.of("gateway-1", led)) {
            mesh.replace(service, previous);
            mesh.awaitConnected(NODES);
        }
        mesh.replace(mesh.leader(), previous);
        assertThat(mesh.leader()).as("one of the previous build leads").isEqualTo(led);
        for (String service : List.of(mesh.other(led), led, "gateway-1")) {
            toToday(service);
        }
        assertThat(mesh.schemas()).as("nothing is taken back").isEqualTo(newer);
    }

    private void toToday(String service) {
        long began = System.nanoTime();
        mesh.replace(service, TODAY);
        mesh.awaitConnected(NODES);
        System.out.printf(
                "UpgradeOfDroverIT: %s replaced in %d ms%n",
                service, Duration.ofNanos(System.nanoTime() - began).toMillis());
    }

    private String created() {
        return mesh.operator()
                .create(
                        CreateRolloutRequest.newBuilder()
                                .setStrategy(Strategy.STRATEGY_ROLLING)
                                .setBatchSize(1)
                                .setSourceVersion("v1")
                                .setTargetVersion("v2")
                                .setTargetBinaryUrl(artifacts.url())
                                .setTargetBinaryChecksum(artifacts.digest("v2").value())
                                .build());
    }

    /** So many nodes are done, and the next one fetches what it is not given yet. */
    private void atWork(String rollout, int done) {
        int asked = artifacts.asked();
        artifacts.allow(done);
        awaitAtWork(rollout, done, asked);
    }

    /** The same, when as many had been asked for before. */
    private void awaitAtWork(String rollout, int done, int asked) {
        await().atMost(SOON)
                .failFast("It has stopped.", () -> mesh.ledger().progress(rollout).hasStopped())
                .until(
                        () ->
                                artifacts.asked() > asked
                                        && mesh.ledger().progress(rollout).succeeded() == done);
    }

    private void awaitStatus(String rollout, String status) {
        await().atMost(SOON).until(() -> mesh.ledger().progress(rollout).hasStopped());
        assertThat(mesh.ledger().progress(rollout).status()).isEqualTo(status);
    }

    /** Neither a service nor an agent that was replaced had a program started again. */
    private void assertEachNodeStartedEachVersionOnce() {
        List<Start> starts = programs.starts();
        for (String version : List.of("v1", "v2")) {
            assertThat(starts.stream().filter(it -> it.version().equals(version)).toList())
                    .as("C1: " + version)
                    .extracting(Start::node)
                    .hasSize(NODES)
                    .doesNotHaveDuplicates();
        }
    }
}
