package drover.coordinator.measure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Something that a move brought to an end. */
public sealed interface Ended {
    /** What it ended as: the status in the database and in REST. */
    String status();

    /** How long it took; null when it never began. */
    @Nullable Duration took();

    /** A rollout. */
    record OfRollout(String status, @Nullable Duration took) implements Ended {}

    /** The upgrade of a node, or its way back in a rollback. */
    record OfNode(String status, @Nullable Duration took) implements Ended {}
}
