package drover.coordinator.store.query;

import drover.coordinator.store.sql.StoreUnavailable;
import java.time.Duration;
import java.util.Map;

/** Counts of what waits for operators. All methods throw {@link StoreUnavailable}. */
public interface AttentionCountViews {
    /** The present counts. */
    AttentionCounts readCounts();

    /** Nothing waits. */
    static AttentionCountViews none() {
        return () -> AttentionCounts.NONE;
    }

    /**
     * What waits for operators.
     *
     * @param incidents unresolved incidents, by the word of their category
     * @param approvals rollouts that wait for an approval
     * @param oldestApproval how long the first of them waits; zero without any
     * @param deadLetters events that a receiver of the present configuration rejected
     */
    record AttentionCounts(
            Map<String, Long> incidents,
            long approvals,
            Duration oldestApproval,
            long deadLetters) {
        /** Nothing waits. */
        public static final AttentionCounts NONE =
                new AttentionCounts(Map.of(), 0, Duration.ZERO, 0);

        public AttentionCounts {
            incidents = Map.copyOf(incidents);
        }
    }
}
