package drover.opsagent.peers;

import java.time.Duration;

/**
 * How often an agent speaks and dials.
 *
 * @param idleHeartbeat until a gateway says otherwise
 * @param activeHeartbeat during an attempt and its hold, until a gateway says otherwise
 * @param reconnectCap dials again after a random time up to this
 * @param refusedCap the same after a refusal, when dialling sooner would not help
 */
public record SessionTimes(
        Duration idleHeartbeat,
        Duration activeHeartbeat,
        Duration reconnectCap,
        Duration refusedCap) {}
