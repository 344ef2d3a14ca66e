package drover.gateway;

import static drover.agent.v1.AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS;
import static drover.gateway.TestAgent.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptStatus;
import drover.agent.v1.ConnectRequest;
import drover.gateway.api.AgentGrpcService;
import drover.gateway.api.IdleAndActiveIntervals;
import drover.gateway.engine.GatewayMetrics;
import drover.gateway.engine.TaskScheduler;
import drover.gateway.engine.credential.RevocationMonitor;
import drover.gateway.engine.session.NodeChange;
import drover.gateway.engine.session.NodeChangeListener;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.session.MaxConnectionAge;
import drover.gateway.session.NodeIdentity;
import drover.gateway.store.InMemoryCredentialStore;
import drover.gateway.store.InMemoryNodeStore;
import drover.kit.grpc.Address;
import drover.kit.grpc.StreamRateLimiter;
import drover.kit.telemetry.Metrics;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** I3, I4: what the gateway has no time for stays on the agent's side. */
@Faults(rule = "I4 (a flood affects no other agent)", sample = "AbuseIT.pingsWithoutEnd")
class BackpressureIT {
    private static final NodeId NODE = new NodeId("n1");
    private static final int WINDOW = 64 * 1024; // --max-unread
    private static final int MANY = 10_000; // 40 MB
    private static final String LOG = "x".repeat(4 * 1024);
    private static final Duration NOTHING_COMES = Duration.ofSeconds(2);

    private final CountDownLatch goesOn = new CountDownLatch(1);
    private final SessionTable table = new SessionTable(System::nanoTime);
    private final TaskScheduler ticker = new TaskScheduler();
    private AgentEndpoints endpoints;

    @BeforeEach
    void openEndpointThatBlocksAtTheFirstStatus() {
        InMemoryNodeStore nodes = new InMemoryNodeStore(InstantSource.system());
        InMemoryCredentialStore both = new InMemoryCredentialStore(nodes, InstantSource.system());
        nodes.register(
                new NodeIdentity(
                        NODE, new ChainProfileId("testchain"), new NodeType("full"), Map.of()),
                Digest.of(GatewayFixture.token(NODE.value())));
        table.watch(new BlockingListener());
        GatewayStores memory = new GatewayStores(nodes, both, both);
        AgentEndpoints.Authenticators books = AgentEndpoints.Authenticators.of(memory);
        Duration beat = Duration.ofSeconds(30);
        endpoints =
                new AgentEndpoints(
                        new NodeGatewayConfig(
                                "gateway-1",
                                new Address.Tcp("127.0.0.1", 0),
                                new Address.InProcess("nobody"),
                                "",
                                beat,
                                beat),
                        service(books.newRevocationMonitor(memory, table), beat),
                        memory,
                        books,
                        Optional.empty(),
                        new GatewayMetrics(Metrics.open()));
    }

    private AgentGrpcService service(RevocationMonitor revocations, Duration beat) {
        return new AgentGrpcService(
                table,
                ticker,
                revocations,
                new IdleAndActiveIntervals(beat, beat),
                new MaxConnectionAge(Duration.ofMinutes(45)),
                InstantSource.system(),
                StreamRateLimiter.Limits.STANDARD);
    }

    /** For any reason there may be: a collection, a lock, a processor that others have. */
    private final class BlockingListener implements NodeChangeListener {
        @Override
        public void nodeChanged(NodeId node, NodeChange change) {
            if (change == NodeChange.STATUS && table.snapshot(node).status().isPresent()) {
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @AfterEach
    void closeIt() {
        goesOn.countDown();
        endpoints.close();
        ticker.close();
    }

    @Test
    @DisplayName("An agent that floods a gateway which stands still has said 64 KiB and waits")
    void whatIsNotTakenStaysWithTheAgent() throws IOException {
        try (RawAgent flooding = RawAgent.connect(endpoints.agentPort(), NODE.value())) {
            flooding.waitsFor(NOTHING_COMES);
            int sequence = 1;
            while (sequence < MANY && flooding.trySend(statusOf(sequence))) {
                sequence++;
            }

            assertThat(flooding.sentCount())
                    .isGreaterThan(WINDOW / 2)
                    .isLessThanOrEqualTo(2L * WINDOW);

            goesOn.countDown();
            int received = sequence - 1; // of the last one a part is on its way
            await().atMost(Waits.LIMIT)
                    .until(
                            () ->
                                    table.snapshot(NODE)
                                            .status()
                                            .filter(slot -> slot.sequence() == received)
                                            .isPresent());
        }
    }

    private static ConnectRequest statusOf(int sequence) {
        AttemptStatus status =
                status(1, sequence, ATTEMPT_OUTCOME_IN_PROGRESS).toBuilder()
                        .setLogTail(LOG)
                        .build();
        return ConnectRequest.newBuilder().setStatus(status).build();
    }
}
