package drover.gateway.api;

import static drover.gateway.TestAgent.heartbeat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.util.Durations;
import drover.gateway.GatewayFixture;
import drover.gateway.StreamRecorder;
import drover.gateway.TestAgent;
import drover.gateway.Waits;
import drover.model.RefusalCode;
import drover.node.v1.HeartbeatFeedServiceGrpc;
import drover.node.v1.NodeHeartbeat;
import drover.node.v1.SubscribeRequest;
import drover.node.v1.SubscribeResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class HeartbeatFeedGrpcServiceTest {
    @AutoClose
    private final GatewayFixture fixture = GatewayFixture.inProcess(UUID.randomUUID().toString());

    @Test
    void sendsTheLatestHeartbeatAtOnceAndThenEachNewOne() {
        TestAgent agent = fixture.connected("n1");
        agent.send(heartbeat(1, "r", "sha256:1", "v1"));
        long sent = System.nanoTime();
        agent.send(heartbeat(2, "r", "sha256:9", "v9"));
        await().atMost(Waits.LIMIT)
                .until(() -> fixture.node("n1").getPrograms(0).getVersion().equals("v9"));

        Evaluator evaluator = new Evaluator(fixture).adds("n1");
        evaluator.awaitAttempt("n1", 2);
        assertThat(evaluator.heartbeats()).hasSize(1);
        long age = Durations.toNanos(evaluator.heartbeats().getFirst().getAge());
        assertThat(age).isBetween(0L, System.nanoTime() - sent);

        agent.send(heartbeat(3, "r", "sha256:9", "v9"));
        evaluator.awaitAttempt("n1", 3);
    }

    @Test
    void reportsDisconnectedNodesAtOnceAndWithTheSession() {
        TestAgent agent = fixture.connected("n1");
        agent.send(heartbeat(1, "r", "sha256:1", "v1"));
        Evaluator evaluator = new Evaluator(fixture).adds("n1").adds("unknown");
        evaluator.awaitAttempt("n1", 1);
        evaluator.received.awaitMessage(
                response -> response.getDisconnectedList().contains("unknown"));

        agent.hangsUp();

        evaluator.received.awaitMessage(response -> response.getDisconnectedList().contains("n1"));
    }

    @Test
    void aNewSessionDoesNotInheritTheHeartbeatOfTheOld() {
        TestAgent agent = fixture.connected("n1");
        agent.send(heartbeat(1, "r", "sha256:5", "v5"));
        await().atMost(Waits.LIMIT)
                .until(() -> fixture.node("n1").getPrograms(0).getVersion().equals("v5"));
        TestAgent second =
                TestAgent.connect(fixture.agents, GatewayFixture.token("n1"))
                        .send(TestAgent.hello(2, 1));
        var _ = second.session();

        Evaluator evaluator = new Evaluator(fixture).adds("n1").adds("unknown");
        evaluator.received.awaitMessage(
                response -> response.getDisconnectedList().contains("unknown"));

        assertThat(evaluator.heartbeats()).isEmpty();
    }

    @Test
    void aNodeThatIsRemovedIsNotSpokenOf() {
        TestAgent agent = fixture.connected("n1");
        TestAgent other = fixture.connected("n2");
        Evaluator evaluator = new Evaluator(fixture).adds("n1").adds("n2").removes("n1");
        evaluator.adds("unknown");
        evaluator.received.awaitMessage(
                response -> response.getDisconnectedList().contains("unknown"));

        agent.send(heartbeat(4, "r", "d", "v4"));
        await().atMost(Waits.LIMIT)
                .until(() -> fixture.node("n1").getPrograms(0).getVersion().equals("v4"));
        other.send(heartbeat(4, "r", "d", "v4"));

        evaluator.awaitAttempt("n2", 4);
        assertThat(evaluator.heartbeats()).extracting(NodeHeartbeat::getNodeId).containsOnly("n2");
    }

    @Test
    void refusesAMalformedId() {
        assertThat(new Evaluator(fixture).adds("Not An Id").received.refusal())
                .isEqualTo(RefusalCode.INVALID_FIELD);
    }

    /** An evaluator as the door sees it. */
    private static final class Evaluator {
        private final StreamRecorder<SubscribeRequest, SubscribeResponse> received =
                StreamRecorder.reading();
        private final StreamObserver<SubscribeRequest> requests;

        Evaluator(GatewayFixture fixture) {
            requests = HeartbeatFeedServiceGrpc.newStub(fixture.internal).subscribe(received);
        }

        Evaluator adds(String node) {
            requests.onNext(SubscribeRequest.newBuilder().addAdd(node).build());
            return this;
        }

        Evaluator removes(String node) {
            requests.onNext(SubscribeRequest.newBuilder().addRemove(node).build());
            return this;
        }

        List<NodeHeartbeat> heartbeats() {
            return received.received().stream()
                    .flatMap(s -> s.getHeartbeatsList().stream())
                    .toList();
        }

        void awaitAttempt(String node, long attempt) {
            await().atMost(Waits.LIMIT)
                    .until(
                            () ->
                                    heartbeats().stream()
                                            .anyMatch(
                                                    beat ->
                                                            beat.getNodeId().equals(node)
                                                                    && beat.getHeartbeat()
                                                                                    .getAttempt()
                                                                            == attempt));
        }
    }
}
