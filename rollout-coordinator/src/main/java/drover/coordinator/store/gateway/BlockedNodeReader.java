package drover.coordinator.store.gateway;

import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.NodeId;
import java.util.Collection;
import java.util.Set;

/**
 * For which nodes nobody may speak, as the gateways wrote it down. A gateway that has lost its own
 * way to the database knows less than this (invariant H3).
 */
public interface BlockedNodeReader {
    /**
     * Those of these nodes that are revoked, locked or retired, now.
     *
     * @throws StoreUnavailable when nobody can say
     */
    Set<NodeId> findBlocked(Collection<NodeId> nodes);

    /** Where no node ever is. */
    static BlockedNodeReader none() {
        return nodes -> Set.of();
    }
}
