package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.fleet.BenchNode.BenchRelease;
import drover.coordinator.Faults;
import drover.coordinator.store.check.ObservationChecker.ResponseOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two coordinators that are both told, always, that they are elected, over gateways and a fleet.
 * They take the fence from each other all the time; a rollout is finished nevertheless, each node
 * is upgraded once, and nobody decides anything while the other one may.
 */
@DisplayName("B1 B3 C1: of two that are both told to lead, one decides at a time")
@Faults(
        rule = "B3 (two leaders at the same time cause no duplicate effect)",
        sample = "LeaderTermIT.theOlderOfTwoTermsStepsDown")
class SplitBrainIT {
    private static final int NODES = 3;
    private static final int CHANGES = 4; // as often has somebody else taken over, at the least
    private static final Duration SOON = Duration.ofMinutes(4); // a busy machine
    private static final Duration FROZEN = Duration.ofSeconds(2); // a term of the other, and more

    @TempDir Path folder;
    @AutoClose private FaultInjectedDeployment deployment;
    @AutoClose private RetryingClient client;

    @BeforeEach
    void start() throws IOException {
        deployment =
                new FaultInjectedDeployment(
                        folder, NODES, FaultInjectedDeployment.Election.BOTH_ALWAYS);
        client = new RetryingClient(deployment.endpoints());
    }

    @Test
    @Timeout(900)
    void aRolloutIsFinishedByTwoWhoTakeTheFenceFromEachOther() throws Exception {
        ConsistencyCheck check = new ConsistencyCheck(deployment, client, NODES);
        FenceMonitor fence = FenceMonitor.start(deployment.pool());
        String rollout = client.create(BenchRelease.V1);
        assertThat(client.start(rollout)).isEqualTo(ResponseOutcome.APPLIED);
        await().atMost(SOON).until(() -> deployment.ledger().progress(rollout).succeeded() >= 1);
        String frozen = deployment.record().leader();
        deployment.programs().signal(frozen, "STOP"); // and it wakes as one who is told to lead
        await().pollDelay(FROZEN).atMost(SOON).until(() -> true);
        deployment.programs().signal(frozen, "CONT");
        await().atMost(SOON).until(() -> deployment.ledger().progress(rollout).hasStopped());
        await().atMost(SOON).until(() -> fence.changes() >= CHANGES);

        assertThat(deployment.ledger().progress(rollout).status()).isEqualTo("completed");
        assertThat(fence.deciders()).containsExactlyInAnyOrder("coordinator-1", "coordinator-2");
        assertThat(fence.breaches()).isEmpty();
        check.assertSound(Map.of(rollout, BenchRelease.V2));
    }
}
