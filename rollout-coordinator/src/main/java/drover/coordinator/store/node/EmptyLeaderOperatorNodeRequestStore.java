package drover.coordinator.store.node;

import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A ledger that is always empty; whatever is written to it meets no request. */
final class EmptyLeaderOperatorNodeRequestStore implements LeaderOperatorNodeRequestStore {
    @Override
    public List<PendingNodeRequest> findPending() {
        return List.of();
    }

    @Override
    public Map<NodeId, Instant> findRetiredSince(Instant since) {
        return Map.of();
    }

    @Override
    public WriteResult assignClear(
            long epoch, PendingNodeRequest request, long attempt, byte[] body) {
        return WriteResult.CONFLICT;
    }

    @Override
    public RetireResult retireNode(long epoch, PendingNodeRequest request, Instant at) {
        return new RetireResult.Done(0);
    }

    @Override
    public WriteResult refuse(long epoch, UUID request, RefusalCode code, String sentence) {
        return WriteResult.CONFLICT;
    }
}
