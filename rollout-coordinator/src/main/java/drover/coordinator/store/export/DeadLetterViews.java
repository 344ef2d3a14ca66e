package drover.coordinator.store.export;

import drover.coordinator.store.sql.StoreUnavailable;
import java.time.Instant;
import java.util.List;

/**
 * Events that receivers rejected, for operators; any replica serves them. All methods throw {@link
 * StoreUnavailable}.
 */
public interface DeadLetterViews {
    /**
     * Dead letters in the order of the events.
     *
     * @param sink empty for every receiver
     * @param after continues after this one; {@link Position#START} from the oldest
     */
    List<DeadLetter> list(String sink, Position after, int limit);

    /** Key of a dead letter in the order of the list. */
    record Position(long seq, String sink) {
        /** Before the first. */
        public static final Position START = new Position(0, "");
    }

    /**
     * An event that a receiver rejected.
     *
     * @param attempts how often it was rejected
     * @param retrying whether an operator requested that it is sent again
     */
    record DeadLetter(
            long seq,
            String sink,
            String eventId,
            String type,
            String subject,
            String problem,
            int attempts,
            Instant rejectedAt,
            boolean retrying) {
        /** Its key. */
        public Position position() {
            return new Position(seq, sink);
        }
    }
}
