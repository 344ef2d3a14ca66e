package drover.bench.deployment;

import drover.bench.fleet.BenchNode.BenchRelease;
import drover.localenv.UserFacingError;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** What PostgreSQL itself says: the only witness that none of the services can flatter. */
public final class DatabaseStats {
    private final DataSource database;

    public DatabaseStats(DataSource database) {
        this.database = database;
    }

    /**
     * One rollout.
     *
     * @param revision grows by one with each commit of its loop
     */
    public record RolloutProgress(String status, long revision, int succeeded) {
        /** Whether it is over, or waits for a person: there is nothing more to measure. */
        public boolean hasStopped() {
            return !status.equals("running") && !status.equals("pending");
        }
    }

    /** How far a rollout is. */
    public RolloutProgress progress(String rollout) {
        return query(
                "SELECT status, revision, succeeded_nodes FROM coordinator.rollout WHERE id ="
                        + " ?::uuid",
                rollout,
                row -> new RolloutProgress(row.getString(1), row.getLong(2), row.getInt(3)));
    }

    /** Transactions that were given a number, which only those that write something are. */
    long writeTransactions() {
        return number("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint WHERE ? = ''");
    }

    long walBytes() {
        return number("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint WHERE ? = ''");
    }

    long postmasterPid() {
        long backend = number("SELECT pg_backend_pid() WHERE ? = ''");
        return ProcessHandle.of(backend)
                .flatMap(ProcessHandle::parent)
                .map(ProcessHandle::pid)
                .orElseThrow(() -> new UserFacingError("PostgreSQL does not run on this machine."));
    }

    /** Nodes that have told the directory that they run a release. */
    public int nodesRunning(BenchRelease release) {
        return (int)
                query(
                                "SELECT count(*) FROM gateway.node WHERE programs::text LIKE ?",
                                "%" + release.digest().value() + "%",
                                row -> row.getLong(1))
                        .longValue();
    }

    /** Nodes whose agents have been connected and told what they run. */
    public int nodesWithReportedPrograms() {
        return (int) number("SELECT count(*) FROM gateway.node WHERE programs <> '[]' AND ? = ''");
    }

    private long number(String sql) {
        return query(sql, "", row -> row.getLong(1));
    }

    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private <T> T query(String sql, String argument, RowReader<T> reading) {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, argument);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    throw new UserFacingError("PostgreSQL knows nothing of '" + argument + "'.");
                }
                return reading.read(rows);
            }
        } catch (SQLException e) {
            throw new UserFacingError("PostgreSQL does not answer: " + e.getMessage(), e);
        }
    }
}
