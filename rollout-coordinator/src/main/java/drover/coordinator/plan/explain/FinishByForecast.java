package drover.coordinator.plan.explain;

import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether a rollout will be done by the moment it must be. Pure.
 *
 * @param expectedEnd when it is over if nothing fails; null while nothing was measured or it waits
 *     for a person
 */
public record FinishByForecast(Outlook outlook, @Nullable Instant expectedEnd) {
    /** How it keeps its time. */
    public enum Outlook {
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
    public static FinishByForecast of(
            Rollout rollout,
            RolloutForecast forecast,
            NodeWorkEstimate work,
            Instant finishBy,
            @Nullable Instant finishedAt,
            Instant now) {
        if (rollout.state() instanceof RolloutState.Completed) {
            Instant end = finishedAt == null ? rollout.state().since() : finishedAt;
            return new FinishByForecast(
                    end.isAfter(finishBy) ? Outlook.LATE : Outlook.ON_TRACK, end);
        }
        if (rollout.state().isFinal()) {
            return new FinishByForecast(Outlook.UNKNOWN, null); // it does not get there any more
        }
        if (now.isAfter(finishBy)) {
            return new FinishByForecast(Outlook.LATE, null);
        }
        boolean measured = work.measuredFrom() > 0;
        boolean moves =
                rollout.state() instanceof RolloutState.Running
                        || rollout.state() instanceof RolloutState.Pending;
        Instant end = now.plus(forecast.expectedDuration());
        if (!measured) {
            return new FinishByForecast(Outlook.UNKNOWN, null);
        }
        if (end.isAfter(finishBy)) {
            return new FinishByForecast(Outlook.LATE, end); // however soon the person comes
        }
        return moves
                ? new FinishByForecast(Outlook.ON_TRACK, end)
                : new FinishByForecast(Outlook.UNKNOWN, null);
    }
}
