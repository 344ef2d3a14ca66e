package drover.kit.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of connections, for any number of threads. Who comes when all are lent waits in
 * front of HikariCP and never within it: there a thread that gives a connection back looks for
 * whoever waits, again and again, and a few dozen virtual threads that do so keep those that wait
 * from ever running (HikariCP issue 2398).
 */
public final class ConnectionPool implements DataSource, AutoCloseable {
    /** How long a caller waits for a connection before it hears that the store is away. */
    private static final Duration WAIT = Duration.ofSeconds(5);

    /**
     * How long a database may say nothing before its connection counts as lost. A coordinator has
     * its statements ended by the server sooner: after 5 s where it leads, after 60 s else. Those
     * of a gateway take milliseconds; it asks the server to end what stands still in a transaction,
     * and no statement for its length, so this ends them. A machine or a firewall that is gone says
     * nothing for ever, and whoever waits for it would hold connection and thread for hours.
     */
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(65);

    private final HikariDataSource pool;
    private final Semaphore free;
    private final Duration wait;

    private ConnectionPool(HikariDataSource pool, Duration wait) {
        this.pool = pool;
        this.wait = wait;
        this.free = new Semaphore(pool.getMaximumPoolSize(), true); // nobody waits for ever
    }

    /** The pool at one moment. */
    public record Usage(int active, int idle, int waiting) {}

    /**
     * Opens a pool on a database.
     *
     * @param url as {@code jdbc:postgresql://…}
     * @param name what PostgreSQL shows as the sessions' application
     * @param size most connections at a time
     */
    public static ConnectionPool open(String url, String name, int size) {
        return open(url, name, size, SOCKET_TIMEOUT);
    }

    /**
     * The same with another bound on silence.
     *
     * @param timeout in whole seconds
     */
    public static ConnectionPool open(String url, String name, int size, Duration timeout) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMinimumIdle(1);
        config.addDataSourceProperty("ApplicationName", name);
        config.addDataSourceProperty("tcpKeepAlive", "true");
        config.addDataSourceProperty("socketTimeout", Long.toString(timeout.toSeconds()));
        return open(config, name, size, WAIT);
    }

    /**
     * Opens a pool over a source of connections, and keeps none that nobody needs.
     *
     * @param size most connections at a time
     */
    public static ConnectionPool ofDataSource(DataSource source, int size) {
        return ofDataSource(source, size, WAIT);
    }

    static ConnectionPool ofDataSource(DataSource source, int size, Duration wait) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMinimumIdle(0);
        return open(config, "over-a-source", size, wait);
    }

    private static ConnectionPool open(HikariConfig config, String name, int size, Duration wait) {
        config.setPoolName(name);
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(wait.toMillis());
        return new ConnectionPool(new HikariDataSource(config), wait);
    }

    /**
     * Lends a connection, waiting 5 s at the most until one is free, and 5 s for the database.
     *
     * @throws SQLTransientConnectionException when none came free in that time
     */
    @Override
    public Connection getConnection() throws SQLException {
        acquirePermit();
        boolean lent = false;
        try {
            Connection connection = BorrowedConnection.of(pool.getConnection(), free::release);
            lent = true;
            return connection;
        } finally {
            if (!lent) {
                free.release();
            }
        }
    }

    private void acquirePermit() throws SQLException {
        try {
            if (!free.tryAcquire(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new SQLTransientConnectionException(
                        "no connection came free within " + wait.toMillis() + " ms");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("interrupted while waiting for its turn", e);
        }
    }

    /** How many connections are lent and free, and who waits. */
    public Usage usage() {
        HikariPoolMXBean now = pool.getHikariPoolMXBean();
        return now == null // before the first connection
                ? new Usage(0, 0, 0)
                : new Usage(
                        now.getActiveConnections(),
                        now.getIdleConnections(),
                        free.getQueueLength());
    }

    /**
     * Opens a connection that this pool neither lends nor counts: for whoever must not depend on
     * what becomes of the others.
     */
    public Connection openUnpooled() throws SQLException {
        DataSource source = pool.getDataSource();
        return source == null
                ? DriverManager.getConnection(pool.getJdbcUrl(), pool.getDataSourceProperties())
                : source.getConnection();
    }

    /** Where it connects to; holds the password. Empty for one over a source. */
    public String url() {
        String url = pool.getJdbcUrl();
        return url == null ? "" : url;
    }

    @Override
    public void close() {
        pool.close();
    }

    /** Refused: whose connections these are was said when the pool was opened. */
    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("a pool has one user");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() throws SQLException {
        return pool.getLogWriter();
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        pool.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        pool.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return pool.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return pool.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(this) ? type.cast(this) : pool.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || pool.isWrapperFor(type);
    }
}
