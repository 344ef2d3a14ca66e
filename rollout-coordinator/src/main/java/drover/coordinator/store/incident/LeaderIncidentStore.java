package drover.coordinator.store.incident;

import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules.LastProgramWork;
import drover.coordinator.plan.incident.IncidentRules.UnhealthyAfterEnd;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Incidents that agents tell of, as the leader's fleet loop keeps them. What a step of a rollout
 * opens or closes is written by its commit. All methods throw {@link StoreUnavailable}.
 */
public interface LeaderIncidentStore {
    /** Where nothing is kept of what agents notice. */
    LeaderIncidentStore NONE = new EmptyLeaderIncidentStore();

    /**
     * The sentence of each incident that is noticed and whose cause goes on, as far as is known.
     */
    Map<OpenIncident, String> findOpenWhileReported();

    /** Open incidents of unhealthy nodes whose rollouts have ended. */
    List<UnhealthyAfterEnd> findUnhealthyAfterEnd();

    /** The last work on each program of these nodes; programs without any are left out. */
    Map<ProgramOfNode, LastProgramWork> findLastWork(Collection<NodeId> nodes);

    /**
     * Opens and closes, fenced.
     *
     * @return false when another leader has taken over
     */
    boolean write(long epoch, List<IncidentChange> changes, Instant at);

    /**
     * One that stands.
     *
     * @param rollout null when none is concerned
     */
    record OpenIncident(IncidentCategory category, NodeId node, @Nullable RolloutId rollout) {}

    /** A program on a node. */
    record ProgramOfNode(NodeId node, String program) {}
}
