package drover.evaluator.engine;

import drover.evaluator.assess.Heartbeat;
import drover.evaluator.assess.Judgement;
import drover.evaluator.assess.Watching;
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
public final class WatchRoom implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchRoom.class);
    private static final int MOST_ENTRIES = 1_000; // of one message

    /** After so long without news it says that it is there; coordinators rely on it. */
    static final Duration BEAT = Duration.ofSeconds(5);

    private final HeartbeatFeed feed;
    private final VerdictWire wire;
    private final LongSupplier nanoTime;
    private final Map<NodeId, WatchedNode> watched = new HashMap<>();
    private final Map<Address, HeartbeatFeed.Subscription> subscriptions = new HashMap<>();
    private final Set<NodeId> dirty = new LinkedHashSet<>(); // at most what is watched
    private long saidNanos;
    private boolean closed;

    /** A room without watches. {@code nanoTime} is a monotonic clock. */
    public WatchRoom(HeartbeatFeed feed, VerdictWire wire, LongSupplier nanoTime) {
        this.feed = feed;
        this.wire = wire;
        this.nanoTime = nanoTime;
        this.saidNanos = nanoTime.getAsLong() - BEAT.toNanos(); // so that it is said first of all
    }

    /** Begins to write. */
    public void open() {
        open(() -> {});
    }

    /**
     * Begins to write.
     *
     * @param failed called when verdicts cannot be sent any more because of a bug; must end the
     *     stream, so that the coordinator watches again
     */
    public void open(Runnable failed) {
        Thread.ofVirtual().name("verdicts").start(() -> write(failed));
    }

    /** Where heartbeats come from, from now on. */
    public synchronized void gateways(Collection<Address> gateways) {
        Set<Address> gone = new LinkedHashSet<>(subscriptions.keySet());
        gateways.forEach(gone::remove);
        for (Address gateway : gone) {
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
        HeartbeatFeed.Subscription subscription = feed.subscribe(gateway, new Ear(gateway));
        subscription.add(watched.keySet());
        return subscription;
    }

    /** Watches begun or replaced. */
    public synchronized void watch(Collection<? extends Watching> watches) {
        List<NodeId> nodes = watches.stream().map(Watching::node).toList();
        long now = nanoTime.getAsLong();
        for (Watching watch : watches) {
            WatchedNode present = watched.putIfAbsent(watch.node(), new WatchedNode(watch, now));
            if (present != null) {
                present.replace(watch, now);
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
    public synchronized int watches() {
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

    private void write(Runnable failed) {
        try {
            Optional<List<Judgement>> news = awaitNews();
            while (news.isPresent() && wire.send(news.get())) {
                news = awaitNews();
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
    private synchronized Optional<List<Judgement>> awaitNews() throws InterruptedException {
        while (!closed) {
            List<Judgement> news = takeNews();
            if (!news.isEmpty() || isBeatDue()) {
                saidNanos = nanoTime.getAsLong();
                return Optional.of(news);
            }
            if (dirty.isEmpty()) {
                wait(); // a tick wakes it
            }
        }
        return Optional.empty();
    }

    private boolean isBeatDue() {
        return nanoTime.getAsLong() - saidNanos >= BEAT.toNanos();
    }

    /** What changed since it was last asked, without waiting; empty when nothing did. */
    public synchronized List<Judgement> takeNews() {
        List<NodeId> nodes = dirty.stream().limit(MOST_ENTRIES).toList();
        nodes.forEach(dirty::remove);
        long now = nanoTime.getAsLong();
        List<Judgement> news = new ArrayList<>();
        for (NodeId id : nodes) {
            Optional.ofNullable(watched.get(id))
                    .flatMap(node -> judged(id, node, now))
                    .ifPresent(news::add);
        }
        return news;
    }

    /** A node that cannot be judged keeps no other from being judged, and is not healthy. */
    private Optional<Judgement> judged(NodeId id, WatchedNode node, long now) {
        try {
            return node.news(now, subscriptions.size());
        } catch (RuntimeException e) {
            Optional<Judgement> failed = node.failed("Its health could not be evaluated: " + e);
            if (failed.isPresent()) { // once, not in each round
                LOG.error("A node could not be judged by a bug nodeId={}", id, e);
            }
            return failed;
        }
    }

    private synchronized void heard(Address gateway, NodeId id, Heartbeat heartbeat, Duration age) {
        WatchedNode node = watched.get(id);
        if (node != null) {
            try {
                node.heard(gateway, heartbeat, nanoTime.getAsLong() - age.toNanos());
            } catch (RuntimeException e) {
                LOG.error("A heartbeat could not be applied by a bug nodeId={}", id, e);
                invalid(gateway, id, "Its heartbeat could not be evaluated: " + e);
            }
            dirty.add(id);
            notifyAll();
        }
    }

    private synchronized void invalid(Address gateway, NodeId id, String why) {
        WatchedNode node = watched.get(id);
        if (node != null) {
            if (node.invalid(gateway, why)) {
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

    private synchronized void gone(Address gateway, NodeId id) {
        WatchedNode node = watched.get(id);
        if (node != null) {
            node.gone(gateway, nanoTime.getAsLong());
            dirty.add(id);
            notifyAll();
        }
    }

    /** Listens to one gateway. */
    private final class Ear implements HeartbeatFeed.Listener {
        private final Address gateway;

        Ear(Address gateway) {
            this.gateway = gateway;
        }

        @Override
        public void heard(NodeId node, Heartbeat heartbeat, Duration age) {
            WatchRoom.this.heard(gateway, node, heartbeat, age);
        }

        @Override
        public void invalid(NodeId node, String why) {
            WatchRoom.this.invalid(gateway, node, why);
        }

        @Override
        public void gone(NodeId node) {
            WatchRoom.this.gone(gateway, node);
        }
    }
}
