package drover.coordinator.engine.create;

import drover.coordinator.peers.NodeDirectoryLink;
import drover.coordinator.peers.NodeDirectoryLink.DirectoryNode;
import drover.coordinator.peers.NodeDirectoryLink.Program;
import drover.coordinator.peers.NodeDirectoryLink.UnhealthyNode;
import drover.coordinator.plan.explain.HashedPlan;
import drover.coordinator.plan.explain.SkipForecast;
import drover.coordinator.plan.explain.SkipForecast.ReportedProgram;
import drover.coordinator.plan.explain.SkipForecast.Skip;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.store.query.PreviewInputViews;
import drover.model.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What is known now of the nodes of a rollout, on whatever replica: the same for its plan, for what
 * is stored of it at creation, and for a start that demands it.
 */
record PlanFactsReader(PreviewInputViews facts, NodeDirectoryLink directory) {
    /** Who would be left alone if nothing changed before their turn. */
    List<Skip> forecastSkips(Rollout rollout) {
        RolloutSpec spec = rollout.spec();
        return SkipForecast.actualAndForecastSkips(
                rollout,
                findReservations(rollout),
                listOffline(spec),
                findRunningPrograms(spec),
                findDrift(rollout));
    }

    /** What is known of the nodes of the rollout apart from it: marks and retirements. */
    Map<NodeId, NodeAttemptsAndReservation> findReservations(Rollout rollout) {
        return facts.findReservations(rollout.nodes().keySet());
    }

    /** Nodes of the chain and type without a connected agent. */
    Set<NodeId> listOffline(RolloutSpec spec) {
        return directory.listOfflineNodes(targetChain(spec), spec.nodeType());
    }

    /** Sentences about the program; drift of another program does not stop an upgrade. */
    private Map<NodeId, String> findDrift(Rollout rollout) {
        return facts.findDrift(rollout.nodes().keySet()).entrySet().stream()
                .filter(drift -> IncidentRules.concerns(drift.getValue(), rollout.spec().binary()))
                .collect(Collectors.toMap(Map.Entry::getKey, drift -> drift.getValue().sentence()));
    }

    /** Nodes of the chain on which the program is unhealthy; an agent is healthy if connected. */
    List<UnhealthyNode> findUnhealthyInChain(RolloutSpec spec) {
        return switch (spec.programKind()) {
            case CARED_FOR -> directory.listUnhealthyNodes(targetChain(spec), spec.binary());
            case AGENT -> List.of();
        };
    }

    /** The plan as a person agrees to it. */
    HashedPlan outline(Rollout rollout) {
        return HashedPlan.of(rollout, forecastSkips(rollout));
    }

    private static String targetChain(RolloutSpec spec) {
        return spec.programKind().targetChain(spec.chain());
    }

    private Map<NodeId, ReportedProgram> findRunningPrograms(RolloutSpec spec) {
        Map<NodeId, ReportedProgram> running = new HashMap<>();
        for (DirectoryNode node : directory.listNodes(targetChain(spec), spec.nodeType())) {
            Program program = node.programs().get(spec.binary());
            if (program != null) {
                running.put(
                        node.id(),
                        new ReportedProgram(program.version(), program.digest(), program.config()));
            }
        }
        return running;
    }
}
