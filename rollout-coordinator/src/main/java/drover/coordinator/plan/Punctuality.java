package drover.coordinator.plan;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether a rollout will be done by the moment it must be. Pure.
 *
 * @param foreseenEnd when it is over if nothing fails; null while nothing was measured or it waits
 *     for a person
 */
public record Punctuality(Pace pace, @Nullable Instant foreseenEnd) {
    /** How it keeps its time. */
    public enum Pace {
        /** It is done in time, or will be at the measured pace. */
        ON_TRACK,
        /** It is not. */
        LATE,
        /** Nothing can be said: nothing is measured, or a person is waited for. */
        UNKNOWN
    }

    /**
     * Says it.
     *
     * @param finishBy when it must be done
     * @param finishedAt when it ended; null while it has not
     */
    public static Punctuality of(
            Rollout rollout,
            Forecast forecast,
            NodeWork work,
            Instant finishBy,
            @Nullable Instant finishedAt,
            Instant now) {
        if (rollout.state() instanceof RolloutState.Completed) {
            Instant end = finishedAt == null ? rollout.state().since() : finishedAt;
            return new Punctuality(end.isAfter(finishBy) ? Pace.LATE : Pace.ON_TRACK, end);
        }
        if (rollout.state().isFinal()) {
            return new Punctuality(Pace.UNKNOWN, null); // it does not get there any more
        }
        if (now.isAfter(finishBy)) {
            return new Punctuality(Pace.LATE, null);
        }
        boolean measured = work.measuredFrom() > 0;
        boolean moves =
                rollout.state() instanceof RolloutState.Running
                        || rollout.state() instanceof RolloutState.Pending;
        Instant end = now.plus(forecast.expected());
        if (!measured) {
            return new Punctuality(Pace.UNKNOWN, null);
        }
        if (end.isAfter(finishBy)) {
            return new Punctuality(Pace.LATE, end); // however soon the person comes
        }
        return moves ? new Punctuality(Pace.ON_TRACK, end) : new Punctuality(Pace.UNKNOWN, null);
    }
}
