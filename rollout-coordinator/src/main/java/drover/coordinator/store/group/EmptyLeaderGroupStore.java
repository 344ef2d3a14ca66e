package drover.coordinator.store.group;

import drover.coordinator.store.commit.Commit;
import drover.model.GroupId;
import drover.model.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** For stores that keep no groups. */
final class EmptyLeaderGroupStore implements LeaderGroupStore {
    @Override
    public List<GroupId> findActiveOrRequested() {
        return List.of();
    }

    @Override
    public Optional<LoadedGroup> load(GroupId id) {
        return Optional.empty();
    }

    @Override
    public List<PendingGroupRequest> pendingRequests(GroupId id) {
        return List.of();
    }

    @Override
    public Set<NodeId> findGateNodes(GroupId id, int component) {
        return Set.of();
    }

    @Override
    public Set<NodeId> findSupersededNodes(GroupId id) {
        return Set.of();
    }

    @Override
    public Commit.Outcome commit(GroupCommit commit) {
        return new Commit.Outcome.Conflict();
    }
}
