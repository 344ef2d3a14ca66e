package drover.opsagent.script;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How one step back stands.
 *
 * @param endedAt absent until it is done
 */
public record UndoEntry(UndoStep step, Instant startedAt, @Nullable Instant endedAt) {
    boolean done() {
        return endedAt != null;
    }
}
