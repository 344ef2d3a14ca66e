package drover.system.failover;

import drover.coordinator.store.check.ObservationChecker.AttemptStatusRecord;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.kit.database.ConnectionPool;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What the database of a mesh says, read without asking any of its services. */
public final class DatabaseReader {
    private final ConnectionPool pool;

    public DatabaseReader(ConnectionPool pool) {
        this.pool = pool;
    }

    /** Which coordinator leads, as the fence says. */
    String leader() {
        return query("SELECT holder FROM coordinator.leader_epoch", row -> row.getString(1))
                .getFirst();
    }

    long epoch() {
        return number("SELECT epoch FROM coordinator.leader_epoch");
    }

    long decisionsAfter(long epoch) {
        return number("SELECT count(*) FROM coordinator.history WHERE epoch > " + epoch);
    }

    /** The database's clock. */
    Instant now() {
        return query("SELECT clock_timestamp()", row -> row.getTimestamp(1).toInstant()).getFirst();
    }

    /** How many nodes were given work later than this, by the database's clock. */
    long dispatchedAfter(Instant moment) {
        return number(
                "SELECT count(*) FROM coordinator.node_attempt WHERE assigned_at > '"
                        + moment
                        + "'");
    }

    /** How many rows of history are later than this. */
    long decidedAfter(Instant moment) {
        return number("SELECT count(*) FROM coordinator.history WHERE at > '" + moment + "'");
    }

    /** How many agents are connected to a gateway. */
    long connected(String gateway) {
        return number("SELECT count(*) FROM gateway.node WHERE gateway_id = '" + gateway + "'");
    }

    /**
     * Nodes that are connected to a gateway, as it wrote down last, in the order of their names.
     */
    List<String> connectedTo(String gateway) {
        return query(
                "SELECT id FROM gateway.node WHERE gateway_id = '" + gateway + "' ORDER BY id",
                row -> row.getString(1));
    }

    /** Whether a gateway has said lately that it lives, as a leader sees it. */
    boolean isRegistered(String gateway) {
        return number(
                        "SELECT count(*) FROM gateway.gateway WHERE id = '"
                                + gateway
                                + "' AND seen_at > now() - interval '20 seconds'")
                > 0;
    }

    /** The ids of all rollouts, oldest first. */
    List<String> rollouts() {
        return query(
                "SELECT id FROM coordinator.rollout ORDER BY created_at", row -> row.getString(1));
    }

    /** What is written of a rollout, oldest first. */
    List<HistoryEntry> history(String rollout) {
        return query(
                "SELECT * FROM coordinator.history WHERE rollout_id = '"
                        + rollout
                        + "' ORDER BY seq",
                HistoryEntry::read);
    }

    /** How far each attempt is, as its node's statuses were written down. */
    List<AttemptStatusRecord> reported() {
        return query(
                "SELECT node_id, attempt, sequence, outcome, open FROM coordinator.node_attempt",
                row ->
                        new AttemptStatusRecord(
                                row.getString(1),
                                row.getLong(2),
                                row.getLong(3),
                                row.getString(4),
                                row.getBoolean(5)));
    }

    /** How many certificates each node was given, in the order of their names. */
    List<Long> certificates() {
        return query("SELECT generation FROM gateway.node ORDER BY id", row -> row.getLong(1));
    }

    /** Which of them each has dialled with last. */
    List<Long> shownCertificates() {
        return query(
                "SELECT shown_generation FROM gateway.node ORDER BY id", row -> row.getLong(1));
    }

    /** Nodes for which nobody may speak any more. */
    List<String> blocked() {
        return query(
                "SELECT id FROM gateway.node WHERE barred_at IS NOT NULL ORDER BY id",
                row -> row.getString(1));
    }

    /** How far both schemas are: the highest step of each. */
    List<String> schemas() {
        return query(
                "SELECT 'gateway ' || max(version::int) FROM gateway.schema_history UNION ALL"
                        + " SELECT 'coordinator ' || max(version::int) FROM"
                        + " coordinator.flyway_schema_history",
                row -> row.getString(1));
    }

    private long number(String sql) {
        return query(sql, row -> row.getLong(1)).getFirst();
    }

    private interface Reading<T> {
        T read(ResultSet row) throws SQLException;
    }

    private <T> List<T> query(String sql, Reading<T> reading) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            List<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(reading.read(rows));
            }
            return all;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
