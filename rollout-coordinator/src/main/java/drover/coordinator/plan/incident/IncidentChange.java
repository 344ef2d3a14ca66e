package drover.coordinator.plan.incident;

import drover.coordinator.plan.observed.Cause;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a step means for the incidents. Written in the transaction of the step. */
public sealed interface IncidentChange {
    /**
     * An incident begins. While one of the same category, node and rollout stands, nothing is
     * opened; if incidents of the category are open while agents report them, that one gets this
     * cause.
     *
     * @param rollout null when none is concerned
     * @param recoveryPlan what to do when the program cannot read its state; empty when there is no
     *     such plan
     */
    record Open(
            IncidentCategory category,
            IncidentSeverity severity,
            NodeId node,
            @Nullable RolloutId rollout,
            Cause because,
            String recoveryPlan)
            implements IncidentChange {
        public Open {
            if (category == IncidentCategory.UNKNOWN || severity == IncidentSeverity.UNKNOWN) {
                throw new IllegalArgumentException("Nobody opens what nobody knows");
            }
        }
    }

    /**
     * What stood of these categories is over.
     *
     * @param codes only what was opened for one of these reasons; empty for whatever reason
     * @param node null for every node of the rollout
     * @param rollout null for every rollout of the node
     * @param program only what rollouts of this program opened; null for whatever opened it
     */
    record CloseMatching(
            Set<IncidentCategory> categories,
            Set<String> codes,
            @Nullable NodeId node,
            @Nullable RolloutId rollout,
            @Nullable BinaryName program,
            Cause because)
            implements IncidentChange {
        /** Whatever it was opened for. */
        public CloseMatching(
                Set<IncidentCategory> categories,
                @Nullable NodeId node,
                @Nullable RolloutId rollout,
                Cause because) {
            this(categories, Set.of(), node, rollout, null, because);
        }

        /** Only what was opened for one of these reasons. */
        public CloseMatching(
                Set<IncidentCategory> categories,
                Set<String> codes,
                @Nullable NodeId node,
                @Nullable RolloutId rollout,
                Cause because) {
            this(categories, codes, node, rollout, null, because);
        }

        /** Whatever rollouts of a program opened about a node. */
        static CloseMatching ofProgram(
                Set<IncidentCategory> categories, NodeId node, BinaryName program, Cause because) {
            return new CloseMatching(categories, Set.of(), node, null, program, because);
        }

        public CloseMatching {
            categories = Set.copyOf(categories);
            codes = Set.copyOf(codes);
            if (node == null && rollout == null) {
                throw new IllegalArgumentException("Nothing closes every incident there is");
            }
        }
    }
}
