package drover.opsagent.peers;

import drover.opsagent.reconnect.ReconnectPlan;
import java.time.Duration;

/**
 * How often an agent speaks and dials.
 *
 * @param idleHeartbeat until a gateway says otherwise
 * @param activeHeartbeat during an attempt and its hold, until a gateway says otherwise
 * @param caps within what times it dials again
 */
public record SessionTimings(
        Duration idleHeartbeat, Duration activeHeartbeat, ReconnectPlan.DelayCaps caps) {}
