package drover.coordinator.plan;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a rollout behaves beyond its strategy: when nodes fail, and by when it should be done.
 *
 * @param finishBy when it must be over, as for a hard fork; null when there is no such moment
 * @param expected failures that are no surprise
 */
public record Conduct(OnFailure onFailure, @Nullable Instant finishBy, ExpectedFailures expected) {
    /** As a rollout behaves of which nothing special was asked. */
    public static final Conduct STANDARD =
            new Conduct(OnFailure.PAUSE, null, ExpectedFailures.NONE);

    /** Whether failures beyond what is tolerated bring everything back. */
    boolean rollsBack() {
        return onFailure == OnFailure.ROLLBACK;
    }

    /** The same with these failures expected. */
    public Conduct expecting(ExpectedFailures failures) {
        return new Conduct(onFailure, finishBy, failures);
    }
}
