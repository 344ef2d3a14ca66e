package drover.coordinator.store.group;

import drover.coordinator.plan.group.ComponentRolloutSummary;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.group.RequestToComponent;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.Commit.DecidedRequest;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.GroupId;
import drover.model.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What the leader loads and commits of groups, under the same fence as everything it writes. All
 * methods throw {@link StoreUnavailable}.
 */
public interface LeaderGroupStore {
    /** Where there are no groups. */
    LeaderGroupStore NONE = new EmptyLeaderGroupStore();

    /** Groups that have not ended, and ended ones with an undecided request. */
    List<GroupId> findActiveOrRequested();

    /** A group with its components and what it asked of them, all of one moment. */
    Optional<LoadedGroup> load(GroupId id);

    /** Undecided requests of a group, oldest first. */
    List<PendingGroupRequest> pendingRequests(GroupId id);

    /**
     * The nodes whose programs the gate after a component looks at: all targets of the group but
     * those that a component up to this one left out because they were away or an operator said so.
     */
    Set<NodeId> findGateNodes(GroupId id, int component);

    /** Nodes on which a later change of a component's program stands, as for rollouts. */
    Set<NodeId> findSupersededNodes(GroupId id);

    /** Writes a step, with what it asks of components, in one transaction. */
    Commit.Outcome commit(GroupCommit commit);

    /**
     * A group's own facts beside its state.
     *
     * @param components in their order
     * @param requestStatuses what it asked so far, by key
     */
    record LoadedGroup(
            RolloutGroup group,
            String historyHead,
            List<ComponentRolloutSummary> components,
            Map<String, RequestToComponent.Status> requestStatuses) {
        public LoadedGroup {
            components = List.copyOf(components);
            requestStatuses = Map.copyOf(requestStatuses);
        }
    }

    /** An undecided request. */
    record PendingGroupRequest(
            UUID id, String actor, String reason, GroupRequest request, Instant createdAt) {}

    /**
     * Everything that one step of a group changes.
     *
     * @param before the group as it was loaded
     * @param after the group as it shall be, with the next revision
     * @param historyHead hash of the last history row before
     * @param componentRequests asked of components; one with a known key is not written again
     * @param requests requests decided
     */
    record GroupCommit(
            long epoch,
            RolloutGroup before,
            RolloutGroup after,
            List<HistoryEntry> history,
            String historyHead,
            List<RequestToComponent> componentRequests,
            List<DecidedRequest> requests) {
        public GroupCommit {
            history = List.copyOf(history);
            componentRequests = List.copyOf(componentRequests);
            requests = List.copyOf(requests);
        }

        /** Why components are asked: what moved the group, if it moved. */
        public String reason() {
            return history.isEmpty() ? "" : history.getLast().because().sentence();
        }
    }
}
