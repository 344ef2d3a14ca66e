package drover.evaluator.assess;

import drover.model.NodeId;

/**
 * What shall be judged of a node: one program of an attempt, everything it runs, or nothing that
 * can be.
 */
public sealed interface HealthWatchSpec
        permits ProgramWatchSpec, AllProgramsWatchSpec, NodeWithInvalidWatch {
    /** The node. */
    NodeId node();

    /** Attempt that heartbeats must carry to count; 0 when any does. */
    long attempt();

    /** Whether what was learned under this watch still says something under the other. */
    boolean sharesHistoryWith(HealthWatchSpec other);
}
