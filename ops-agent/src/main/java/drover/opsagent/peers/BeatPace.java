package drover.opsagent.peers;

import drover.agent.v1.Welcome;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.script.AttemptStatus;
import java.time.Duration;

/**
 * How soon an agent's next heartbeat follows: often from the acceptance of an attempt until some
 * time after its end, seldom at rest. Gateways may say other times than the agent began with. Used
 * by one thread.
 */
public final class BeatPace {
    private static final Duration HOLD =
            Duration.ofMinutes(10); // health is watched after an attempt

    private Duration idle;
    private Duration active;
    private long activeUntil;
    private boolean everActive;

    /** The pace until a gateway says otherwise. */
    public BeatPace(Duration idle, Duration active) {
        this.idle = idle;
        this.active = active;
    }

    /** A gateway has said its own; a time that is not positive leaves the one before. */
    public void told(Welcome welcome) {
        Duration newIdle = CommandProtos.duration(welcome.getIdleHeartbeat());
        Duration newActive = CommandProtos.duration(welcome.getActiveHeartbeat());
        idle = newIdle.isPositive() ? newIdle : idle;
        active = newActive.isPositive() ? newActive : active;
    }

    /** How soon the next one follows, by the agent's monotonic clock. */
    public Duration next(long now, StatusSlot slot) {
        AttemptStatus status = slot.current();
        if (status != null && (!status.isTerminal() || slot.takeEnded())) {
            activeUntil = now + HOLD.toNanos();
            everActive = true;
        }
        return everActive && now - activeUntil < 0 ? active : idle;
    }
}
