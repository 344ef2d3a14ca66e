package drover.coordinator.store.gateway;

import drover.coordinator.store.sql.Database;
import drover.model.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Reads three columns of the gateways' own schema, which are a contract as their registry is: a
 * node's id, and whether it is barred or retired. Looked up by id alone, so that it costs as much
 * as there are nodes asked for.
 */
public final class PostgresBlockedNodeReader implements BlockedNodeReader {
    private static final String COLUMNS =
            """
            SELECT count(*) = 2 FROM pg_attribute
            WHERE attrelid = to_regclass('gateway.node')
              AND attname IN ('barred_at', 'retired_at') AND NOT attisdropped
            """;

    private static final String BLOCKED =
            """
            SELECT id FROM gateway.node
            WHERE id = ANY (:nodes) AND (barred_at IS NOT NULL OR retired_at IS NOT NULL)
            """;

    private final Database database;
    private volatile boolean written; // once there, the columns stay

    /** Over the gateways' schema. */
    public PostgresBlockedNodeReader(Database database) {
        this.database = database;
    }

    @Override
    public Set<NodeId> findBlocked(Collection<NodeId> nodes) {
        if (nodes.isEmpty()) {
            return Set.of();
        }
        List<String> ids = nodes.stream().map(NodeId::value).toList();
        return database.read(
                "looking for nodes that nobody may speak for", handle -> findBlocked(handle, ids));
    }

    /** Where the columns are not there yet, no gateway has ever barred a node. */
    private Set<NodeId> findBlocked(Handle handle, List<String> ids) {
        written = written || handle.createQuery(COLUMNS).mapTo(Boolean.class).one();
        if (!written) {
            return Set.of();
        }
        return handle
                .createQuery(BLOCKED)
                .bindArray("nodes", String.class, ids)
                .mapTo(String.class)
                .stream()
                .map(NodeId::new)
                .collect(Collectors.toUnmodifiableSet());
    }
}
