package drover.kit.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.callback.BaseCallback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A service's own part of the database. While services are replaced one by one, programs of two
 * versions use it at once, so a migration only adds (expand). One that takes away what an earlier
 * version used is named {@code V30__contract_…}, and comes a version later; a program that meets
 * one which it does not know does not start.
 */
public final class SchemaMigration {
    private static final Logger LOG = LoggerFactory.getLogger(SchemaMigration.class);
    private static final String CONTRACT_MIGRATION = "contract ";

    /** What PostgreSQL says to a step that waited in vain, and to the one of two in a deadlock. */
    private static final Set<String> LOCK_CONFLICT_STATES = Set.of("55P03", "40P01");

    /**
     * How long a step waits for a table that others use. Whoever comes meanwhile waits behind it: a
     * leader, which gives up a statement after 5 s and may have a lease of 3 s.
     */
    private static final Duration LOCK_WAIT = Duration.ofSeconds(1);

    private static final Duration RETRY_INTERVAL =
            Duration.ofSeconds(4); // those behind it catch up

    /** For a dump or somebody's long look to end, and for another program that runs the steps. */
    private static final Duration LOCK_RETRY_LIMIT = Duration.ofMinutes(5);

    private SchemaMigration() {}

    /** The database belongs to a newer version, which took away what this one uses. */
    public static final class NewerSchema extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private NewerSchema(MigrationInfo step) {
            super(
                    "A newer version of Drover has brought the database to step "
                            + step.getVersion()
                            + " ("
                            + step.getDescription()
                            + "), which this version cannot work with: start the newer one.");
        }
    }

    /** Others used all the time what a step of the schema is to change. */
    public static final class TablesInUse extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private TablesInUse(String schema, Duration timeout) {
            super(
                    "Tables of the schema "
                            + schema
                            + " that have to be changed for this version were in use for "
                            + timeout.toSeconds()
                            + " s: wait for whatever reads them for long, such as a dump, or end"
                            + " it, and start again.");
        }
    }

    /**
     * Brings it up to date from {@code db/SCHEMA} on the class path. What newer versions only added
     * is left alone. Nobody is kept from a table for longer than a step takes and a second more:
     * where others use it, the step gives way and comes again.
     *
     * @param table where it is written down which migrations were run
     * @throws NewerSchema before anything is changed
     * @throws TablesInUse after five minutes
     * @throws org.flywaydb.core.api.FlywayException when the database fails, or a migration was
     *     changed after it was run
     */
    public static void migrateToLatest(DataSource database, String schema, String table) {
        migrateToLatest(database, schema, table, LOCK_RETRY_LIMIT);
    }

    /**
     * The same with another bound on waiting for tables that others use.
     *
     * @param timeout in whole seconds
     */
    public static void migrateToLatest(
            DataSource database, String schema, String table, Duration timeout) {
        Flyway flyway =
                Flyway.configure()
                        .dataSource(database)
                        .schemas(schema)
                        .table(table)
                        .locations("classpath:db/" + schema)
                        .lockRetryCount(Math.toIntExact(timeout.toSeconds())) // one a second
                        .callbacks(new LockTimeoutSetter())
                        .load();
        requireNoNewerContractMigration(flyway);
        migrateWithRetry(flyway, schema, timeout);
    }

    private static void requireNoNewerContractMigration(Flyway flyway) {
        Arrays.stream(flyway.info().all())
                .filter(step -> step.getState().isApplied() && !step.getState().isResolved())
                .filter(step -> description(step).startsWith(CONTRACT_MIGRATION))
                .findFirst()
                .ifPresent(
                        step -> {
                            throw new NewerSchema(step);
                        });
    }

    private static void migrateWithRetry(Flyway flyway, String schema, Duration longest) {
        RetryDeadline deadline = new RetryDeadline(longest);
        while (!tryMigrate(flyway, schema)) {
            if (deadline.isExpired()) {
                throw new TablesInUse(schema, longest);
            }
            deadline.sleepFully(RETRY_INTERVAL);
        }
    }

    private static boolean tryMigrate(Flyway flyway, String schema) {
        try {
            var _ = flyway.migrate();
            return true;
        } catch (FlywayException e) {
            if (!isLockConflict(e)) {
                throw e;
            }
            LOG.warn(
                    "A table that is to be changed is in use; it is tried again schema={}", schema);
            return false;
        }
    }

    private static boolean isLockConflict(FlywayException failure) {
        return Stream.iterate(failure.getCause(), Objects::nonNull, Throwable::getCause)
                .anyMatch(
                        e ->
                                e instanceof SQLException s
                                        && LOCK_CONFLICT_STATES.contains(
                                                String.valueOf(s.getSQLState())));
    }

    /**
     * A large table takes its time, more than the silence that a pool allows its connections. For
     * one that others use it waits a second: who comes meanwhile would wait behind it.
     */
    private static final class LockTimeoutSetter extends BaseCallback {
        @Override
        public boolean supports(Event event, Context context) {
            return event == Event.BEFORE_EACH_MIGRATE;
        }

        @Override
        public void handle(Event event, Context context) {
            try {
                context.getConnection().setNetworkTimeout(Runnable::run, 0);
                setLockTimeout(context.getConnection());
            } catch (SQLException e) {
                throw new FlywayException("The connection for a migration is not usable.", e);
            }
        }

        /** In this transaction alone: the connection goes back to its pool. */
        private static void setLockTimeout(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET LOCAL lock_timeout = " + LOCK_WAIT.toMillis());
            }
        }
    }

    private static String description(MigrationInfo step) {
        return Objects.requireNonNullElse(step.getDescription(), "");
    }
}
