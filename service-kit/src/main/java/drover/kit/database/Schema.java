package drover.kit.database;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.Objects;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.callback.BaseCallback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/**
 * A service's own part of the database. While services are replaced one by one, programs of two
 * versions use it at once, so a migration only adds (expand). One that takes away what an earlier
 * version used is named {@code V30__contract_…}, and comes a version later; a program that meets
 * one which it does not know does not start.
 */
public final class Schema {
    private static final String TAKES_AWAY = "contract ";

    private Schema() {}

    /** The database belongs to a newer version, which took away what this one uses. */
    public static final class TooNew extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private TooNew(MigrationInfo step) {
            super(
                    "A newer version of Drover has brought the database to step "
                            + step.getVersion()
                            + " ("
                            + step.getDescription()
                            + "), which this version cannot work with: start the newer one.");
        }
    }

    /**
     * Brings it up to date from {@code db/SCHEMA} on the class path. What newer versions only added
     * is left alone.
     *
     * @param table where it is written down which migrations were run
     * @throws TooNew before anything is changed
     * @throws org.flywaydb.core.api.FlywayException when the database fails, or a migration was
     *     changed after it was run
     */
    public static void bringUpToDate(DataSource database, String schema, String table) {
        Flyway flyway =
                Flyway.configure()
                        .dataSource(database)
                        .schemas(schema)
                        .table(table)
                        .locations("classpath:db/" + schema)
                        .callbacks(new Unhurried())
                        .load();
        Arrays.stream(flyway.info().all())
                .filter(step -> step.getState().isApplied() && !step.getState().isResolved())
                .filter(step -> description(step).startsWith(TAKES_AWAY))
                .findFirst()
                .ifPresent(
                        step -> {
                            throw new TooNew(step);
                        });
        var _ = flyway.migrate();
    }

    /** A large table takes its time, more than the silence that a pool allows its connections. */
    private static final class Unhurried extends BaseCallback {
        @Override
        public boolean supports(Event event, Context context) {
            return event == Event.BEFORE_EACH_MIGRATE;
        }

        @Override
        public void handle(Event event, Context context) {
            try {
                context.getConnection().setNetworkTimeout(Runnable::run, 0);
            } catch (SQLException e) {
                throw new FlywayException("The connection for a migration is not usable.", e);
            }
        }
    }

    private static String description(MigrationInfo step) {
        return Objects.requireNonNullElse(step.getDescription(), "");
    }
}
