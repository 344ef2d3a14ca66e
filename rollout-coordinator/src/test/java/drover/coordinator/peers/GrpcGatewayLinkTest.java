package drover.coordinator.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.StopAgent;
import drover.coordinator.Waits;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.plan.SampleRollout;
import drover.kit.grpc.Address;
import drover.kit.grpc.ChannelFactory;
import drover.kit.grpc.GrpcServer;
import drover.model.Digest;
import drover.model.NodeId;
import drover.node.v1.AttachRequest;
import drover.node.v1.AttachResponse;
import drover.node.v1.GatewayControlServiceGrpc;
import drover.node.v1.IdentityMismatches;
import drover.node.v1.NodeStatus;
import drover.node.v1.Statuses;
import drover.trust.release.CommandAuthorization;
import drover.trust.release.CommandAuthorization.SignedMessageKind;
import drover.trust.release.CommandVerifier;
import drover.trust.release.Quorum;
import drover.trust.release.Root;
import drover.trust.release.SigningKey;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GrpcGatewayLinkTest {
    private static final String ADDRESS = "in-process:gateway-link-test";
    private static final int NODES = 20;
    private static final SigningKey ANN = SigningKey.create();
    private static final SigningKey ONLINE = SigningKey.create();
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    private final Queue<AttachRequest> received = new ConcurrentLinkedQueue<>();
    private final Queue<ReportedStatus> reported = new ConcurrentLinkedQueue<>();
    private final Queue<Set<NodeId>> misplaced = new ConcurrentLinkedQueue<>();

    @Test
    @DisplayName(
            "A12: a withdrawal is received although its agent knows no rollout; 4 MiB a message")
    void receivesWithdrawalsInSmallMessages() throws Exception {
        try (GrpcServer gateway =
                        GrpcServer.builder()
                                .addService(new Gateway())
                                .listen(Address.parse(ADDRESS));
                GatewayLink link = attach(CommandSigner.NONE)) {
            assertThat(gateway).isNotNull();
            link.send(largeCommands());
            await().atMost(Waits.LIMIT).until(() -> delivered() == NODES);
            await().atMost(Waits.LIMIT).until(() -> !reported.isEmpty());
        }
        assertThat(received)
                .allSatisfy(
                        message ->
                                assertThat(message.getSerializedSize())
                                        .isLessThanOrEqualTo(4 * 1024 * 1024));
        assertThat(reported).singleElement().extracting(ReportedStatus::rollout).isNull();
    }

    @Test
    @DisplayName("H1: whose credential agents of other nodes show is received from gateways")
    void receivesIdentityMismatches() throws Exception {
        try (GrpcServer gateway =
                        GrpcServer.builder()
                                .addService(new Gateway())
                                .listen(Address.parse(ADDRESS));
                GatewayLink link = attach(CommandSigner.NONE)) {
            assertThat(gateway).isNotNull();
            assertThat(link).isNotNull();
            await().atMost(Waits.LIMIT)
                    .untilAsserted(
                            () ->
                                    assertThat(misplaced)
                                            .containsExactly(
                                                    Set.of(new NodeId("n1"), new NodeId("n2"))));
        }
    }

    @Test
    @DisplayName("H3: a command that waits for a slow gateway can be taken back, a withdrawal goes")
    void takesBackWhatWaitsStill() throws Exception {
        NodeId blocked = SampleRollout.node("demo", 1);
        NodeId withdrawn = SampleRollout.node("demo", 2);
        NodeId other = SampleRollout.node("demo", 3);
        SlowGateway slow = new SlowGateway();
        try (GrpcServer gateway =
                        GrpcServer.builder().addService(slow).listen(Address.parse(ADDRESS));
                GatewayLink link = attach(CommandSigner.NONE)) {
            assertThat(gateway).isNotNull();
            link.send(
                    List.of(
                            command(blocked),
                            new MessageToNode.Withdraw(withdrawn, "session", 1, 1),
                            command(other)));
            link.dropCommands(List.of(blocked, withdrawn));
            slow.takeAll();
            await().atMost(Waits.LIMIT).until(() -> delivered() > 0);
        }
        assertThat(received)
                .filteredOn(AttachRequest::hasDeliveries)
                .flatExtracting(message -> message.getDeliveries().getDeliveriesList())
                .extracting(drover.node.v1.Delivery::getNodeId)
                .containsExactly(withdrawn.value(), other.value());
    }

    private static MessageToNode command(NodeId node) {
        return new MessageToNode.Command(node, "session", false, 1, "", new byte[0], Map.of());
    }

    @Test
    @DisplayName("H8: whatever is sent is signed, for this node and in this term, as it is sent")
    void signsEveryMessage() throws Exception {
        NodeId node = SampleRollout.node("demo", 1);
        byte[] body = CommandBodySerializer.clearBody(node, 5, "It was repaired.");
        Digest successor = Digest.of("successor");
        List<MessageToNode> sent =
                List.of(
                        new MessageToNode.Command(node, "session", false, 7, "", body, Map.of()),
                        new MessageToNode.Withdraw(node, "session", 5, 7),
                        new MessageToNode.StopOldAgent(node, "session", 7, 6, "2.0.0", successor));
        for (MessageToNode one : sent) {
            received.clear();
            try (GrpcServer gateway =
                            GrpcServer.builder()
                                    .addService(new Gateway())
                                    .listen(Address.parse(ADDRESS));
                    GatewayLink link = attach(CommandSigner.with(ONLINE, () -> NOW))) {
                assertThat(gateway).isNotNull();
                link.send(List.of(one));
                await().atMost(Waits.LIMIT).until(() -> delivered() == 1);
            }
            drover.node.v1.Delivery delivery =
                    received.stream()
                            .filter(AttachRequest::hasDeliveries)
                            .findFirst()
                            .orElseThrow()
                            .getDeliveries()
                            .getDeliveries(0);
            switch (delivery.getItemCase()) {
                case COMMAND ->
                        assertSigned(
                                SignedMessageKind.COMMAND,
                                Digest.of(delivery.getCommand().getBody().toByteArray()),
                                delivery.getCommand().getAuthorization());
                case WITHDRAW ->
                        assertSigned(
                                SignedMessageKind.WITHDRAWAL,
                                CommandAuthorization.withdrawalDigest(
                                        node, delivery.getWithdraw().getThroughAttempt()),
                                delivery.getWithdraw().getAuthorization());
                case STOP -> {
                    StopAgent order = delivery.getStop().getStopAgent();
                    Digest subject =
                            CommandAuthorization.handoverStopDigest(
                                    node, order.getAttempt(), order.getSuccessorDigest());
                    assertSigned(SignedMessageKind.STOP, subject, order.getAuthorization());
                }
                case ITEM_NOT_SET -> throw new IllegalStateException("Nothing was sent");
            }
        }
    }

    private static void assertSigned(SignedMessageKind order, Digest subject, ByteString envelope) {
        Quorum people = new Quorum(1, Set.of(ANN.id()));
        Root root =
                new Root(
                        1,
                        NOW.plusSeconds(1),
                        Map.of(ANN.id(), ANN.verifyingKey(), ONLINE.id(), ONLINE.verifyingKey()),
                        people,
                        people,
                        new Quorum(1, Set.of(ONLINE.id())));
        CommandAuthorization authorization =
                CommandVerifier.verify(order, subject, envelope.toByteArray(), root, NOW);
        assertThat(authorization)
                .isEqualTo(
                        new CommandAuthorization(
                                order, subject, 7, NOW.plus(CommandVerifier.VALIDITY)));
    }

    private GatewayLink attach(CommandSigner signer) {
        return GrpcGatewayLink.signingConnector(ChannelFactory.PLAINTEXT, signer)
                .attach(ADDRESS, 1, "leader", new Hearing());
    }

    private int delivered() {
        return received.stream().mapToInt(m -> m.getDeliveries().getDeliveriesCount()).sum();
    }

    /** Each with as many contents as a node may have. */
    private static List<MessageToNode> largeCommands() {
        List<MessageToNode> commands = new ArrayList<>();
        for (int i = 1; i <= NODES; i++) {
            NodeId node = SampleRollout.node("demo", i);
            commands.add(
                    new MessageToNode.Command(
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
            leader.onNext(
                    AttachResponse.newBuilder()
                            .setIdentityMismatches(
                                    IdentityMismatches.newBuilder()
                                            .addNodeIds("n2")
                                            .addNodeIds("n1"))
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

    /** Takes nothing until it is told to. */
    private final class SlowGateway
            extends GatewayControlServiceGrpc.GatewayControlServiceImplBase {
        private final CompletableFuture<ServerCallStreamObserver<AttachResponse>> attached =
                new CompletableFuture<>();

        @Override
        public StreamObserver<AttachRequest> attach(StreamObserver<AttachResponse> leader) {
            var call = (ServerCallStreamObserver<AttachResponse>) leader;
            call.disableAutoRequest();
            attached.complete(call);
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

        void takeAll() throws Exception {
            attached.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS).request(1_000);
        }
    }

    private final class Hearing implements GatewayLink.Listener {
        @Override
        public void onOpened() {}

        @Override
        public void onConnected(List<ConnectedNode> nodes) {}

        @Override
        public void onDisconnected(List<NodeId> nodes) {}

        @Override
        public void onStatuses(List<ReportedStatus> reports) {
            reported.addAll(reports);
        }

        @Override
        public void onMisplacedIdentities(Set<NodeId> nodes) {
            misplaced.add(nodes);
        }

        @Override
        public void onSnapshotEnd(long revision) {}

        @Override
        public void onClosed(boolean stale) {}
    }
}
