package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.step.StepDraft;

/**
 * Ends the responsibility of a rollout for machines that were retired after it had modified them. A
 * rollback skips them, whether or not another machine is registered under their names.
 */
public final class RetiredNodeRules {
    private RetiredNodeRules() {}

    public static void evaluate(StepDraft draft) {
        boolean rollsBack =
                RolloutState.resumedState(draft.state()) instanceof RolloutState.RollingBack;
        for (NodeUpgrade node : draft.nodes()) {
            if (node.installedBy() != 0 && draft.isOnRetiredMachine(node)) {
                evaluateRetired(draft, node, rollsBack);
            }
        }
    }

    private static void evaluateRetired(StepDraft draft, NodeUpgrade node, boolean rollsBack) {
        switch (node.state()) {
            case NodeState.Pending pending when !rollsBack -> forgetInstalled(draft, node);
            case NodeState.Held held when !rollsBack -> forgetInstalled(draft, node);
            case NodeState.Assigned assigned -> {} // the agent or a deadline ends the attempt
            case NodeState.Upgrading upgrading -> {}
            case NodeState.Restoring restoring -> {}
            case NodeState.Restored restored -> {} // restored before the retirement
            case NodeState.RolledBack rolledBack -> {}
            default -> {
                if (rollsBack) {
                    skip(draft, node);
                }
            }
        }
    }

    /** An operator retries the node: the machine that is registered now has no earlier backup. */
    private static void forgetInstalled(StepDraft draft, NodeUpgrade node) {
        draft.putNodeWithCause(node.withInstalledBy(0), NodeUpgrade.RETIRED);
    }

    private static void skip(StepDraft draft, NodeUpgrade node) {
        NodeState.Skipped skipped =
                new NodeState.Skipped(
                        SkipReason.RETIRED, NodeUpgrade.RETIRED.sentence(), draft.now);
        draft.moveNode(node, skipped, NodeUpgrade.RETIRED);
        draft.putNode(draft.node(node.id()).withInstalledBy(0));
    }
}
