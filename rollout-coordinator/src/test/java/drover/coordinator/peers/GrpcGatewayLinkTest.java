package drover.coordinator.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.coordinator.peers.GatewayLink.Delivery;
import drover.coordinator.peers.GatewayLink.PresentNode;
import drover.coordinator.peers.GatewayLink.ReportedNode;
import drover.coordinator.plan.SampleRollout;
import drover.kit.grpc.Address;
import drover.kit.grpc.GrpcHost;
import drover.model.NodeId;
import drover.node.v1.AttachRequest;
import drover.node.v1.AttachResponse;
import drover.node.v1.GatewayControlServiceGrpc;
import drover.node.v1.NodeStatus;
import drover.node.v1.Statuses;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GrpcGatewayLinkTest {
    private static final String ADDRESS = "in-process:gateway-link-test";
    private static final int NODES = 20;

    private final Queue<AttachRequest> received = new ConcurrentLinkedQueue<>();
    private final Queue<ReportedNode> reported = new ConcurrentLinkedQueue<>();

    @Test
    @DisplayName("A12: a withdrawal is heard although its agent knows no rollout; 4 MiB a message")
    void hearsWithdrawalsAndKeepsMessagesSmall() throws Exception {
        try (GrpcHost gateway =
                        GrpcHost.plan().serve(new Gateway()).listen(Address.parse(ADDRESS));
                GatewayLink link = GrpcGatewayLink.attach(ADDRESS, 1, "leader", new Hearing())) {
            assertThat(gateway).isNotNull();
            link.send(largeCommands());
            await().until(() -> delivered() == NODES);
            await().until(() -> !reported.isEmpty());
        }
        assertThat(received)
                .allSatisfy(
                        message ->
                                assertThat(message.getSerializedSize())
                                        .isLessThanOrEqualTo(4 * 1024 * 1024));
        assertThat(reported).singleElement().extracting(ReportedNode::rollout).isNull();
    }

    private int delivered() {
        return received.stream().mapToInt(m -> m.getSend().getDeliveriesCount()).sum();
    }

    /** Each with as many contents as a node may have. */
    private static List<Delivery> largeCommands() {
        List<Delivery> commands = new ArrayList<>();
        for (int i = 1; i <= NODES; i++) {
            NodeId node = SampleRollout.node("demo", i);
            commands.add(
                    new Delivery.Command(
                            node,
                            "session",
                            false,
                            1,
                            "",
                            new byte[0],
                            Map.of("sha256:x", new byte[512 * 1024])));
        }
        return commands;
    }

    private final class Gateway extends GatewayControlServiceGrpc.GatewayControlServiceImplBase {
        @Override
        public StreamObserver<AttachRequest> attach(StreamObserver<AttachResponse> leader) {
            AttemptStatus withdrawn =
                    AttemptStatus.newBuilder()
                            .setAttempt(1)
                            .setSequence(1)
                            .setOutcome(AttemptOutcome.ATTEMPT_OUTCOME_WITHDRAWN)
                            .build();
            NodeStatus status =
                    NodeStatus.newBuilder().setNodeId("demo-00001").setStatus(withdrawn).build();
            leader.onNext(
                    AttachResponse.newBuilder()
                            .setStatuses(Statuses.newBuilder().addStatuses(status))
                            .build());
            return new StreamObserver<>() {
                @Override
                public void onNext(AttachRequest message) {
                    received.add(message);
                }

                @Override
                public void onError(Throwable failure) {}

                @Override
                public void onCompleted() {}
            };
        }
    }

    private final class Hearing implements GatewayLink.Events {
        @Override
        public void opened() {}

        @Override
        public void present(List<PresentNode> nodes) {}

        @Override
        public void gone(List<NodeId> nodes) {}

        @Override
        public void reports(List<ReportedNode> reports) {
            reported.addAll(reports);
        }

        @Override
        public void snapshotEnd(long revision) {}

        @Override
        public void closed(boolean stale) {}
    }
}
