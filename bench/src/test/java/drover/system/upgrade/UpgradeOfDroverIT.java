package drover.system.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.deployment.DroverBuild;
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
    private static final DroverBuild TODAY = DroverBuild.current();

    @TempDir Path folder;
    private DroverBuild previous = TODAY;
    private StartLoggingPrograms programs;
    private ThrottledArtifacts artifacts;
    private ReplicatedDeployment deployment;
    private AgentProcesses agents;

    @BeforeEach
    void startThePreviousBuild() throws IOException {
        previous = PreviousBuild.required("UpgradeOfDroverIT");
        programs = new StartLoggingPrograms(folder);
        artifacts = new ThrottledArtifacts(programs);
        deployment = new ReplicatedDeployment(folder, NODES, previous, AgentProcesses.PROFILE);
        agents = new AgentProcesses(folder, deployment.gateways(), artifacts.program("v1"), NODES);
        IntStream.range(0, NODES).forEach(number -> agents.start(number, previous));
        deployment.awaitConnected(NODES);
        await().atMost(SOON).until(() -> programs.starts().size() == NODES);
    }

    @AfterEach
    void close() {
        if (agents != null) {
            agents.close();
        }
        if (deployment != null) {
            deployment.close();
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
        deployment.operator().cancel(past);
        awaitStatus(past, "cancelled");
        List<HistoryEntry> before = deployment.history(past);
        String rollout = created();
        int requested = artifacts.requestCount(); // before anybody can ask
        deployment.operator().start(rollout);

        awaitAtWork(rollout, 0, requested);
        List.of("manifest-1", "manifest-2", "health-1", "health-2").forEach(this::toToday);

        atWork(rollout, 1);
        String led = deployment.leader();
        toToday(deployment.other(led));
        toToday(led);
        assertThat(deployment.leader()).isEqualTo(deployment.other(led));

        atWork(rollout, 2);
        toToday("gateway-1");
        assertThat(deployment.schemas())
                .as("the schemas are today's")
                .containsExactly("gateway 7", "coordinator 29");
        toToday("gateway-2");

        atWork(rollout, 3);
        wayBackAndForth();

        atWork(rollout, 4);
        IntStream.range(0, NODES).forEach(number -> agents.replace(number, TODAY));
        deployment.awaitConnected(NODES);

        artifacts.allow(NODES);
        awaitStatus(rollout, "completed");
        assertThat(deployment.ledger().progress(rollout).succeeded()).isEqualTo(NODES);
        HistoryAssertions.assertThatOf(deployment, rollout);
        assertThat(deployment.history(past)).as("what was written is kept").isEqualTo(before);
        assertEachNodeStartedEachVersionOnce();
    }

    /** The other way round: a gateway, then who leads, on a schema that the next build expanded. */
    private void wayBackAndForth() {
        List<String> newer = deployment.schemas();
        String led = deployment.leader();
        for (String service : List.of("gateway-1", led)) {
            deployment.replace(service, previous);
            deployment.awaitConnected(NODES);
        }
        deployment.replace(deployment.leader(), previous);
        assertThat(deployment.leader()).as("one of the previous build leads").isEqualTo(led);
        for (String service : List.of(deployment.other(led), led, "gateway-1")) {
            toToday(service);
        }
        assertThat(deployment.schemas()).as("nothing is taken back").isEqualTo(newer);
    }

    private void toToday(String service) {
        long started = System.nanoTime();
        deployment.replace(service, TODAY);
        deployment.awaitConnected(NODES);
        System.out.printf(
                "UpgradeOfDroverIT: %s replaced in %d ms%n",
                service, Duration.ofNanos(System.nanoTime() - started).toMillis());
    }

    private String created() {
        return deployment
                .operator()
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
        int requested = artifacts.requestCount();
        artifacts.allow(done);
        awaitAtWork(rollout, done, requested);
    }

    /** The same, when as many had been asked for before. */
    private void awaitAtWork(String rollout, int done, int requested) {
        await().atMost(SOON)
                .failFast(
                        "It has stopped.", () -> deployment.ledger().progress(rollout).hasStopped())
                .until(
                        () ->
                                artifacts.requestCount() > requested
                                        && deployment.ledger().progress(rollout).succeeded()
                                                == done);
    }

    private void awaitStatus(String rollout, String status) {
        await().atMost(SOON).until(() -> deployment.ledger().progress(rollout).hasStopped());
        assertThat(deployment.ledger().progress(rollout).status()).isEqualTo(status);
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
