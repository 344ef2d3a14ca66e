package drover.opsagent.journal;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How one step back stands.
 *
 * @param endedAt absent until it is done
 */
public record UndoStepProgress(UndoStep step, Instant startedAt, @Nullable Instant endedAt) {
    public boolean hasFinished() {
        return endedAt != null;
    }
}
