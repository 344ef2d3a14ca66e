package drover.evaluator.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import drover.agent.v1.ProgramHealth;
import drover.evaluator.assess.Heartbeat;
import drover.evaluator.assess.ProgramObservation;
import drover.kit.grpc.Address;
import drover.kit.grpc.ChannelFactory;
import drover.kit.grpc.GrpcServer;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.node.v1.HeartbeatFeedServiceGrpc;
import drover.node.v1.NodeHeartbeat;
import drover.node.v1.SubscribeRequest;
import drover.node.v1.SubscribeResponse;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GrpcHeartbeatFeedTest extends HeartbeatFeedContract {
    private final Address address = new Address.InProcess(UUID.randomUUID().toString());
    private final GrpcHeartbeatFeed feed = new GrpcHeartbeatFeed(ChannelFactory.PLAINTEXT);
    private final ScriptedGateway gateway = new ScriptedGateway();
    private GrpcServer host;

    @BeforeEach
    void openTheGateway() {
        host = GrpcServer.builder().addService(gateway).listen(address);
    }

    @AfterEach
    void closeTheGateway() {
        gateway.cutAll();
        host.close();
        feed.close();
    }

    @Override
    void beat(NodeId node, Heartbeat heartbeat) {
        gateway.send(node, heartbeat);
    }

    @Override
    void leave(NodeId node) {
        gateway.leave(node);
    }

    @Override
    HeartbeatFeed feed() {
        return feed;
    }

    @Override
    Address gateway() {
        return address;
    }

    @Test
    void resubscribesAllWhenAStreamFails() {
        beat(N1, heartbeat(1));
        RecordingListener ear = new RecordingListener();
        try (HeartbeatFeed.Subscription subscription = feed.subscribe(address, ear)) {
            subscription.add(List.of(N1));
            ear.awaitCall("n1 1");
            ear.lines.clear();

            gateway.cutAll();

            ear.awaitCall("n1 1");
        }
    }

    @Test
    void waitsForAGatewayThatIsNotThereYet() {
        gateway.cutAll();
        host.close();
        RecordingListener ear = new RecordingListener();
        try (HeartbeatFeed.Subscription subscription = feed.subscribe(address, ear)) {
            subscription.add(List.of(N1));
            openTheGateway();

            ear.awaitCall("n1 gone");
        }
    }

    @Test
    @DisplayName("H9: an invalid heartbeat ends no subscription and hides no other of its message")
    void anInvalidHeartbeatHidesNoOther() {
        beat(N1, heartbeat(1));
        RecordingListener ear = new RecordingListener();
        try (HeartbeatFeed.Subscription subscription = feed.subscribe(address, ear)) {
            subscription.add(List.of(N1));
            ear.awaitCall("n1 1");

            gateway.sends(
                    SubscribeResponse.newBuilder()
                            .addHeartbeats(NodeHeartbeat.newBuilder().setNodeId("No Node!"))
                            .addHeartbeats(lasting("n2", Long.MAX_VALUE, 1_999_999_999))
                            .addHeartbeats(lasting("n3", 100_000_000_000_000L, 0))
                            .addDisconnected("../n4")
                            .addDisconnected("n5")
                            .build());
            beat(N1, heartbeat(2));

            ear.awaitCall("n1 2");
            assertThat(ear.lines)
                    .contains("n5 gone")
                    .anyMatch(output -> output.startsWith("n2 invalid: Its heartbeat is invalid"))
                    .anyMatch(output -> output.startsWith("n3 invalid: Its heartbeat is invalid"));
        }
    }

    /** A program that was up and healthy for so long. */
    private static NodeHeartbeat lasting(String node, long seconds, int nanos) {
        com.google.protobuf.Duration time =
                com.google.protobuf.Duration.newBuilder()
                        .setSeconds(seconds)
                        .setNanos(nanos)
                        .build();
        return NodeHeartbeat.newBuilder()
                .setNodeId(node)
                .setHeartbeat(
                        drover.agent.v1.Heartbeat.newBuilder()
                                .addPrograms(
                                        ProgramHealth.newBuilder()
                                                .setUpFor(time)
                                                .setHealthyFor(time)))
                .build();
    }

    /** A gateway that passes on what the test says. */
    private static final class ScriptedGateway
            extends HeartbeatFeedServiceGrpc.HeartbeatFeedServiceImplBase {
        private final Map<StreamObserver<SubscribeResponse>, Set<String>> streams = new HashMap<>();
        private final Map<String, Heartbeat> latest = new HashMap<>();

        @Override
        public StreamObserver<SubscribeRequest> subscribe(
                StreamObserver<SubscribeResponse> responses) {
            open(responses);
            return new StreamObserver<>() {
                @Override
                public void onNext(SubscribeRequest request) {
                    take(responses, request);
                }

                @Override
                public void onError(Throwable cause) {
                    forget(responses);
                }

                @Override
                public void onCompleted() {
                    forget(responses);
                }
            };
        }

        private synchronized void open(StreamObserver<SubscribeResponse> stream) {
            streams.put(stream, new HashSet<>());
        }

        private synchronized void forget(StreamObserver<SubscribeResponse> stream) {
            streams.remove(stream);
        }

        private synchronized void take(
                StreamObserver<SubscribeResponse> stream, SubscribeRequest request) {
            Set<String> watched = streams.getOrDefault(stream, new HashSet<>());
            watched.addAll(request.getAddList());
            request.getRemoveList().forEach(watched::remove);
            request.getAddList().forEach(node -> send(stream, node));
        }

        synchronized void sends(SubscribeResponse message) {
            streams.keySet().forEach(stream -> stream.onNext(message));
        }

        synchronized void send(NodeId node, Heartbeat heartbeat) {
            latest.put(node.value(), heartbeat);
            sendAll(node.value());
        }

        synchronized void leave(NodeId node) {
            latest.remove(node.value());
            sendAll(node.value());
        }

        synchronized void cutAll() {
            Map.copyOf(streams).keySet().forEach(s -> s.onError(unavailable()));
            streams.clear();
        }

        private static StatusRuntimeException unavailable() {
            return new Refused(RefusalCode.GATEWAY_UNAVAILABLE, "Going away.").toStatus();
        }

        private void sendAll(String node) {
            streams.forEach(
                    (stream, watched) -> {
                        if (watched.contains(node)) {
                            send(stream, node);
                        }
                    });
        }

        private void send(StreamObserver<SubscribeResponse> stream, String node) {
            Heartbeat heartbeat = latest.get(node);
            SubscribeResponse.Builder response = SubscribeResponse.newBuilder();
            if (heartbeat == null) {
                response.addDisconnected(node);
            } else {
                response.addHeartbeats(
                        NodeHeartbeat.newBuilder()
                                .setNodeId(node)
                                .setHeartbeat(rendered(heartbeat)));
            }
            stream.onNext(response.build());
        }

        private static drover.agent.v1.Heartbeat rendered(Heartbeat heartbeat) {
            ProgramObservation signal = heartbeat.programs().getFirst();
            return drover.agent.v1.Heartbeat.newBuilder()
                    .setAttempt(heartbeat.attempt())
                    .addPrograms(
                            ProgramHealth.newBuilder()
                                    .setName(signal.name())
                                    .setRunId(signal.runId())
                                    .setRunningDigest(signal.runningDigest())
                                    .setConfigDigest(signal.configDigest())
                                    .setUpFor(Durations.fromMillis(signal.upFor().toMillis()))
                                    .setHealthyFor(
                                            Durations.fromMillis(signal.healthyFor().toMillis()))
                                    .setStartsSinceAttempt(signal.restarts())
                                    .setApplicationHealth(
                                            drover.agent.v1.ApplicationHealth
                                                    .APPLICATION_HEALTH_DEGRADED)
                                    .setSyncStatus(drover.agent.v1.SyncStatus.SYNC_STATUS_SYNCING)
                                    .addAllProbeDetails(signal.probeDetails()))
                    .build();
        }
    }
}
