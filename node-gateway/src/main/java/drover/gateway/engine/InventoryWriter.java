package drover.gateway.engine;

import drover.gateway.session.NodeView;
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
public final class InventoryWriter implements NodeWatcher {
    private static final Logger LOG = LoggerFactory.getLogger(InventoryWriter.class);
    private static final Duration INVENTORY_PAUSE = Duration.ofMillis(250); // well within 1 s
    private static final Duration HEARD_PAUSE = Duration.ofSeconds(10);

    private final String gatewayId;
    private final SessionTable table;
    private final NodeStore store;
    private final Set<NodeId> changed = ConcurrentHashMap.newKeySet(); // at most the fleet
    private final Map<NodeId, Long> written = new HashMap<>(); // one step's own; see writeHeard

    /** A writer for the gateway with this id, which watches the table before any node comes. */
    public InventoryWriter(String gatewayId, SessionTable table, NodeStore store) {
        this.gatewayId = gatewayId;
        this.table = table;
        this.store = store;
    }

    /** Begins to write, also what changed before. */
    public void begin(Ticker ticker) {
        ticker.every(INVENTORY_PAUSE, this::writeChanged);
        ticker.every(HEARD_PAUSE, this::writeHeard);
    }

    /** Writes everything now. */
    public void flush() {
        writeChanged();
        writeHeard();
    }

    @Override
    public void changed(NodeId node, Change change) {
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
            record(nodes.stream().flatMap(this::sighting).toList());
        } catch (StoreUnavailable e) {
            changed.addAll(nodes); // the next round tries again, with what is true then
            throw e;
        }
    }

    /** A sighting that the database rejects is left out; all others are written. */
    private void record(List<NodeStore.Sighting> sightings) {
        try {
            store.record(gatewayId, sightings);
        } catch (UnwritableValue e) {
            if (sightings.size() > 1) {
                sightings.forEach(one -> record(List.of(one)));
                return;
            }
            NodeId node = sightings.getFirst().node();
            LOG.error("An inventory cannot be written nodeId={}", node, e);
            table.rejected(node, "The database rejects its inventory.");
        }
    }

    private Stream<NodeStore.Sighting> sighting(NodeId node) {
        NodeView view = table.view(node);
        return view.inventory().stream()
                .map(held -> new NodeStore.Sighting(node, held, view.presence().isPresent()));
    }

    synchronized void writeHeard() {
        long now = table.nanoTime();
        Map<NodeId, Long> fresh = new HashMap<>();
        table.forEach((node, view) -> noteIfFresh(fresh, node, view));
        Map<NodeId, Duration> ago = new HashMap<>();
        fresh.forEach((node, heard) -> ago.put(node, Duration.ofNanos(now - heard)));
        writeChanged(); // first, or a row would be dated later than what it says
        store.heard(ago);
        written.putAll(fresh);
    }

    private void noteIfFresh(Map<NodeId, Long> fresh, NodeId node, NodeView view) {
        long heard = view.heardNanos();
        if (heard != 0 && !Long.valueOf(heard).equals(written.get(node))) {
            fresh.put(node, heard);
        }
    }
}
