package drover.gateway.engine.directory;

import drover.gateway.engine.TaskScheduler;
import drover.gateway.engine.session.NodeChange;
import drover.gateway.engine.session.NodeChangeListener;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.session.NodeSnapshot;
import drover.gateway.store.NodeStore;
import drover.gateway.store.StoreUnavailable;
import drover.gateway.store.UnwritableValue;
import drover.model.NodeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what changed on nodes, and when they were heard of, away from their streams: the first
 * within a second, the second every 10 s, each in one statement however many nodes there are.
 */
public final class InventoryAndLastSeenWriter implements NodeChangeListener {
    private static final Logger LOG = LoggerFactory.getLogger(InventoryAndLastSeenWriter.class);
    private static final Duration INVENTORY_INTERVAL = Duration.ofMillis(250); // well within 1 s
    private static final Duration LAST_SEEN_INTERVAL = Duration.ofSeconds(10);

    private final String gatewayId;
    private final SessionTable table;
    private final NodeStore store;
    private final Set<NodeId> changed = ConcurrentHashMap.newKeySet(); // at most the fleet
    private final Map<NodeId, Long> written = new HashMap<>(); // one step's own; see writeLastSeen

    /** A writer for the gateway with this id, which watches the table before any node comes. */
    public InventoryAndLastSeenWriter(String gatewayId, SessionTable table, NodeStore store) {
        this.gatewayId = gatewayId;
        this.table = table;
        this.store = store;
    }

    /** Begins to write, also what changed before. */
    public void start(TaskScheduler ticker) {
        ticker.scheduleRepeated(INVENTORY_INTERVAL, this::writeChanged);
        ticker.scheduleRepeated(LAST_SEEN_INTERVAL, this::writeLastSeen);
    }

    /** Writes everything now. */
    public void flush() {
        writeChanged();
        writeLastSeen();
    }

    @Override
    public void nodeChanged(NodeId node, NodeChange change) {
        switch (change) {
            case SESSION, INVENTORY -> changed.add(node);
            case STATUS, HEARTBEAT, HEALTH, FINDINGS, STANDBY, PREFLIGHT -> {}
        }
    }

    private synchronized void writeChanged() {
        List<NodeId> nodes = List.copyOf(changed);
        nodes.forEach(changed::remove); // before it is read: a change from now on is marked anew
        if (nodes.isEmpty()) {
            return;
        }
        try {
            writeNodeUpdates(nodes.stream().flatMap(this::toNodeUpdate).toList());
        } catch (StoreUnavailable e) {
            changed.addAll(nodes); // the next round tries again, with what is true then
            throw e;
        }
    }

    /** A sighting that the database rejects is left out; all others are written. */
    private void writeNodeUpdates(List<NodeStore.NodeUpdate> sightings) {
        try {
            store.writeNodeUpdates(gatewayId, sightings);
        } catch (UnwritableValue e) {
            if (sightings.size() > 1) {
                sightings.forEach(one -> writeNodeUpdates(List.of(one)));
                return;
            }
            NodeId node = sightings.getFirst().node();
            LOG.error("An inventory cannot be written nodeId={}", node, e);
            table.recordRejectedMessage(node, "The database rejects its inventory.");
        }
    }

    private Stream<NodeStore.NodeUpdate> toNodeUpdate(NodeId node) {
        NodeSnapshot view = table.snapshot(node);
        return view.inventory().stream()
                .map(held -> new NodeStore.NodeUpdate(node, held, view.executor().isPresent()));
    }

    synchronized void writeLastSeen() {
        long now = table.nanoTime();
        Map<NodeId, Long> fresh = new HashMap<>();
        table.forEach((node, view) -> addIfNewer(fresh, node, view));
        Map<NodeId, Duration> ago = new HashMap<>();
        fresh.forEach((node, received) -> ago.put(node, Duration.ofNanos(now - received)));
        writeChanged(); // first, or a row would be dated later than what it says
        store.recordLastSeen(ago);
        written.putAll(fresh);
    }

    private void addIfNewer(Map<NodeId, Long> fresh, NodeId node, NodeSnapshot view) {
        long received = view.lastReceivedNanos();
        if (received != 0 && !Long.valueOf(received).equals(written.get(node))) {
            fresh.put(node, received);
        }
    }
}
