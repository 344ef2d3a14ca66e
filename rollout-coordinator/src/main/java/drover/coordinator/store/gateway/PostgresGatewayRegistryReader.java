package drover.coordinator.store.gateway;

import drover.coordinator.store.sql.Database;
import java.util.List;

/**
 * Reads the registry that gateways write in their own schema: a contract, as are the columns that
 * {@link PostgresBlockedNodeReader} reads.
 */
public final class PostgresGatewayRegistryReader implements GatewayRegistryReader {
    private final Database database;

    /** A registry over the gateways' schema. */
    public PostgresGatewayRegistryReader(Database database) {
        this.database = database;
    }

    @Override
    public List<RegisteredGateway> listRecentGateways() {
        return database.read(
                "looking for gateways",
                handle -> {
                    boolean there =
                            handle.createQuery("SELECT to_regclass('gateway.gateway') IS NOT NULL")
                                    .mapTo(Boolean.class)
                                    .one();
                    if (!there) {
                        return List.<RegisteredGateway>of(); // no gateway has ever started here
                    }
                    return handle.createQuery(
                                    "SELECT id, address FROM gateway.gateway"
                                            + " WHERE seen_at > now() - interval '20 seconds' ORDER BY id")
                            .map(
                                    (row, context) ->
                                            new RegisteredGateway(
                                                    row.getString(1), row.getString(2)))
                            .list();
                });
    }
}
