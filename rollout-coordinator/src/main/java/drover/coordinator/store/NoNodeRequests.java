package drover.coordinator.store;

import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A ledger that is always empty; whatever is written to it meets no request. */
final class NoNodeRequests implements NodeRequestLedger {
    @Override
    public List<Pending> pending() {
        return List.of();
    }

    @Override
    public Map<NodeId, Instant> retiredSince(Instant since) {
        return Map.of();
    }

    @Override
    public Written clear(long epoch, Pending request, long attempt, byte[] body) {
        return Written.CONFLICT;
    }

    @Override
    public Retired retire(long epoch, Pending request, Instant at) {
        return new Retired.Done(0);
    }

    @Override
    public Written refuse(long epoch, UUID request, RefusalCode code, String sentence) {
        return Written.CONFLICT;
    }
}
