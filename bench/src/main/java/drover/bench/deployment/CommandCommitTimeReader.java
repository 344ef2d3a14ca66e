package drover.bench.deployment;

import drover.bench.fleet.CommandReceiptFile.CommandId;
import drover.localenv.DataDirectory;
import drover.localenv.UserFacingError;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import drover.model.NodeId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * When PostgreSQL committed the decision to send a node its command, by PostgreSQL itself ({@code
 * track_commit_timestamp}). It takes the time when it writes down the commit, before that is
 * flushed to the disk and answered.
 */
public final class CommandCommitTimeReader {
    /** The row of history is written once and never changed, so that its transaction stays. */
    private static final String ASSIGNED =
            "SELECT a.node_id, a.attempt, pg_xact_commit_timestamp(h.xmin)"
                    + " FROM coordinator.history h JOIN coordinator.node_attempt a"
                    + " ON a.rollout_id = h.rollout_id AND a.node_id = h.node_id"
                    + " WHERE h.rollout_id = ?::uuid AND h.subject = 'node'"
                    + " AND h.to_status = 'assigned'";

    private final DataSource database;

    /** Of a database that was opened by {@link #startDatabase}. */
    public CommandCommitTimeReader(DataSource database) {
        this.database = database;
    }

    /** Starts the embedded server, the second time with what it reads at its start alone. */
    static EmbeddedOrExternalDatabase startDatabase(DataDirectory directory) {
        try (EmbeddedOrExternalDatabase first =
                        EmbeddedOrExternalDatabase.open(directory, Optional.empty());
                Connection connection = first.openPool("drover-bench", 1).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET track_commit_timestamp = on");
        } catch (SQLException e) {
            throw new UserFacingError("PostgreSQL takes no setting: " + e.getMessage(), e);
        }
        return EmbeddedOrExternalDatabase.open(directory, Optional.empty());
    }

    /** Of each command of a rollout, when its decision was committed. */
    public Map<CommandId, Instant> readCommandTimes(String rollout) {
        Map<CommandId, Instant> times = new HashMap<>();
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(ASSIGNED)) {
            statement.setString(1, rollout);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    times.put(
                            new CommandId(new NodeId(rows.getString(1)), rows.getLong(2)),
                            rows.getObject(3, OffsetDateTime.class).toInstant());
                }
            }
        } catch (SQLException e) {
            throw new UserFacingError("PostgreSQL does not answer: " + e.getMessage(), e);
        }
        return Map.copyOf(times);
    }
}
