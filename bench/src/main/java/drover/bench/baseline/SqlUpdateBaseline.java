package drover.bench.baseline;

import drover.localenv.UserFacingError;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * The limit of a store: the same number of durable commits, each updating its share of the rows
 * with one {@code UPDATE … FROM unnest(…)}, and nothing else.
 */
public final class SqlUpdateBaseline implements AutoCloseable {
    private static final String STATE =
            "{\"status\": \"upgrading\", \"attempt\": 12, \"since\": \"2026-01-01T00:00:00Z\"}";
    private static final int REPORT_BYTES = 1_200; // as a status, see StreamWorkload

    private final DataSource database;
    private final int rows;
    private long sequence;

    /** Makes a table with so many rows, shaped as those that a status changes. */
    public static SqlUpdateBaseline create(DataSource database, int rows) {
        SqlUpdateBaseline made = new SqlUpdateBaseline(database, rows);
        made.run(
                "CREATE TABLE bench_node (node_id text PRIMARY KEY, state jsonb NOT NULL,"
                        + " sequence bigint NOT NULL, report bytea NOT NULL) WITH (fillfactor = 50)");
        made.run(
                "INSERT INTO bench_node SELECT 'node-' || n, '{}', 0, '' FROM generate_series(0, "
                        + (rows - 1)
                        + ") n");
        return made;
    }

    private SqlUpdateBaseline(DataSource database, int rows) {
        this.database = database;
        this.rows = rows;
    }

    /**
     * Updates every row so many times, in so many commits; how long that took.
     *
     * @param times updates of each row
     * @param commits in how many commits all together
     */
    public Duration measureUpdates(int times, int commits) {
        long started = System.nanoTime();
        try (Connection connection = database.getConnection();
                PreparedStatement update =
                        connection.prepareStatement(
                                "UPDATE bench_node b SET state = u.state::jsonb, sequence ="
                                        + " u.sequence, report = decode(u.report, 'base64') FROM"
                                        + " unnest(?::text[], ?::text[], ?::bigint[], ?::text[]) AS"
                                        + " u(node_id, state, sequence, report) WHERE b.node_id ="
                                        + " u.node_id AND b.sequence < u.sequence")) {
            connection.setAutoCommit(false);
            int total = rows * times;
            int first = 0;
            for (int commit = 1; commit <= commits; commit++) {
                int next = (int) ((long) total * commit / commits);
                while (first < next) {
                    first = update(connection, update, first, next);
                }
                connection.commit();
            }
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            throw new UserFacingError("PostgreSQL does not answer: " + e.getMessage(), e);
        }
        return Duration.ofNanos(System.nanoTime() - started);
    }

    /** One statement never has a row twice; returns where the next one begins. */
    private int update(Connection connection, PreparedStatement update, int first, int next)
            throws SQLException {
        int end = Math.min(next, first - first % rows + rows);
        long fresh = ++sequence;
        String report = java.util.Base64.getEncoder().encodeToString(new byte[REPORT_BYTES]);
        Object[] nodes =
                IntStream.range(first, end).mapToObj(row -> "node-" + row % rows).toArray();
        update.setArray(1, connection.createArrayOf("text", nodes));
        update.setArray(2, connection.createArrayOf("text", filled(nodes.length, STATE)));
        update.setArray(3, connection.createArrayOf("bigint", filled(nodes.length, fresh)));
        update.setArray(4, connection.createArrayOf("text", filled(nodes.length, report)));
        int changed = update.executeUpdate();
        if (changed != nodes.length) {
            throw new IllegalStateException(changed + " rows were changed, not " + nodes.length);
        }
        return end;
    }

    private static Object[] filled(int length, Object value) {
        Object[] values = new Object[length];
        java.util.Arrays.fill(values, value);
        return values;
    }

    private void run(String sql) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new UserFacingError("PostgreSQL does not answer: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        run("DROP TABLE bench_node");
    }
}
