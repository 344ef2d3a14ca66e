package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.fleet.BenchNode.BenchRelease;
import drover.coordinator.Faults;
import drover.coordinator.store.check.ObservationChecker.ResponseOutcome;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.system.fault.NetworkPath;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The health-evaluator of a rollout cannot reach one gateway, and lives. The other one reaches it:
 * it is asked, once and for the whole rollout, and nothing pauses.
 */
@DisplayName("R3: an evaluator that hears nothing of a gateway's nodes is not the last word")
@Faults(
        rule = "R3 (loss of visibility never fails a node)",
        sample = "EvaluatorFailoverTest.isRequestedOnlyAfterAHeartbeatGap")
class EvaluatorPartitionIT {
    private static final int NODES = 3; // so that at least two are at one gateway
    private static final Duration SOON = Duration.ofMinutes(6); // a busy machine, and its pause
    private static final Duration HOLD = Duration.ofSeconds(2);
    private static final String PARTITIONED = "health-1"; // the first of those with nothing to do

    @TempDir Path folder;
    @AutoClose private FaultInjectedDeployment deployment;
    @AutoClose private RetryingClient client;

    @BeforeEach
    void start() throws IOException {
        deployment =
                new FaultInjectedDeployment(folder, NODES, FaultInjectedDeployment.Election.ETCD);
        client = new RetryingClient(deployment.endpoints());
    }

    @Test
    @Timeout(900)
    void reassignsTheEvaluatorAndCompletesTheRollout() throws Exception {
        ConsistencyCheck check = new ConsistencyCheck(deployment, client, NODES);
        String gateway =
                List.of("gateway-1", "gateway-2").stream()
                        .max(Comparator.comparingLong(deployment.record()::connected))
                        .orElseThrow();
        deployment.links().of(new NetworkPath(PARTITIONED, gateway)).cut();
        String rollout = client.create(BenchRelease.V1, HOLD);
        assertThat(client.start(rollout)).isEqualTo(ResponseOutcome.APPLIED);
        await().atMost(SOON).until(() -> deployment.ledger().progress(rollout).hasStopped());

        assertThat(deployment.ledger().progress(rollout).status()).isEqualTo("completed");
        assertThat(moves()).as("for the whole rollout").isEqualTo(1);
        System.out.printf(
                "EvaluatorPartitionIT: %d nodes, one gateway unheard: %d ms from start to end%n",
                NODES, took(deployment.record().history(rollout)).toMillis());
        check.assertSound(Map.of(rollout, BenchRelease.V2));
    }

    private long moves() {
        return List.of("coordinator-1", "coordinator-2").stream()
                .flatMap(each -> deployment.programs().log(each).stream())
                .filter(line -> line.contains("another health-evaluator is asked"))
                .count();
    }

    private static Duration took(List<HistoryEntry> history) {
        Instant started =
                history.stream()
                        .filter(row -> row.subject().equals("rollout"))
                        .filter(row -> row.to().equals("running"))
                        .map(HistoryEntry::at)
                        .findFirst()
                        .orElseThrow();
        return Duration.between(started, history.getLast().at());
    }
}
