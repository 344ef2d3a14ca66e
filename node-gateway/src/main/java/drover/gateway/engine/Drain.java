package drover.gateway.engine;

import drover.gateway.session.DrainPace;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a gateway takes leave of its agents, while everything else of it still works. */
public final class Drain {
    private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final int LOOKS = 50; // a second; who has not left by then is hung up on

    private Drain() {}

    /** Asks all agents to dial other gateways, slice by slice, and comes back when they have. */
    public static void of(SessionTable table, Ticker ticker) {
        table.admitNoMore();
        List<NodeId> nodes = table.connected();
        if (nodes.isEmpty()) {
            return;
        }
        LOG.info("The agents are asked to dial other gateways count={}", nodes.size());
        DrainPace pace = DrainPace.of(nodes.size());
        for (int from = 0; from < nodes.size(); from += pace.slice()) {
            nodes.subList(from, Math.min(nodes.size(), from + pace.slice()))
                    .forEach(node -> table.sendAway(node, pace.between()));
            ticker.pause(pace.between());
        }
        for (int look = 0; look < LOOKS && table.streams() > 0; look++) {
            ticker.pause(LOOK);
        }
    }
}
