package drover.system.telemetry;

import static drover.system.telemetry.OtlpCollector.id;
import static drover.system.telemetry.OtlpCollector.parent;
import static drover.system.telemetry.OtlpCollector.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.gateway.Faults;
import drover.localenv.DataDirectory;
import drover.localenv.RunningDeployment;
import drover.system.fixture.DroverProcess;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A rollout is one trace, received over OTLP as a collector does: also across {@code kill -9}. */
@Timeout(600)
class TraceIT {
    private static final int NODES = 4;
    private static final Duration SOON = Waits.LIMIT; // measured 1–4 s
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    /**
     * Statuses travel, and the leader's clock is read over a socket: not exact to the millisecond.
     */
    private static final long SLACK_NANOS = Duration.ofSeconds(1).toNanos();

    private static final String GREETERS =
            """
            {"chain_profile_id": "harbour", "node_type": "edge", "upgrade_id": "greeter-v2",
             "source_version": "v1", "strategy": "rolling", "batch_size": %d, "health_wait_duration": "1s"}""";

    private static final List<String> ACTIONS =
            List.of(
                    "backup_state",
                    "acquire_artifact",
                    "verify_artifact",
                    "stop_node",
                    "install_artifact",
                    "write_configs",
                    "reload_daemon",
                    "start_node");

    @TempDir Path folder;

    @AutoClose private OtlpCollector collector;

    @BeforeEach
    void openTheCollector() throws IOException {
        FullBuildAssumption.requireEverything();
        collector = OtlpCollector.open();
    }

    @Test
    void aRolloutIsOneTraceOfBatchesNodesAndActionsAndSoIsItsRollback() throws IOException {
        try (TestDeployment deployment =
                TestDeployment.traced(folder.resolve("mesh"), NODES, collector.environment())) {
            String rollout = deployment.started(GREETERS.formatted(2));
            JsonNode ended = deployment.awaitStill(rollout, "completed");
            await().atMost(SOON).until(() -> collector.named("rollout").size() == 1);
            assertThat(traceIds()).containsExactly(ended.at("/trace_id").asString());
            assertThat(collector.named("batch")).hasSize(2);
            assertThat(collector.named("node")).hasSize(NODES);
            ACTIONS.forEach(
                    action -> assertThat(collector.named(action)).as(action).hasSize(NODES));
            Map<String, Span> byId = identicalById();
            assertThat(orphans(byId)).isEmpty();
            byId.values().forEach(span -> assertIsWithinItsParent(span, byId));

            deployment.request(rollout, "rollback");
            deployment.awaitStill(rollout, "rolled_back");
            await().atMost(SOON).until(() -> collector.named("rollback").size() == 1);
            assertThat(collector.named("node")).hasSize(2 * NODES);
            assertThat(traceIds()).hasSize(1);
            assertThat(orphans(identicalById())).isEmpty();
            Files.writeString(Path.of("target", "trace.txt"), collector.waterfall()); // to look at
        }
    }

    @Test
    @DisplayName("killed with kill -9 in mid-rollout, the trace goes on under the same ids")
    @Faults(
            rule = "S0-100 (one trace over rollout, batch, node and action)",
            sample = "TraceIT.aRolloutIsOneTraceOfBatchesNodesAndActionsAndSoIsItsRollback")
    void theTraceGoesOnAfterAKill() throws Exception {
        DataDirectory data = new DataDirectory(folder.resolve("mesh"));
        String rollout;
        try (DroverProcess first = up(data);
                RestClient rest = RestClient.of(deployment(data, first), data)) {
            RestClient.Answer created = rest.post("/api/v1/rollouts", GREETERS.formatted(1));
            assertThat(created.status()).as("%s", created).isEqualTo(201);
            rollout = created.text("/rollout/id");
            rest.post("/api/v1/rollouts/" + rollout + "/start", "{}");
            await().atMost(TIMEOUT).until(() -> !collector.named("node").isEmpty());
            assertThat(collector.named("rollout")).as("it goes on").isEmpty();
        } // killed
        RunningDeployment.delete(data.runningDeploymentFile());
        try (DroverProcess second = up(data);
                RestClient rest = RestClient.of(deployment(data, second), data)) {
            await().atMost(TIMEOUT).until(() -> !collector.named("rollout").isEmpty());
            assertThat(rest.get("/api/v1/rollouts/" + rollout).text("/rollout/status"))
                    .isEqualTo("completed");
        } finally {
            DroverProcess.run(folder, "down", "--data", data.root().toString());
        }
        assertThat(traceIds()).hasSize(1);
        assertThat(collector.named("batch")).hasSize(NODES);
        assertThat(
                        collector.named("node").stream()
                                .map(span -> text(span, "drover.node.id"))
                                .distinct())
                .hasSize(NODES);
        assertThat(orphans(identicalById())).isEmpty();
    }

    private DroverProcess up(DataDirectory data) throws IOException {
        return DroverProcess.start(
                folder,
                collector.environment(),
                "up",
                "--data",
                data.root().toString(),
                "--nodes=" + NODES,
                "--http-port=0",
                "--grpc-port=0",
                "--agent-port=0");
    }

    private static RunningDeployment deployment(DataDirectory data, DroverProcess process) {
        await().atMost(TIMEOUT)
                .until(
                        () ->
                                RunningDeployment.read(data.runningDeploymentFile()).isPresent()
                                        || !process.isAlive());
        return RunningDeployment.read(data.runningDeploymentFile()).orElseThrow();
    }

    private Set<String> traceIds() {
        return collector.spans().stream().map(OtlpCollector::trace).collect(Collectors.toSet());
    }

    /** What came twice is the same to the last attribute: otherwise two spans have one id. */
    private Map<String, Span> identicalById() {
        return collector.spans().stream()
                .distinct()
                .collect(Collectors.toMap(OtlpCollector::id, Function.identity()));
    }

    private static List<Span> orphans(Map<String, Span> byId) {
        return byId.values().stream()
                .filter(span -> !parent(span).isEmpty() && !byId.containsKey(parent(span)))
                .toList();
    }

    private static void assertIsWithinItsParent(Span span, Map<String, Span> byId) {
        Span above = byId.get(parent(span));
        if (above == null) {
            assertThat(span.getName()).as("the root").isEqualTo("rollout");
            return;
        }
        assertThat(span.getStartTimeUnixNano())
                .as("%s %s begins within %s", span.getName(), id(span), above.getName())
                .isGreaterThanOrEqualTo(above.getStartTimeUnixNano() - SLACK_NANOS);
        assertThat(span.getEndTimeUnixNano())
                .as("%s %s ends within %s", span.getName(), id(span), above.getName())
                .isLessThanOrEqualTo(above.getEndTimeUnixNano() + SLACK_NANOS);
    }
}
