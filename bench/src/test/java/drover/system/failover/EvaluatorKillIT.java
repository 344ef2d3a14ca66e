package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.fleet.BenchNode.BenchRelease;
import drover.coordinator.Faults;
import drover.coordinator.store.check.ObservationChecker.ResponseOutcome;
import drover.coordinator.store.rollout.HistoryEntry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The health-evaluator that watches a node is killed near the end of the node's hold. Nodes count
 * themselves how long they are well, so the other one says so when the hold is over: a heartbeat
 * later than it would have been, and not a hold.
 */
@DisplayName("F3: a hold survives its health-evaluator, and costs a heartbeat")
@Faults(
        rule = "F3 (no data is not healthy)",
        sample = "EvaluatorOutageTest.succeedsAtMostTwoHeartbeatsLate")
class EvaluatorKillIT {
    private static final Duration SOON = Duration.ofMinutes(2); // a busy machine
    private static final Duration HOLD = Duration.ofSeconds(30);

    private static final Duration NEAR_ITS_END = Duration.ofSeconds(24); // when it is killed

    /** End of a hold that starts again when the evaluator is killed. */
    private static final Duration RESTARTED = NEAR_ITS_END.plus(HOLD);

    private static final String WATCHES = "drover_evaluator_watches ";

    @TempDir Path folder;
    @AutoClose private ReplicatedDeployment deployment;
    @AutoClose private RetryingClient client;

    @BeforeEach
    void start() throws IOException {
        deployment = new ReplicatedDeployment(folder, 1, FastHeartbeatGatewayMain.class);
        client = new RetryingClient(deployment.coordinators());
    }

    @Test
    @Timeout(600)
    void nextLeaderContinuesTheHold() throws Exception {
        String rollout = client.create(BenchRelease.V1, HOLD);
        assertThat(client.start(rollout)).isEqualTo(ResponseOutcome.APPLIED);
        Instant startedAt = awaited(() -> became(rollout, "settling"));
        long seen = System.nanoTime();
        String watching = awaited(this::watching);
        Duration left = NEAR_ITS_END.minusNanos(System.nanoTime() - seen);
        await().pollDelay(left.isNegative() ? Duration.ZERO : left).atMost(SOON).until(() -> true);
        assertThat(became(rollout, "succeeded")).as("in the middle of its hold").isEmpty();
        deployment.kill(watching);
        await().atMost(SOON).until(() -> deployment.ledger().progress(rollout).hasStopped());
        assertThat(deployment.ledger().progress(rollout).status()).isEqualTo("completed");

        Duration took =
                Duration.between(startedAt, became(rollout, "succeeded").orElse(Instant.MAX));
        System.out.printf(
                "EvaluatorKillIT: a hold of %d ms, whose evaluator was killed, took %d ms%n",
                HOLD.toMillis(), took.toMillis());
        assertThat(took).isLessThan(RESTARTED);
        ConsistencyCheck check = new ConsistencyCheck(deployment, client, 1);
        check.assertSound(Map.of(rollout, BenchRelease.V2));
    }

    private static <T> T awaited(Callable<Optional<T>> what) {
        return await().atMost(SOON).until(what, Optional::isPresent).orElseThrow();
    }

    private Optional<Instant> became(String rollout, String state) {
        return deployment.history(rollout).stream()
                .filter(row -> row.subject().equals("node") && row.to().equals(state))
                .map(HistoryEntry::at)
                .findFirst();
    }

    /** The one that the leader chose, as its metrics say. */
    private Optional<String> watching() {
        return List.of("health-1", "health-2").stream()
                .filter(each -> watches(each) > 0)
                .findFirst();
    }

    private double watches(String evaluator) {
        try (HttpClient http = HttpClient.newHttpClient()) {
            URI metrics = URI.create("http://" + deployment.metricsOf(evaluator) + "/metrics");
            return http.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(WATCHES))
                    .mapToDouble(line -> Double.parseDouble(line.substring(WATCHES.length())))
                    .sum();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
