package drover.gateway.engine;

import drover.gateway.engine.session.SessionTable;
import drover.gateway.session.DrainSchedule;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a gateway takes leave of its agents, while everything else of it still works. */
public final class GatewayDrain {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayDrain.class);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final int MAX_POLLS = 50; // a second; who has not left by then is hung up on

    private GatewayDrain() {}

    /** Asks all agents to dial other gateways, slice by slice, and comes back when they have. */
    public static void drain(SessionTable table, TaskScheduler ticker) {
        table.stopAdmitting();
        List<NodeId> nodes = table.nodesWithStreams();
        if (nodes.isEmpty()) {
            return;
        }
        LOG.info("The agents are asked to dial other gateways count={}", nodes.size());
        DrainSchedule pace = DrainSchedule.of(nodes.size());
        for (int from = 0; from < nodes.size(); from += pace.batchSize()) {
            nodes.subList(from, Math.min(nodes.size(), from + pace.batchSize()))
                    .forEach(node -> table.requestReconnect(node, pace.interval()));
            ticker.sleep(pace.interval());
        }
        for (int poll = 0; poll < MAX_POLLS && table.streamCount() > 0; poll++) {
            ticker.sleep(POLL_INTERVAL);
        }
    }
}
