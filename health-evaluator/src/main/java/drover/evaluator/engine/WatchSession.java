package drover.evaluator.engine;

import drover.evaluator.assess.HealthWatchSpec;
import drover.evaluator.assess.Heartbeat;
import drover.evaluator.assess.VerdictReport;
import drover.evaluator.peers.HeartbeatFeed;
import drover.kit.grpc.Address;
import drover.model.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that one coordinator watches. Heartbeats only mark a node; one thread judges and
 * writes, as fast as the coordinator reads, so that a slow one skips verdicts and grows nothing.
 */
public final class WatchSession implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchSession.class);
    private static final int MOST_ENTRIES = 1_000; // of one message

    /** After so long without news it says that it is there; coordinators rely on it. */
    static final Duration KEEPALIVE_INTERVAL = Duration.ofSeconds(5);

    private final HeartbeatFeed feed;
    private final VerdictStream wire;
    private final LongSupplier nanoTime;
    private final Map<NodeId, WatchedNode> watched = new HashMap<>();
    private final Map<Address, HeartbeatFeed.Subscription> subscriptions = new HashMap<>();
    private final Set<NodeId> dirty = new LinkedHashSet<>(); // at most what is watched
    private long sentNanos;
    private boolean closed;

    /** A room without watches. {@code nanoTime} is a monotonic clock. */
    public WatchSession(HeartbeatFeed feed, VerdictStream wire, LongSupplier nanoTime) {
        this.feed = feed;
        this.wire = wire;
        this.nanoTime = nanoTime;
        this.sentNanos =
                nanoTime.getAsLong()
                        - KEEPALIVE_INTERVAL.toNanos(); // so that it is said first of all
    }

    /** Begins to write. */
    public void startSending() {
        startSending(() -> {});
    }

    /**
     * Begins to write.
     *
     * @param failed called when verdicts cannot be sent any more because of a bug; must end the
     *     stream, so that the coordinator watches again
     */
    public void startSending(Runnable failed) {
        Thread.ofVirtual().name("verdicts").start(() -> sendChanges(failed));
    }

    /** Where heartbeats come from, from now on. */
    public synchronized void setGateways(Collection<Address> gateways) {
        Set<Address> removed = new LinkedHashSet<>(subscriptions.keySet());
        gateways.forEach(removed::remove);
        for (Address gateway : removed) {
            Objects.requireNonNull(subscriptions.remove(gateway)).close();
            watched.values().forEach(node -> node.forget(gateway));
        }
        for (Address gateway : gateways) {
            subscriptions.computeIfAbsent(gateway, this::subscribe);
        }
        dirty.addAll(watched.keySet());
        notifyAll();
    }

    private HeartbeatFeed.Subscription subscribe(Address gateway) {
        HeartbeatFeed.Subscription subscription =
                feed.subscribe(gateway, new FeedListener(gateway));
        subscription.add(watched.keySet());
        return subscription;
    }

    /** Watches begun or replaced. */
    public synchronized void watch(Collection<? extends HealthWatchSpec> watches) {
        List<NodeId> nodes = watches.stream().map(HealthWatchSpec::node).toList();
        long now = nanoTime.getAsLong();
        for (HealthWatchSpec watch : watches) {
            WatchedNode present = watched.putIfAbsent(watch.node(), new WatchedNode(watch, now));
            if (present != null) {
                present.replaceWatch(watch, now);
            }
        }
        dirty.addAll(nodes);
        subscriptions.values().forEach(subscription -> subscription.add(nodes));
        notifyAll();
    }

    /** Watches ended. */
    public synchronized void unwatch(Collection<NodeId> nodes) {
        nodes.forEach(watched::remove);
        subscriptions.values().forEach(subscription -> subscription.remove(nodes));
    }

    /** How many nodes are watched. */
    public synchronized int watchCount() {
        return watched.size();
    }

    /** Time has passed: verdicts that depend on it are looked at again. */
    public synchronized void tick() {
        dirty.addAll(watched.keySet());
        notifyAll();
    }

    @Override
    public synchronized void close() {
        closed = true;
        subscriptions.values().forEach(HeartbeatFeed.Subscription::close);
        subscriptions.clear();
        watched.clear();
        notifyAll();
    }

    private void sendChanges(Runnable failed) {
        try {
            Optional<List<VerdictReport>> news = awaitChanges();
            while (news.isPresent() && wire.send(news.get())) {
                news = awaitChanges();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody interrupts it but the end of the process
        } catch (RuntimeException e) {
            LOG.error("Verdicts could not be sent by a bug; the stream ends", e);
            failed.run();
        } finally {
            close();
        }
    }

    /**
     * Waits for verdicts that changed, or until it is time to say that there are none; nothing once
     * the room is closed.
     */
    private synchronized Optional<List<VerdictReport>> awaitChanges() throws InterruptedException {
        while (!closed) {
            List<VerdictReport> news = takeNextChanges();
            if (!news.isEmpty() || isKeepaliveDue()) {
                sentNanos = nanoTime.getAsLong();
                return Optional.of(news);
            }
            if (dirty.isEmpty()) {
                wait(); // a tick wakes it
            }
        }
        return Optional.empty();
    }

    private boolean isKeepaliveDue() {
        return nanoTime.getAsLong() - sentNanos >= KEEPALIVE_INTERVAL.toNanos();
    }

    /** What changed since it was last asked, without waiting; empty when nothing did. */
    public synchronized List<VerdictReport> takeNextChanges() {
        List<NodeId> nodes = dirty.stream().limit(MOST_ENTRIES).toList();
        nodes.forEach(dirty::remove);
        long now = nanoTime.getAsLong();
        List<VerdictReport> news = new ArrayList<>();
        for (NodeId id : nodes) {
            Optional.ofNullable(watched.get(id))
                    .flatMap(node -> takeUnsentReport(id, node, now))
                    .ifPresent(news::add);
        }
        return news;
    }

    /** A node that cannot be judged keeps no other from being judged, and is not healthy. */
    private Optional<VerdictReport> takeUnsentReport(NodeId id, WatchedNode node, long now) {
        try {
            return node.takeUnsentReport(now, subscriptions.size());
        } catch (RuntimeException e) {
            Optional<VerdictReport> failed =
                    node.takeUnsentFailure("Its health could not be evaluated: " + e);
            if (failed.isPresent()) { // once, not in each round
                LOG.error("A node could not be judged by a bug nodeId={}", id, e);
            }
            return failed;
        }
    }

    private synchronized void recordHeartbeat(
            Address gateway, NodeId id, Heartbeat heartbeat, Duration age) {
        WatchedNode node = watched.get(id);
        if (node != null) {
            try {
                node.recordHeartbeat(gateway, heartbeat, nanoTime.getAsLong() - age.toNanos());
            } catch (RuntimeException e) {
                LOG.error("A heartbeat could not be applied by a bug nodeId={}", id, e);
                recordInvalid(gateway, id, "Its heartbeat could not be evaluated: " + e);
            }
            dirty.add(id);
            notifyAll();
        }
    }

    private synchronized void recordInvalid(Address gateway, NodeId id, String why) {
        WatchedNode node = watched.get(id);
        if (node != null) {
            if (node.recordInvalid(gateway, why)) {
                LOG.warn(
                        "A heartbeat is not used; its node counts as without data nodeId={}"
                                + " address={} reason={}",
                        id,
                        gateway,
                        why);
            }
            dirty.add(id);
            notifyAll();
        }
    }

    private synchronized void recordDisconnected(Address gateway, NodeId id) {
        WatchedNode node = watched.get(id);
        if (node != null) {
            node.recordDisconnected(gateway, nanoTime.getAsLong());
            dirty.add(id);
            notifyAll();
        }
    }

    /** Listens to one gateway. */
    private final class FeedListener implements HeartbeatFeed.Listener {
        private final Address gateway;

        FeedListener(Address gateway) {
            this.gateway = gateway;
        }

        @Override
        public void onHeartbeat(NodeId node, Heartbeat heartbeat, Duration age) {
            WatchSession.this.recordHeartbeat(gateway, node, heartbeat, age);
        }

        @Override
        public void onInvalidHeartbeat(NodeId node, String why) {
            WatchSession.this.recordInvalid(gateway, node, why);
        }

        @Override
        public void onDisconnect(NodeId node) {
            WatchSession.this.recordDisconnected(gateway, node);
        }
    }
}
