package drover.coordinator.election;

import drover.kit.database.ConnectionSource;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the coordinators' database whether it is there, over a connection of its own that no pool
 * lends: however many others are lent, broken or mute, only a database that does not answer a fresh
 * one counts as away.
 */
public final class PostgresReachabilityProbe implements DatabaseProbe {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresReachabilityProbe.class);

    private final ReconnectingConnection connection;

    /**
     * Of this database.
     *
     * @param fresh opens connections that are nobody else's
     * @param ttl of the candidates' leases: no answer is waited for longer than a quarter of it
     */
    public PostgresReachabilityProbe(ConnectionSource fresh, Duration ttl) {
        this.connection =
                new ReconnectingConnection(
                        fresh, new LeaseDeadlineCalculator(ttl).requestTimeout(), _ -> {});
    }

    @Override
    public boolean checkReachable() {
        try (Statement statement = connection.getOrOpen().createStatement()) {
            return statement.execute("SELECT 1");
        } catch (SQLException e) {
            LOG.debug("The database does not answer this candidate reason={}", e.getMessage());
            close();
            return false;
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
