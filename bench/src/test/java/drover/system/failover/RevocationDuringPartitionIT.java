package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.fleet.BenchNode.BenchRelease;
import drover.coordinator.Faults;
import drover.coordinator.Waits;
import drover.coordinator.store.check.ObservationChecker.ResponseOutcome;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.kit.grpc.Address;
import drover.node.v1.NodeServiceGrpc;
import drover.node.v1.RevokeNodeRequest;
import drover.system.fault.NetworkPath;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node is revoked while its gateway has lost its way to PostgreSQL, and so cannot know: its
 * stream stays open, and the leader hears of it as before. All are real processes.
 */
@DisplayName("H3 A7: a gateway that cannot look is not believed about who may speak")
@Faults(
        rule = "H3 (a revoked node gets no further command)",
        sample = "BlockedNodeReportFilterIT.nodeRevokedAtAnUnwatchedGatewayIsOffline")
class RevocationDuringPartitionIT {
    private static final int NODES = 6;
    private static final Duration SOON = Duration.ofMinutes(3); // a busy machine

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
    @Timeout(600)
    void itsOtherNodesAreUpgradedAndTheRevokedOneIsNot() throws IOException {
        String gateway =
                deployment.record().connected("gateway-1") > NODES / 2 ? "gateway-1" : "gateway-2";
        List<String> there = deployment.record().connectedTo(gateway);
        assertThat(there).as("half of all, at the least").hasSizeGreaterThanOrEqualTo(NODES / 2);
        deployment.links().of(new NetworkPath(gateway, NetworkPath.POSTGRES)).cut();
        await().atMost(SOON).until(() -> !deployment.record().isRegistered(gateway));

        String revoked = there.getLast();
        revoke(revoked);
        String rollout = client.create(BenchRelease.V1);
        assertThat(client.start(rollout)).isEqualTo(ResponseOutcome.APPLIED);
        await().atMost(SOON)
                .until(() -> deployment.ledger().progress(rollout).succeeded() >= NODES - 1);
        assertThat(client.cancel(rollout)).isEqualTo(ResponseOutcome.APPLIED);
        await().atMost(SOON)
                .until(() -> deployment.ledger().progress(rollout).status().equals("cancelled"));

        assertThat(moves(rollout, revoked)).as("never assigned").isEmpty();
        assertThat(there)
                .filteredOn(node -> !node.equals(revoked))
                .allSatisfy(node -> assertThat(moves(rollout, node)).endsWith("succeeded"));
        new ConsistencyCheck(deployment, client, NODES, Set.of(revoked))
                .assertSound(Map.of(rollout, BenchRelease.V2));
    }

    private void revoke(String node) {
        ManagedChannel endpoint =
                DeploymentSecurity.plaintext()
                        .connectToCoordinator(Address.parse(deployment.endpoints().getFirst()));
        try {
            var _ =
                    NodeServiceGrpc.newBlockingStub(endpoint)
                            .withDeadlineAfter(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)
                            .revokeNode(
                                    RevokeNodeRequest.newBuilder()
                                            .setNodeId(node)
                                            .setReason("Its disk was stolen.")
                                            .build());
        } finally {
            endpoint.shutdownNow();
        }
        assertThat(deployment.record().blocked()).containsExactly(node);
    }

    /** What became of a node, as it is written down. */
    private List<String> moves(String rollout, String node) {
        return deployment.record().history(rollout).stream()
                .filter(row -> row.subject().equals("node") && row.node().equals(node))
                .map(HistoryEntry::to)
                .toList();
    }
}
