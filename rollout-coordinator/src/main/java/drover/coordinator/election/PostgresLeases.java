package drover.coordinator.election;

import drover.kit.database.ConnectionSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Grants the lease by a row of the coordinator's schema (seed 004). Every time in it is the
 * database's. Each candidate has a connection of its own that no pool lends, so that busy loops
 * never keep it from asking.
 */
public final class PostgresLeases implements Lease.Factory {
    /**
     * The seed's statement. A lease that was renewed further ahead than one given now would last is
     * nobody's either: the database's clock has gone back, and whoever held it might be dead.
     */
    private static final String CAMPAIGN =
            """
            INSERT INTO coordinator.leader_lease AS lease (holder, acquired_at, renewed_at, expires_at)
            VALUES (?, now(), now(), now() + ? * interval '1 millisecond')
            ON CONFLICT (id) DO UPDATE
            SET holder = excluded.holder,
                acquired_at = CASE WHEN lease.holder = excluded.holder
                    THEN lease.acquired_at ELSE excluded.acquired_at END,
                renewed_at = excluded.renewed_at,
                expires_at = excluded.expires_at
            WHERE lease.holder = excluded.holder
               OR lease.expires_at <= now()
               OR lease.renewed_at > excluded.expires_at
            """;

    private static final String CHECK =
            "SELECT 1 FROM coordinator.leader_lease WHERE holder = ? AND now() < expires_at";

    /** How long another's lease still lasts; none and a negative one are over. */
    private static final String LEFT =
            """
            SELECT ceil(extract(epoch FROM expires_at - clock_timestamp()) * 1000)::bigint
            FROM coordinator.leader_lease
            """;

    /** Waits for no disk: a resignation that a crash undoes is a lease that ends by itself. */
    private static final String RESIGN =
            """
            DELETE FROM coordinator.leader_lease
            WHERE holder = ? AND set_config('synchronous_commit', 'off', true) = 'off'
            """;

    private static final Logger LOG = LoggerFactory.getLogger(PostgresLeases.class);

    private final ConnectionSource fresh;
    private final LeaseDeadlineCalculator terms;

    /**
     * Leases of this length.
     *
     * @param fresh opens connections that are nobody else's, to a database with the coordinator's
     *     schema
     */
    public PostgresLeases(ConnectionSource fresh, Duration ttl) {
        this.fresh = fresh;
        this.terms = new LeaseDeadlineCalculator(ttl);
    }

    @Override
    public Lease openFor(String candidate) {
        return new RowLease(candidate);
    }

    private interface SqlCall<T> {
        T execute(Connection connection) throws SQLException;
    }

    private final class RowLease implements Lease {
        private final String candidate;
        private final ReconnectingConnection connection;

        RowLease(String candidate) {
            this.candidate = candidate;
            this.connection =
                    new ReconnectingConnection(fresh, terms.requestTimeout(), this::prepare);
        }

        @Override
        public boolean acquireOrRenew() {
            return callDatabase("campaigning", this::acquireOrRenew);
        }

        private boolean acquireOrRenew(Connection on) throws SQLException {
            try (PreparedStatement statement = on.prepareStatement(CAMPAIGN)) {
                statement.setString(1, candidate);
                statement.setLong(2, terms.ttl().toMillis());
                return statement.executeUpdate() > 0;
            }
        }

        @Override
        public boolean checkHeld() {
            return callDatabase("looking at the lease", this::checkHeld);
        }

        private boolean checkHeld(Connection on) throws SQLException {
            try (PreparedStatement statement = on.prepareStatement(CHECK)) {
                statement.setString(1, candidate);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next();
                }
            }
        }

        /** Hears at once that the row is gone, and waits for no longer than the lease lasts. */
        @Override
        public void awaitAvailable(Duration atMost) {
            try {
                callDatabase(
                        "waiting for the lease",
                        on -> {
                            long millis =
                                    Math.clamp(
                                            readRemainingMillis(on),
                                            1,
                                            Math.max(1, atMost.toMillis()));
                            return on.unwrap(PGConnection.class).getNotifications((int) millis);
                        });
            } catch (LeaseUnavailable e) {
                LOG.debug("Nothing is heard of the lease reason={}", e.getMessage()); // looks anew
            }
        }

        private static long readRemainingMillis(Connection on) throws SQLException {
            try (Statement statement = on.createStatement();
                    ResultSet rows = statement.executeQuery(LEFT)) {
                return rows.next() ? rows.getLong(1) : 0;
            }
        }

        private <T> T callDatabase(String doing, SqlCall<T> call) {
            try {
                return call.execute(connection.getOrOpen());
            } catch (SQLException e) {
                connection.close();
                throw new LeaseUnavailable(doing, e);
            }
        }

        private void prepare(Connection fresh) throws SQLException {
            long millis = Math.max(1, terms.requestTimeout().toMillis());
            try (Statement statement = fresh.createStatement()) {
                statement.execute("SET statement_timeout = " + millis);
                statement.execute("LISTEN drover_lease");
            }
        }

        @Override
        public void close() {
            boolean interrupted = Thread.interrupted(); // or its last words would not be heard
            try {
                callDatabase("resigning", this::resign);
            } catch (LeaseUnavailable e) {
                LOG.debug("The lease ends by itself reason={}", e.getMessage());
            }
            connection.close();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private int resign(Connection on) throws SQLException {
            try (PreparedStatement statement = on.prepareStatement(RESIGN)) {
                statement.setString(1, candidate);
                return statement.executeUpdate();
            }
        }
    }
}
