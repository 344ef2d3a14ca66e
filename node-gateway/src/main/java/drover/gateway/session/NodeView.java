package drover.gateway.session;

import java.util.List;
import java.util.Optional;

/**
 * Everything the gateway holds of one node, at one instant.
 *
 * @param presence the connected executor, if there is one
 * @param departed what was on the node when the last executor left, if none is connected
 * @param status the latest status, kept when the session goes, until a later one comes
 * @param heartbeat the latest heartbeat of the connected executor
 * @param heardNanos when the executor was last heard of, on the gateway's monotonic clock; 0 when
 *     never
 * @param standby the second agent, {@link StandbyAgent#NONE} while none is connected
 */
public record NodeView(
        Optional<Presence> presence,
        Optional<Inventory> departed,
        Optional<StatusSlot> status,
        Optional<HeartbeatSlot> heartbeat,
        long heardNanos,
        StandbyAgent standby) {
    /** Nothing was ever heard of the node. */
    public static final NodeView NOTHING =
            new NodeView(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    0,
                    StandbyAgent.NONE);

    /** The view once an executor is admitted; the heartbeat was the earlier session's. */
    public NodeView arrived(Presence arrival, long nanos) {
        return new NodeView(
                Optional.of(arrival), Optional.empty(), status, Optional.empty(), nanos, standby);
    }

    /** The view once the executor is gone. */
    public NodeView left() {
        return new NodeView(
                Optional.empty(), inventory(), status, Optional.empty(), heardNanos, standby);
    }

    /** The view once a heartbeat came. */
    public NodeView beaten(HeartbeatSlot beat, Inventory inventory) {
        return new NodeView(
                presence.map(present -> present.with(inventory)),
                departed,
                status,
                Optional.of(beat),
                beat.receivedNanos(),
                standby);
    }

    /** The view once a status came; an earlier one than the slot's changes nothing. */
    public NodeView reported(StatusSlot arriving) {
        StatusSlot slot = status.map(held -> held.meeting(arriving)).orElse(arriving);
        return new NodeView(presence, departed, Optional.of(slot), heartbeat, heardNanos, standby);
    }

    /** The view with another inventory. */
    public NodeView holding(Inventory inventory) {
        return new NodeView(
                presence.map(present -> present.with(inventory)),
                departed,
                status,
                heartbeat,
                heardNanos,
                standby);
    }

    /** The view once everything up to this attempt and sequence is committed. */
    public NodeView acknowledged(long attempt, long sequence) {
        return new NodeView(
                presence,
                departed,
                status.map(slot -> slot.acknowledgedThrough(attempt, sequence)),
                heartbeat,
                heardNanos,
                standby);
    }

    /** The view once a standby is admitted. What the executor said is not touched. */
    public NodeView greetedBy(AgentSession session, Inventory inventory) {
        return with(StandbyAgent.greeted(session, inventory));
    }

    /** The view once a heartbeat of the standby came. */
    public NodeView standbyBeaten(List<ProgramSignal> signals, boolean draining) {
        return with(standby.beaten(signals, draining));
    }

    /** The view once this session has ended, if it was the standby's. */
    public NodeView standbyLeft(String sessionId) {
        return isStandby(sessionId) ? with(StandbyAgent.NONE) : this;
    }

    private NodeView with(StandbyAgent now) {
        return new NodeView(presence, departed, status, heartbeat, heardNanos, now);
    }

    /** Whether this session is the connected standby's. */
    public boolean isStandby(String sessionId) {
        return !sessionId.isEmpty() && standby.sessionId().equals(sessionId);
    }

    /** What is on the node as it was said last; empty when no executor ever connected here. */
    public Optional<Inventory> inventory() {
        return presence.map(Presence::inventory).or(() -> departed);
    }

    /**
     * Whether the connected executor has told a later status than this one. What it said before
     * that is of the past; an earlier session's status does not count, for a node may have lost its
     * journal since.
     */
    public boolean hasHeardMoreThan(StatusMark mark) {
        return status.filter(slot -> isHeldBy(slot.sessionId()))
                .filter(slot -> slot.mark().compareTo(mark) > 0)
                .isPresent();
    }

    /** Whether this session is the connected executor's. */
    public boolean isHeldBy(String sessionId) {
        return presence.filter(present -> present.sessionId().equals(sessionId)).isPresent();
    }
}
