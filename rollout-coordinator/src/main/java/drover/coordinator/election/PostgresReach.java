package drover.coordinator.election;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the coordinators' database whether it is there, over a connection of its own: however busy
 * the others are, only a database that does not answer counts as away.
 */
public final class PostgresReach implements StoreReach {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresReach.class);

    private final DataSource dataSource;
    private final LeaseTerms terms;
    private @Nullable Connection connection;

    /**
     * Of this database.
     *
     * @param ttl of the candidates' leases: no answer is waited for longer than a quarter of it
     */
    public PostgresReach(DataSource dataSource, Duration ttl) {
        this.dataSource = dataSource;
        this.terms = new LeaseTerms(ttl);
    }

    @Override
    public boolean answers() {
        try (Statement statement = connection().createStatement()) {
            return statement.execute("SELECT 1");
        } catch (SQLException e) {
            LOG.debug("The database does not answer this candidate reason={}", e.getMessage());
            close();
            return false;
        }
    }

    private Connection connection() throws SQLException {
        Connection present = connection;
        if (present == null) {
            present = dataSource.getConnection();
            connection = present;
            int millis = (int) Math.max(1, terms.patience().toMillis());
            present.setNetworkTimeout(Runnable::run, millis); // a machine that is gone says nothing
            present.setAutoCommit(true);
        }
        return present;
    }

    @Override
    public void close() {
        Connection used = connection;
        connection = null;
        if (used == null) {
            return;
        }
        try {
            used.close();
        } catch (SQLException e) {
            LOG.debug("A connection was broken reason={}", e.getMessage());
        }
    }
}
