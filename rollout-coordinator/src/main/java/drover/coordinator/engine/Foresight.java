package drover.coordinator.engine;

import drover.coordinator.peers.DirectoryLink;
import drover.coordinator.peers.DirectoryLink.DirectoryNode;
import drover.coordinator.peers.DirectoryLink.Program;
import drover.coordinator.peers.DirectoryLink.UnhealthyNode;
import drover.coordinator.plan.ForeseenSkips;
import drover.coordinator.plan.ForeseenSkips.Ran;
import drover.coordinator.plan.ForeseenSkips.Skip;
import drover.coordinator.plan.PlanOutline;
import drover.coordinator.plan.Rollout;
import drover.coordinator.plan.RolloutSpec;
import drover.coordinator.store.PlanViews;
import drover.model.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What is known now of the nodes of a rollout, on whatever replica: the same for its plan, for what
 * is stored of it at creation, and for a start that demands it.
 */
record Foresight(PlanViews facts, DirectoryLink directory) {
    /** Who would be left alone if nothing changed before their turn. */
    List<Skip> skips(Rollout rollout) {
        RolloutSpec spec = rollout.spec();
        return ForeseenSkips.of(
                rollout,
                facts.guards(rollout.nodes().keySet()),
                directory.offline(chainOf(spec), spec.nodeType()),
                running(spec));
    }

    /** Nodes of the chain on which the program is unhealthy; an agent is healthy if connected. */
    List<UnhealthyNode> unhealthy(RolloutSpec spec) {
        return switch (spec.kind()) {
            case CARED_FOR -> directory.unhealthy(chainOf(spec), spec.binary());
            case AGENT -> List.of();
        };
    }

    /** The plan as a person agrees to it. */
    PlanOutline outline(Rollout rollout) {
        return PlanOutline.of(rollout, skips(rollout));
    }

    private static String chainOf(RolloutSpec spec) {
        return spec.kind().chainOfTargets(spec.chain());
    }

    private Map<NodeId, Ran> running(RolloutSpec spec) {
        Map<NodeId, Ran> running = new HashMap<>();
        for (DirectoryNode node : directory.nodes(chainOf(spec), spec.nodeType())) {
            Program program = node.programs().get(spec.binary());
            if (program != null) {
                running.put(
                        node.id(), new Ran(program.version(), program.digest(), program.config()));
            }
        }
        return running;
    }
}
