package drover.opsagent.journal;

import drover.model.Action;
import drover.model.ActionOutcome;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How one action of an attempt stands. The times are for people and traces; no decision reads them
 * (C7).
 *
 * @param endedAt absent while it runs
 */
public record ActionEntry(
        Action action,
        ActionOutcome outcome,
        Instant startedAt,
        @Nullable Instant endedAt,
        String detail) {
    public boolean hasSucceeded() {
        return outcome == ActionOutcome.DONE || outcome == ActionOutcome.ALREADY_DONE;
    }
}
