package drover.coordinator.metrics;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Something that a move brought to an end. */
public sealed interface FinishedWork {
    /** What it ended as: the status in the database and in REST. */
    String status();

    /** How long it took; null when it never began. */
    @Nullable Duration duration();

    /** A rollout. */
    record FinishedRollout(String status, @Nullable Duration duration) implements FinishedWork {}

    /** The upgrade of a node, or its way back in a rollback. */
    record FinishedNode(String status, @Nullable Duration duration) implements FinishedWork {}
}
