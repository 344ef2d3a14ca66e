package drover.opsagent.peers;

import drover.agent.v1.Welcome;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.journal.AttemptStatus;
import java.time.Duration;

/**
 * When an agent's next heartbeat is due: often from the acceptance of an attempt until some time
 * after its end, seldom at rest, and early when the health of a program changes. A program whose
 * health keeps changing causes no more heartbeats than an attempt does. Gateways may set other
 * intervals than the agent began with. Used by one thread.
 */
public final class HeartbeatSchedule {
    private static final Duration ACTIVE_HOLD =
            Duration.ofMinutes(10); // health is watched after an attempt

    private Duration idle;
    private Duration active;
    private long activeUntil;
    private boolean everActive;
    private long last;
    private long due;

    /** The pace until a gateway says otherwise. */
    public HeartbeatSchedule(Duration idle, Duration active) {
        this.idle = idle;
        this.active = active;
    }

    /** A gateway has said its own; a time that is not positive leaves the one before. */
    public void setIntervals(Welcome welcome) {
        Duration newIdle = CommandProtos.toClampedDuration(welcome.getIdleHeartbeat());
        Duration newActive = CommandProtos.toClampedDuration(welcome.getActiveHeartbeat());
        idle = newIdle.isPositive() ? newIdle : idle;
        active = newActive.isPositive() ? newActive : active;
    }

    /** A stream opened at this time of the agent's monotonic clock: its first heartbeat is due. */
    public void onStreamOpened(long now) {
        last = now;
        due = now;
    }

    /** Whether a heartbeat is due. */
    public boolean isDue(long now) {
        return now - due >= 0;
    }

    /** How long until the next heartbeat is due; negative when it is late. */
    public Duration untilDue(long now) {
        return Duration.ofNanos(due - now);
    }

    /** A heartbeat is sent now. Returns how soon the next one follows. */
    public Duration onHeartbeatSent(long now, StatusSlot slot) {
        Duration next = updateAndGetInterval(now, slot);
        last = now;
        due = now + next.toNanos();
        return next;
    }

    /** The status of an attempt was sent: the next heartbeat may be due earlier from now on. */
    public void onStatusSent(long now, StatusSlot slot) {
        moveDueEarlier(now + updateAndGetInterval(now, slot).toNanos());
    }

    /**
     * The health of a program changed: the next heartbeat is due one active interval after the
     * last.
     */
    public void onHealthChanged(long now) {
        long soonest = last + active.toNanos();
        moveDueEarlier(soonest - now < 0 ? now : soonest);
    }

    private void moveDueEarlier(long at) {
        due = at - due < 0 ? at : due;
    }

    private Duration updateAndGetInterval(long now, StatusSlot slot) {
        AttemptStatus status = slot.currentStatus();
        if (status != null && (!status.isTerminal() || slot.takeEndedFlag())) {
            activeUntil = now + ACTIVE_HOLD.toNanos();
            everActive = true;
        }
        return everActive && now - activeUntil < 0 ? active : idle;
    }
}
