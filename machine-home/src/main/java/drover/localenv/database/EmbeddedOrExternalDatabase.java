package drover.localenv.database;

import drover.kit.database.ConnectionPool;
import drover.localenv.DataDirectory;
import drover.localenv.UserFacingError;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** An open database and the pools that were opened on it; closing it closes both. */
public final class EmbeddedOrExternalDatabase implements AutoCloseable {
    private static final int OLDEST = 150_000; // SQL is written for PostgreSQL 15 and up

    private static final List<String> DURABILITY =
            List.of("fsync", "synchronous_commit", "full_page_writes");

    private final String jdbcUrl;
    private final AutoCloseable server;
    private final List<ConnectionPool> pools = new ArrayList<>();

    private EmbeddedOrExternalDatabase(String jdbcUrl, AutoCloseable server) {
        this.jdbcUrl = jdbcUrl;
        this.server = server;
    }

    /**
     * Starts PostgreSQL on the data directory, or opens the one that is named, and checks that it
     * keeps what it is given.
     *
     * @param url JDBC address of a database of the operator's; empty starts the embedded one
     * @throws UserFacingError when it cannot be used
     */
    public static EmbeddedOrExternalDatabase open(DataDirectory directory, Optional<String> url) {
        if (url.isPresent()) {
            EmbeddedOrExternalDatabase named =
                    new EmbeddedOrExternalDatabase(JdbcUrlConverter.toJdbcUrl(url.get()), () -> {});
            named.requireSupported();
            return named;
        }
        EmbeddedPostgres server = EmbeddedPostgres.start(directory);
        return requireSupported(new EmbeddedOrExternalDatabase(server.jdbcUrl(), server));
    }

    /**
     * Starts PostgreSQL on the data directory and restarts it whenever it ends unexpectedly.
     *
     * @param notices one sentence for each unexpected end and each restart
     * @throws UserFacingError when it cannot be used
     */
    public static EmbeddedOrExternalDatabase openSupervised(
            DataDirectory directory, Consumer<String> notices) {
        PostgresSupervisor server = PostgresSupervisor.start(directory, notices);
        return requireSupported(new EmbeddedOrExternalDatabase(server.jdbcUrl(), server));
    }

    private static EmbeddedOrExternalDatabase requireSupported(
            EmbeddedOrExternalDatabase embedded) {
        try {
            embedded.requireSupported();
            return embedded;
        } catch (RuntimeException e) {
            embedded.close();
            throw e;
        }
    }

    /**
     * Ends the embedded server of a directory whose mesh is gone.
     *
     * @return true when there was one
     */
    public static boolean stopLeftover(DataDirectory directory) {
        return EmbeddedPostgres.stopLeftover(directory);
    }

    /**
     * Checks that the embedded server could be started on this machine; its programs are unpacked
     * for that, as {@code up} would do.
     *
     * @return the version, for people
     * @throws UserFacingError when it could not
     */
    public static String requireStartableVersion() {
        return EmbeddedPostgres.requireStartableVersion();
    }

    /**
     * Where the embedded server of a directory answers, if it runs.
     *
     * @return JDBC address; holds the password
     */
    public static Optional<String> findRunningUrl(DataDirectory directory) {
        return EmbeddedPostgres.findRunningUrl(directory);
    }

    /** How far the database's clock is ahead of this one; negative when it is behind. */
    public Duration measureClockOffset(InstantSource ours) {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            Instant before = ours.instant();
            try (ResultSet rows = statement.executeQuery("SELECT clock_timestamp()")) {
                rows.next();
                Instant theirs = rows.getObject(1, OffsetDateTime.class).toInstant();
                Duration roundTrip = Duration.between(before, ours.instant());
                return Duration.between(before.plus(roundTrip.dividedBy(2)), theirs);
            }
        } catch (SQLException e) {
            throw new UserFacingError(
                    "The database does not say its time (" + firstLine(e) + "); try again.", e);
        }
    }

    /**
     * A pool of connections.
     *
     * @param name what PostgreSQL shows as the sessions' application
     * @param size most connections at a time
     */
    public ConnectionPool openPool(String name, int size) {
        ConnectionPool pool = ConnectionPool.open(jdbcUrl, name, size);
        pools.add(pool);
        return pool;
    }

    private void requireSupported() {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            int version = Integer.parseInt(setting(statement, "server_version_num"));
            if (version < OLDEST) {
                throw new UserFacingError(
                        "The database is PostgreSQL "
                                + version / 10_000
                                + "; Drover needs 15 or newer: name another with --postgres.");
            }
            for (String setting : DURABILITY) {
                if (setting(statement, setting).equals("off")) {
                    throw new UserFacingError(
                            "The database has "
                                    + setting
                                    + " switched off and could forget what it promised; switch it"
                                    + " on.");
                }
            }
        } catch (SQLException e) {
            throw new UserFacingError(
                    "The database does not answer as --postgres names it ("
                            + firstLine(e)
                            + "); check address, user and password.",
                    e);
        }
    }

    private static String setting(Statement statement, String name) throws SQLException {
        try (ResultSet rows =
                statement.executeQuery("SELECT current_setting('" + name + "')")) { // names of ours
            rows.next();
            return rows.getString(1);
        }
    }

    static String firstLine(Exception failure) {
        return String.valueOf(failure.getMessage()).lines().findFirst().orElse("no reason given");
    }

    @Override
    public void close() {
        pools.forEach(ConnectionPool::close);
        try {
            server.close();
        } catch (Exception e) {
            throw new UserFacingError("The database did not stop: " + firstLine(e), e);
        }
    }
}
