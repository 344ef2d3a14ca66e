package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.fleet.BenchNode.BenchRelease;
import drover.coordinator.Faults;
import drover.coordinator.election.EtcdServer;
import drover.coordinator.store.check.ObservationChecker.AttemptStatusRecord;
import drover.coordinator.store.check.ObservationChecker.ResponseOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What elects is lost while a rollout is in flight: all that etcd knows, or its quorum. Epochs are
 * PostgreSQL's, so that whoever leads next fences everybody before; and a lease that cannot be
 * renewed ends. All are real processes.
 */
@DisplayName("B2 B9: what elects is lost, and the rollout goes on under higher epochs")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
@SuppressWarnings("NullAway.Init") // the mesh is there before any test
class EtcdLossIT {
    private static final int NODES = 2;
    private static final Duration SOON = Duration.ofMinutes(3); // a busy machine

    /**
     * Without a quorum, once a node is ready: a leader needs some 5 s to give the next its work.
     */
    private static final Duration LEADERLESS = Duration.ofSeconds(8);

    private FaultInjectedDeployment deployment;
    private RetryingClient client;
    private FenceMonitor fence;
    private final Map<String, BenchRelease> targets = new HashMap<>();
    private BenchRelease next = BenchRelease.V1;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        deployment =
                new FaultInjectedDeployment(folder, NODES, FaultInjectedDeployment.Election.ETCD);
        client = new RetryingClient(deployment.endpoints());
        fence = FenceMonitor.start(deployment.pool());
    }

    @AfterAll
    void close() {
        if (client != null) {
            client.close();
        }
        if (deployment != null) {
            deployment.close();
        }
    }

    @Test
    @DisplayName("B2: etcd is wiped, and later restored from before: epochs only grow")
    @Faults(
            rule = "B2 (epochs only grow, also after etcd was restored from an older state)",
            sample = "FenceIT.aBusyOldLeaderWritesNothingAfterItsSuccessorTookOver")
    void etcdIsWipedAndThenRestoredFromBefore() throws IOException {
        String rollout = started();
        await().atMost(SOON)
                .until(
                        () ->
                                deployment.record().reported().stream()
                                        .anyMatch(AttemptStatusRecord::open));
        restartEmpty(EtcdServer::setAside);
        await().atMost(SOON).until(() -> deployment.ledger().progress(rollout).succeeded() >= 1);
        assertThat(deployment.ledger().progress(rollout).hasStopped())
                .as("one node done")
                .isFalse();
        restartEmpty(EtcdServer::restore);
        finish(rollout);
    }

    /** All members end, something becomes of what they know, and all are started again. */
    private void restartEmpty(Knowledge knowledge) {
        List<EtcdServer> members = deployment.members();
        members.forEach(EtcdServer::kill);
        long before = deployment.record().epoch();
        int terms = fence.epochs().size();
        members.forEach(knowledge::becomes);
        long startedNanos = System.nanoTime();
        members.forEach(EtcdServer::start);
        await().atMost(SOON).until(() -> fence.epochs().size() > terms);
        System.out.printf(
                "EtcdLossIT: etcd came up anew: somebody leads %d ms later%n",
                (System.nanoTime() - startedNanos) / 1_000_000);
        assertThat(fence.epochs().get(terms)).as("of whoever leads now").isGreaterThan(before);
    }

    private interface Knowledge {
        void becomes(EtcdServer member);
    }

    @Test
    @DisplayName("B9: without a quorum a node's upgrade ends, and nothing is dispatched or decided")
    @Faults(
            rule = "B9 (without a quorum of etcd no new leader is elected)",
            sample = "EtcdElectorIT.aCandidateLivesWithoutOneMemberAndNotWithoutTwo")
    void withoutAQuorumWhatRunsEndsAndNothingElseStarts() throws IOException {
        deployment.holdDownloads();
        String rollout = started();
        BenchRelease target = next;
        await().atMost(SOON)
                .until(() -> deployment.record().reported().stream().anyMatch(EtcdLossIT::runs));
        long epoch = deployment.record().epoch();
        List<EtcdServer> two = deployment.members().subList(1, 3);
        two.forEach(EtcdServer::kill);
        Instant leaseEnds = deployment.record().now().plus(FaultInjectedDeployment.TTL);

        await().atMost(SOON).until(() -> deployment.record().now().isAfter(leaseEnds));
        deployment.allowDownloads();
        await().atMost(SOON).until(() -> deployment.ledger().nodesRunning(target) == 1);
        await().pollDelay(LEADERLESS).atMost(SOON).until(() -> true);

        assertThat(deployment.record().epoch()).as("nobody else leads").isEqualTo(epoch);
        assertThat(deployment.record().dispatchedAfter(leaseEnds)).as("dispatched").isZero();
        assertThat(deployment.record().decidedAfter(leaseEnds)).as("decided").isZero();
        assertThat(deployment.ledger().nodesRunning(target))
                .as("nodes that are upgraded")
                .isEqualTo(1);
        two.forEach(EtcdServer::start);
        finish(rollout);
        assertThat(deployment.record().epoch()).as("of whoever leads now").isGreaterThan(epoch);
    }

    /** Whether its node has begun, and has not ended. */
    private static boolean runs(AttemptStatusRecord attempt) {
        return attempt.open() && attempt.sequence() > 0;
    }

    private String started() {
        String rollout = client.create(next);
        next = next.other();
        targets.put(rollout, next);
        assertThat(client.start(rollout)).isEqualTo(ResponseOutcome.APPLIED);
        return rollout;
    }

    private void finish(String rollout) throws IOException {
        await().atMost(SOON).until(() -> deployment.ledger().progress(rollout).hasStopped());
        assertThat(deployment.ledger().progress(rollout).status()).isEqualTo("completed");
        assertThat(fence.epochs()).as("B2").isSorted().doesNotHaveDuplicates();
        assertThat(fence.breaches()).as("B1").isEmpty();
        new ConsistencyCheck(deployment, client, NODES).assertSound(targets);
    }
}
