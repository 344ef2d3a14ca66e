package drover.coordinator.store.incident;

import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules.LastProgramWork;
import drover.coordinator.plan.incident.IncidentRules.UnhealthyAfterEnd;
import drover.model.NodeId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Keeps nothing. */
final class EmptyLeaderIncidentStore implements LeaderIncidentStore {
    @Override
    public Map<OpenIncident, String> findOpenWhileReported() {
        return Map.of();
    }

    @Override
    public List<UnhealthyAfterEnd> findUnhealthyAfterEnd() {
        return List.of();
    }

    @Override
    public Map<ProgramOfNode, LastProgramWork> findLastWork(Collection<NodeId> nodes) {
        return Map.of();
    }

    @Override
    public boolean write(long epoch, List<IncidentChange> changes, Instant at) {
        return true;
    }
}
