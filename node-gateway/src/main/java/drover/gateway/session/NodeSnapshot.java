package drover.gateway.session;

import java.util.List;
import java.util.Optional;

/**
 * Everything the gateway holds of one node, at one instant.
 *
 * @param executor the connected executor, if there is one
 * @param lastInventory what was on the node when the last executor left, if none is connected
 * @param status the latest status, kept when the session goes, until a later one comes
 * @param heartbeat the latest heartbeat of the connected executor
 * @param lastReceivedNanos when the executor was last heard of, on the gateway's monotonic clock; 0
 *     when never
 * @param standby the second agent, {@link StandbyAgent#NONE} while none is connected
 */
public record NodeSnapshot(
        Optional<ConnectedExecutor> executor,
        Optional<NodeInventory> lastInventory,
        Optional<LatestStatus> status,
        Optional<LatestHeartbeat> heartbeat,
        long lastReceivedNanos,
        StandbyAgent standby) {
    /** Nothing was ever heard of the node. */
    public static final NodeSnapshot EMPTY =
            new NodeSnapshot(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    0,
                    StandbyAgent.NONE);

    /** The view once an executor is admitted; the heartbeat was the earlier session's. */
    public NodeSnapshot withExecutor(ConnectedExecutor arrival, long nanos) {
        return new NodeSnapshot(
                Optional.of(arrival), Optional.empty(), status, Optional.empty(), nanos, standby);
    }

    /** The view once the executor is gone. */
    public NodeSnapshot withoutExecutor() {
        return new NodeSnapshot(
                Optional.empty(),
                inventory(),
                status,
                Optional.empty(),
                lastReceivedNanos,
                standby);
    }

    /** The view once a heartbeat came. */
    public NodeSnapshot withHeartbeat(LatestHeartbeat beat, NodeInventory inventory) {
        return new NodeSnapshot(
                executor.map(present -> present.withInventory(inventory)),
                lastInventory,
                status,
                Optional.of(beat),
                beat.receivedNanos(),
                standby);
    }

    /** The view once a status came; an earlier one than the slot's changes nothing. */
    public NodeSnapshot withStatus(LatestStatus arriving) {
        LatestStatus slot = status.map(held -> held.pickLater(arriving)).orElse(arriving);
        return new NodeSnapshot(
                executor, lastInventory, Optional.of(slot), heartbeat, lastReceivedNanos, standby);
    }

    /** The view with another inventory. */
    public NodeSnapshot withInventory(NodeInventory inventory) {
        return new NodeSnapshot(
                executor.map(present -> present.withInventory(inventory)),
                lastInventory,
                status,
                heartbeat,
                lastReceivedNanos,
                standby);
    }

    /** The view once everything up to this attempt and sequence is committed. */
    public NodeSnapshot withAcknowledged(long attempt, long sequence) {
        return new NodeSnapshot(
                executor,
                lastInventory,
                status.map(slot -> slot.withAcknowledgedThrough(attempt, sequence)),
                heartbeat,
                lastReceivedNanos,
                standby);
    }

    /** The view once a standby is admitted. What the executor said is not touched. */
    public NodeSnapshot withStandby(AgentSession session, NodeInventory inventory) {
        return withStandbyAgent(StandbyAgent.fromHello(session, inventory));
    }

    /** The view once a heartbeat of the standby came. */
    public NodeSnapshot withStandbyHeartbeat(List<ProgramObservation> signals, boolean draining) {
        return withStandbyAgent(standby.withHeartbeat(signals, draining));
    }

    /** The view once this session has ended, if it was the standby's. */
    public NodeSnapshot withoutStandby(String sessionId) {
        return isStandby(sessionId) ? withStandbyAgent(StandbyAgent.NONE) : this;
    }

    private NodeSnapshot withStandbyAgent(StandbyAgent now) {
        return new NodeSnapshot(executor, lastInventory, status, heartbeat, lastReceivedNanos, now);
    }

    /** Whether this session is the connected standby's. */
    public boolean isStandby(String sessionId) {
        return !sessionId.isEmpty() && standby.sessionId().equals(sessionId);
    }

    /** What is on the node as it was said last; empty when no executor ever connected here. */
    public Optional<NodeInventory> inventory() {
        return executor.map(ConnectedExecutor::inventory).or(() -> lastInventory);
    }

    /**
     * Whether the connected executor has told a later status than this one. What it said before
     * that is of the past; an earlier session's status does not count, for a node may have lost its
     * journal since.
     */
    public boolean hasStatusAfter(StatusVersion mark) {
        return status.filter(slot -> isExecutor(slot.sessionId()))
                .filter(slot -> slot.version().compareTo(mark) > 0)
                .isPresent();
    }

    /** Whether this session is the connected executor's. */
    public boolean isExecutor(String sessionId) {
        return executor.filter(present -> present.sessionId().equals(sessionId)).isPresent();
    }
}
