package drover.coordinator.election;

import drover.kit.database.ConnectionSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to the database for one candidate alone: opened when it is needed, and anew after
 * it failed. Opening it ends in bounded time, whatever the source would wait for. Used by one
 * thread.
 */
final class ReconnectingConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReconnectingConnection.class);

    /**
     * Opening is half a dozen answers, with TLS and a password: some distance away 1 s and more.
     */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private final ConnectionSource source;
    private final Duration timeout;
    private final Initializer preparation;
    private @Nullable Connection connection;

    /** What is done to each before it is used. */
    interface Initializer {
        void initialize(Connection fresh) throws SQLException;
    }

    /**
     * One of this source.
     *
     * @param source of connections that nobody else lends or waits for
     * @param timeout how long one answer of the database may take
     */
    ReconnectingConnection(ConnectionSource source, Duration timeout, Initializer preparation) {
        this.source = source;
        this.timeout = timeout;
        this.preparation = preparation;
    }

    /**
     * The connection. Each answer over it is waited for as long as there is patience, also from a
     * machine that is gone.
     *
     * @throws SQLException when none could be opened in time
     */
    Connection getOrOpen() throws SQLException {
        Connection present = connection;
        if (present == null) {
            present = open();
            connection = present;
        }
        return present;
    }

    /** In a thread that can be given up, for the source may wait for much longer. */
    private Connection open() throws SQLException {
        Duration longest = timeout.compareTo(CONNECT_TIMEOUT) < 0 ? CONNECT_TIMEOUT : timeout;
        CompletableFuture<Connection> opened = new CompletableFuture<>();
        Thread opening = Thread.ofVirtual().name("own-connection").start(() -> open(opened));
        try {
            return opened.get(longest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new SQLException("no connection could be opened", e.getCause());
        } catch (TimeoutException e) {
            cancelOpening(opened, opening);
            throw new SQLTimeoutException(
                    "no connection was opened within " + longest.toMillis() + " ms", e);
        } catch (InterruptedException e) {
            cancelOpening(opened, opening);
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while a connection was opened", e);
        }
    }

    private void open(CompletableFuture<Connection> opened) {
        try {
            Connection fresh = source.open();
            prepare(fresh);
            if (!opened.complete(fresh)) {
                closeQuietly(fresh); // nobody waits for it any more
            }
        } catch (SQLException | RuntimeException e) {
            opened.completeExceptionally(e);
        }
    }

    private void prepare(Connection fresh) throws SQLException {
        try {
            fresh.setNetworkTimeout(Runnable::run, (int) Math.max(1, timeout.toMillis()));
            fresh.setAutoCommit(true);
            preparation.initialize(fresh);
        } catch (SQLException e) {
            closeQuietly(fresh);
            throw e;
        }
    }

    /** An interrupt closes the socket that a virtual thread waits for. */
    private static void cancelOpening(CompletableFuture<Connection> opened, Thread opening) {
        if (opened.cancel(false)) {
            opening.interrupt();
        } else if (!opened.isCompletedExceptionally()) {
            closeQuietly(opened.join()); // just now
        }
    }

    /** Ends it; the next {@link #getOrOpen} opens another one. Never throws. */
    @Override
    public void close() {
        Connection used = connection;
        connection = null;
        if (used != null) {
            closeQuietly(used);
        }
    }

    private static void closeQuietly(Connection used) {
        try {
            used.close();
        } catch (SQLException e) {
            LOG.debug("A connection was broken reason={}", e.getMessage());
        }
    }
}
