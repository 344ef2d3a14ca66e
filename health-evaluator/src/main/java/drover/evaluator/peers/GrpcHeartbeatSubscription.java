package drover.evaluator.peers;

import drover.evaluator.assess.Heartbeat;
import drover.kit.agent.InvalidMessage;
import drover.kit.grpc.Address;
import drover.model.MalformedValue;
import drover.model.NodeId;
import drover.node.v1.HeartbeatFeedServiceGrpc;
import drover.node.v1.NodeHeartbeat;
import drover.node.v1.SubscribeRequest;
import drover.node.v1.SubscribeResponse;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscription that survives its stream. It keeps which nodes are wanted and which the present
 * stream was told of, and tells it the difference whenever it takes more.
 */
final class GrpcHeartbeatSubscription implements HeartbeatFeed.Subscription {
    private static final Logger LOG = LoggerFactory.getLogger(GrpcHeartbeatSubscription.class);

    private static final int MOST_ENTRIES = 1_000; // of one message, as everywhere
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final ManagedChannel channel;
    private final Address gateway;
    private final HeartbeatFeed.Listener listener;
    private final ScheduledExecutorService reconnects;
    private final Set<NodeId> wanted = new LinkedHashSet<>(); // at most the nodes being upgraded
    private final Set<NodeId> received = new LinkedHashSet<>();
    private @Nullable HeartbeatStream stream; // null while no stream is open
    private Duration pause = SHORTEST_PAUSE;
    private boolean closed;

    GrpcHeartbeatSubscription(
            ManagedChannel channel,
            Address gateway,
            HeartbeatFeed.Listener listener,
            ScheduledExecutorService reconnects) {
        this.channel = channel;
        this.gateway = gateway;
        this.listener = listener;
        this.reconnects = reconnects;
    }

    synchronized void connect() {
        if (!closed) {
            received.clear();
            stream = new HeartbeatStream();
            var _ = HeartbeatFeedServiceGrpc.newStub(channel).subscribe(stream);
        }
    }

    @Override
    public synchronized void add(Collection<NodeId> nodes) {
        wanted.addAll(nodes);
        received.removeAll(nodes); // so that the latest of each is said again
        flush();
    }

    @Override
    public synchronized void remove(Collection<NodeId> nodes) {
        wanted.removeAll(nodes);
        flush();
    }

    private synchronized void flush() {
        while (stream != null && stream.isReady()) { // bounded: each round shrinks the difference
            List<NodeId> add =
                    wanted.stream().filter(n -> !received.contains(n)).limit(MOST_ENTRIES).toList();
            List<NodeId> remove =
                    received.stream().filter(n -> !wanted.contains(n)).limit(MOST_ENTRIES).toList();
            if (add.isEmpty() && remove.isEmpty()) {
                return;
            }
            received.addAll(add);
            remove.forEach(received::remove);
            stream.send(
                    SubscribeRequest.newBuilder()
                            .addAllAdd(add.stream().map(NodeId::value).toList())
                            .addAllRemove(remove.stream().map(NodeId::value).toList())
                            .build());
        }
    }

    private synchronized void handleStreamEnd(HeartbeatStream which, @Nullable Throwable cause) {
        if (closed || which != stream) {
            return;
        }
        stream = null;
        long wait = ThreadLocalRandom.current().nextLong(pause.toMillis()) + 1; // full jitter
        LOG.info(
                "A gateway's heartbeats ended address={} reason={}",
                gateway,
                String.valueOf(cause));
        pause = pause.multipliedBy(2);
        if (pause.compareTo(LONGEST_PAUSE) > 0) {
            pause = LONGEST_PAUSE;
        }
        try {
            var _ = reconnects.schedule(this::connect, wait, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("The evaluator is going away address={}", gateway, e);
        }
    }

    private synchronized void resetBackoff() {
        pause = SHORTEST_PAUSE;
    }

    @Override
    public synchronized void close() {
        closed = true;
        stream = null;
        var _ = channel.shutdownNow();
    }

    /** One stream, until it ends. */
    private final class HeartbeatStream
            implements ClientResponseObserver<SubscribeRequest, SubscribeResponse> {
        private @Nullable ClientCallStreamObserver<SubscribeRequest> requests;

        boolean isReady() {
            return requests != null && requests.isReady();
        }

        void send(SubscribeRequest request) {
            if (requests != null) {
                requests.onNext(request);
            }
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<SubscribeRequest> observer) {
            requests = observer;
            observer.setOnReadyHandler(GrpcHeartbeatSubscription.this::flush);
        }

        @Override
        public void onNext(SubscribeResponse response) {
            resetBackoff();
            response.getHeartbeatsList().forEach(this::handleHeartbeat);
            response.getDisconnectedList()
                    .forEach(name -> parseNodeId(name).ifPresent(listener::onDisconnect));
        }

        /** One node's heartbeat; if it is invalid, the others of the message still count. */
        private void handleHeartbeat(NodeHeartbeat beat) {
            Optional<NodeId> node = parseNodeId(beat.getNodeId());
            if (node.isEmpty()) {
                return;
            }
            try {
                Heartbeat heartbeat = HeartbeatProtos.validateAndConvert(beat.getHeartbeat());
                listener.onHeartbeat(
                        node.get(), heartbeat, HeartbeatProtos.clampAge(beat.getAge()));
            } catch (InvalidMessage e) {
                listener.onInvalidHeartbeat(
                        node.get(), "Its heartbeat is invalid: " + e.sentence());
            }
        }

        private Optional<NodeId> parseNodeId(String name) {
            try {
                return Optional.of(new NodeId(name));
            } catch (MalformedValue e) {
                LOG.warn(
                        "A gateway sent an invalid node name address={} reason={}",
                        gateway,
                        e.getMessage());
                return Optional.empty();
            }
        }

        @Override
        public void onError(Throwable cause) {
            handleStreamEnd(this, cause);
        }

        @Override
        public void onCompleted() {
            handleStreamEnd(this, null);
        }
    }
}
