package drover.coordinator.store.request;

import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.RolloutId;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Hears that requests were written down. Only wakes: what is heard carries no input, and nothing is
 * lost when it is missed.
 */
public final class RequestNotificationReader implements AutoCloseable {
    /** A connection on which nothing comes may have gone mute: it is asked now and then. */
    private static final Duration PROBE_INTERVAL = Duration.ofSeconds(10);

    private static final int ANSWERS_WITHIN_SECONDS = 5;

    private final Connection connection;
    private long requestedNanos = System.nanoTime();

    private RequestNotificationReader(Connection connection) {
        this.connection = connection;
    }

    /** Begins to listen on a connection of its own. */
    public static RequestNotificationReader open(Database database) {
        try {
            Connection connection = database.dataSource().getConnection();
            connection.setAutoCommit(true);
            try (Statement statement = connection.createStatement()) {
                statement.execute("LISTEN drover_request");
            }
            return new RequestNotificationReader(connection);
        } catch (SQLException e) {
            throw new StoreUnavailable("listening for requests", e);
        }
    }

    /** Rollouts that requests were written for, waiting this long at the most. */
    public List<RolloutId> awaitRequestedRollouts(Duration atMost) {
        try {
            requireAlive();
            PGNotification[] received =
                    connection
                            .unwrap(PGConnection.class)
                            .getNotifications((int) Math.max(1, atMost.toMillis()));
            List<RolloutId> rollouts = new ArrayList<>();
            for (PGNotification notification :
                    received == null ? new PGNotification[0] : received) {
                rollouts.add(new RolloutId(notification.getParameter()));
            }
            return rollouts;
        } catch (SQLException e) {
            throw new StoreUnavailable("listening for requests", e);
        }
    }

    private void requireAlive() throws SQLException {
        if (System.nanoTime() - requestedNanos < PROBE_INTERVAL.toNanos()) {
            return;
        }
        requestedNanos = System.nanoTime();
        if (!connection.isValid(ANSWERS_WITHIN_SECONDS)) {
            throw new SQLException("The connection for notifications is mute.");
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new StoreUnavailable("closing the listener", e);
        }
    }
}
