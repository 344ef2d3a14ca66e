package drover.evaluator.peers;

import drover.kit.grpc.Address;
import drover.kit.grpc.ChannelFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Heartbeats over the gateways' internal doors. */
public final class GrpcHeartbeatFeed implements HeartbeatFeed, AutoCloseable {
    private final ScheduledExecutorService reconnects =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofVirtual().name("feed-redial-", 0).factory());
    private final ChannelFactory gateways;

    /**
     * @param gateways how they are dialled
     */
    public GrpcHeartbeatFeed(ChannelFactory gateways) {
        this.gateways = gateways;
    }

    @Override
    public Subscription subscribe(Address gateway, Listener listener) {
        GrpcHeartbeatSubscription subscription =
                new GrpcHeartbeatSubscription(
                        gateways.open(gateway), gateway, listener, reconnects);
        subscription.connect();
        return subscription;
    }

    /** Subscriptions that end from now on are not dialled again. */
    @Override
    public void close() {
        var _ = reconnects.shutdownNow();
    }
}
