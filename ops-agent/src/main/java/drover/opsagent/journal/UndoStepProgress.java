package drover.opsagent.journal;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How one step back stands.
 *
 * @param endedAt absent until it is done
 * @param detail sentence for operators, or empty; absent in journals of earlier versions
 */
public record UndoStepProgress(
        UndoStep step, Instant startedAt, @Nullable Instant endedAt, @Nullable String detail) {
    public boolean hasFinished() {
        return endedAt != null;
    }
}
