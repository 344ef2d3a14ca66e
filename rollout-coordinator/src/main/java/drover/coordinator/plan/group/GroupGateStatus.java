package drover.coordinator.plan.group;

import drover.coordinator.plan.observed.Cause;
import java.time.Instant;

/** What is known at the gate between two components. */
public sealed interface GroupGateStatus {
    /**
     * Not every program of every node has been judged.
     *
     * @param requestedAt since when this leader listens
     * @param waitingOn one sentence
     */
    record Waiting(Instant requestedAt, String waitingOn) implements GroupGateStatus {}

    /** Every program of every node is well, by verdicts newer than the component's end. */
    record Open(int nodes) implements GroupGateStatus {}

    /** A program is unwell. */
    record Closed(Cause because) implements GroupGateStatus {}
}
