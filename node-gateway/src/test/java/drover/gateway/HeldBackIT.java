package drover.gateway;

import static drover.agent.v1.AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS;
import static drover.gateway.TestAgent.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptStatus;
import drover.agent.v1.ConnectRequest;
import drover.gateway.api.AgentDoor;
import drover.gateway.api.HeartbeatPace;
import drover.gateway.engine.Change;
import drover.gateway.engine.GatewayMetrics;
import drover.gateway.engine.NodeWatcher;
import drover.gateway.engine.RevocationWatch;
import drover.gateway.engine.SessionTable;
import drover.gateway.engine.Ticker;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.StreamAge;
import drover.gateway.store.InMemoryIdentityStore;
import drover.gateway.store.InMemoryNodeStore;
import drover.kit.grpc.Address;
import drover.kit.grpc.StreamRate;
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
class HeldBackIT {
    private static final NodeId NODE = new NodeId("n1");
    private static final int WINDOW = 64 * 1024; // --max-unread
    private static final int MANY = 10_000; // 40 MB
    private static final String LOG = "x".repeat(4 * 1024);
    private static final Duration NOTHING_COMES = Duration.ofSeconds(2);

    private final CountDownLatch goesOn = new CountDownLatch(1);
    private final SessionTable table = new SessionTable(System::nanoTime);
    private final Ticker ticker = new Ticker();
    private AgentDoors doors;

    @BeforeEach
    void openADoorThatStandsStillAtTheFirstStatus() {
        InMemoryNodeStore nodes = new InMemoryNodeStore(InstantSource.system());
        InMemoryIdentityStore both = new InMemoryIdentityStore(nodes, InstantSource.system());
        nodes.register(
                new NodeIdentity(
                        NODE, new ChainProfileId("testchain"), new NodeType("full"), Map.of()),
                Digest.of(GatewayFixture.token(NODE.value())));
        table.watch(new StandsStill());
        Memory memory = new Memory(nodes, both, both);
        AgentDoors.Books books = AgentDoors.Books.of(memory);
        Duration beat = Duration.ofSeconds(30);
        doors =
                new AgentDoors(
                        new NodeGatewayConfig(
                                "gateway-1",
                                new Address.Tcp("127.0.0.1", 0),
                                new Address.InProcess("nobody"),
                                "",
                                beat,
                                beat),
                        service(books.watch(memory, table), beat),
                        memory,
                        books,
                        Optional.empty(),
                        new GatewayMetrics(Metrics.open()));
    }

    private AgentDoor service(RevocationWatch revocations, Duration beat) {
        return new AgentDoor(
                table,
                ticker,
                revocations,
                new HeartbeatPace(beat, beat),
                new StreamAge(Duration.ofMinutes(45)),
                InstantSource.system(),
                StreamRate.Limits.STANDARD);
    }

    /** For any reason there may be: a collection, a lock, a processor that others have. */
    private final class StandsStill implements NodeWatcher {
        @Override
        public void changed(NodeId node, Change change) {
            if (change == Change.STATUS && table.view(node).status().isPresent()) {
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
        doors.close();
        ticker.close();
    }

    @Test
    @DisplayName("An agent that floods a gateway which stands still has said 64 KiB and waits")
    void whatIsNotTakenStaysWithTheAgent() throws IOException {
        try (RawAgent flooding = RawAgent.dial(doors.port(), NODE.value())) {
            flooding.waitsFor(NOTHING_COMES);
            int sequence = 1;
            while (sequence < MANY && flooding.says(said(sequence))) {
                sequence++;
            }

            assertThat(flooding.said()).isGreaterThan(WINDOW / 2).isLessThanOrEqualTo(2L * WINDOW);

            goesOn.countDown();
            int heard = sequence - 1; // of the last one a part is on its way
            await().atMost(Waits.LIMIT)
                    .until(
                            () ->
                                    table.view(NODE)
                                            .status()
                                            .filter(slot -> slot.sequence() == heard)
                                            .isPresent());
        }
    }

    private static ConnectRequest said(int sequence) {
        AttemptStatus status =
                status(1, sequence, ATTEMPT_OUTCOME_IN_PROGRESS).toBuilder()
                        .setLogTail(LOG)
                        .build();
        return ConnectRequest.newBuilder().setStatus(status).build();
    }
}
