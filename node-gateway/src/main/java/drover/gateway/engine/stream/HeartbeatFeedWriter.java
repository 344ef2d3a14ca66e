package drover.gateway.engine.stream;

import drover.gateway.engine.session.NodeChange;
import drover.gateway.engine.session.NodeChangeListener;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.session.LatestHeartbeat;
import drover.gateway.session.NodeSnapshot;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The heartbeats that one evaluator subscribes to: of each node the latest, as fast as the
 * evaluator reads.
 */
public final class HeartbeatFeedWriter implements NodeChangeListener {
    private final SessionTable table;
    private final BlockingServiceStream<HeartbeatFeedBatch> wire;
    private final DirtyNodes dirty = new DirtyNodes();
    private final Set<NodeId> watched = ConcurrentHashMap.newKeySet();
    private final Map<NodeId, Long> reported = new HashMap<>(); // the writer's: instants received
    private final BoundedEntryBatch<NodeId, LatestHeartbeat> heartbeats = new BoundedEntryBatch<>();
    private final BoundedEntryBatch<NodeId, Boolean> disconnected = new BoundedEntryBatch<>();

    /** A line that watches nothing yet. */
    public HeartbeatFeedWriter(SessionTable table, BlockingServiceStream<HeartbeatFeedBatch> wire) {
        this.table = table;
        this.wire = wire;
    }

    /** Begins to write. */
    public void start() {
        table.watch(this);
        Thread.ofVirtual().name("feed-line").start(this::write);
    }

    /** Changes what is watched; the latest of each added node is said at once. */
    public void updateSubscription(Collection<NodeId> add, Collection<NodeId> remove) {
        remove.forEach(watched::remove);
        watched.addAll(add);
        dirty.updateInterest(add, remove, 0);
    }

    /** The stream has ended. */
    public void close() {
        table.unwatch(this);
        dirty.close();
    }

    /** Ends the stream. */
    public void end(Refused reason) {
        close();
        wire.end(reason);
    }

    @Override
    public void nodeChanged(NodeId node, NodeChange change) {
        switch (change) {
            case SESSION, HEARTBEAT -> {
                if (watched.contains(node)) {
                    dirty.mark(node);
                }
            }
            case STATUS, INVENTORY, HEALTH, FINDINGS, STANDBY, PREFLIGHT -> {}
        }
    }

    private void write() {
        try {
            boolean open = true;
            while (open && !dirty.isClosed()) {
                open = write(dirty.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody interrupts it but the end of the process
        } finally {
            close();
        }
    }

    private boolean write(DirtyNodes.TakenChanges round) throws InterruptedException {
        for (Map.Entry<NodeId, Boolean> node : round.nodes().entrySet()) {
            gatherNode(node.getKey(), node.getValue());
            if ((heartbeats.isFull() || disconnected.isFull()) && !flush()) {
                return false;
            }
        }
        return flush();
    }

    private void gatherNode(NodeId node, boolean resend) {
        if (!watched.contains(node)) {
            reported.remove(node);
            return;
        }
        NodeSnapshot view = table.snapshot(node);
        if (view.executor().isEmpty()) {
            reported.remove(node);
            disconnected.put(node, true, 0);
        }
        view.heartbeat()
                .ifPresent(
                        beat -> {
                            Long before = reported.put(node, beat.receivedNanos());
                            if (resend || before == null || before != beat.receivedNanos()) {
                                heartbeats.put(node, beat, beat.body().bytes());
                            }
                        });
    }

    private boolean flush() throws InterruptedException {
        if (heartbeats.isEmpty() && disconnected.isEmpty()) {
            return true;
        }
        return wire.send(
                new HeartbeatFeedBatch(
                        heartbeats.drain(),
                        disconnected.drain().keySet().stream().sorted().toList()));
    }
}
