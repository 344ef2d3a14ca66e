package drover.system.failover;

import drover.kit.database.ConnectionPool;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Has the database itself note who took over when, and look at the end of every transaction whether
 * a leader has written although a later one had taken over (invariant B1).
 */
final class FenceMonitor {
    /** What is written under an epoch. Attempts keep the one in which they were given. */
    private static final Map<String, String> WITH_AN_EPOCH =
            Map.of("history", "INSERT", "node_attempt", "INSERT", "rollout", "UPDATE");

    private final ConnectionPool pool;

    private FenceMonitor(ConnectionPool pool) {
        this.pool = pool;
    }

    /** From now on. */
    static FenceMonitor start(ConnectionPool pool) {
        FenceMonitor watch = new FenceMonitor(pool);
        watch.run("CREATE SCHEMA watched");
        watch.run(
                "CREATE TABLE watched.term (note bigint GENERATED ALWAYS AS IDENTITY,"
                        + " epoch bigint NOT NULL, holder text NOT NULL)");
        watch.run("CREATE TABLE watched.breach (of text NOT NULL, epoch bigint, latest bigint)");
        watch.run(
                """
                CREATE FUNCTION watched.note_the_term() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    INSERT INTO watched.term (epoch, holder) VALUES (NEW.epoch, NEW.holder);
                    RETURN NULL;
                END $$
                """);
        watch.run(
                "CREATE TRIGGER terms AFTER UPDATE ON coordinator.leader_epoch FOR EACH ROW"
                        + " EXECUTE FUNCTION watched.note_the_term()");
        watch.run(
                """
                CREATE FUNCTION watched.look_for_a_breach() RETURNS trigger LANGUAGE plpgsql AS $$
                DECLARE latest bigint;
                BEGIN
                    SELECT epoch INTO latest FROM coordinator.leader_epoch;
                    IF NEW.epoch > 0 AND NEW.epoch <> latest THEN
                        INSERT INTO watched.breach VALUES (TG_TABLE_NAME, NEW.epoch, latest);
                    END IF;
                    RETURN NULL;
                END $$
                """);
        WITH_AN_EPOCH.forEach(
                (table, when) ->
                        watch.run(
                                "CREATE CONSTRAINT TRIGGER breaches AFTER %s ON coordinator.%s"
                                                .formatted(when, table)
                                        + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
                                        + " EXECUTE FUNCTION watched.look_for_a_breach()"));
        return watch;
    }

    /** What was written too late. */
    List<String> breaches() {
        return texts("SELECT of || ' of epoch ' || epoch || ' in ' || latest FROM watched.breach");
    }

    /** The epoch of each term, in the order in which they began. */
    List<Long> epochs() {
        return texts("SELECT epoch FROM watched.term ORDER BY note").stream()
                .map(Long::valueOf)
                .toList();
    }

    /** Who has decided anything, each once. */
    List<String> deciders() {
        return texts(
                "SELECT DISTINCT holder FROM watched.term JOIN coordinator.history USING (epoch)");
    }

    /** How often somebody else took over. */
    int changes() {
        return texts(
                        "SELECT holder FROM (SELECT holder, lag(holder) OVER (ORDER BY epoch)"
                                + " AS before FROM watched.term) AS terms WHERE holder <> before")
                .size();
    }

    private void run(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> texts(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getString(1));
            }
            return all;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
