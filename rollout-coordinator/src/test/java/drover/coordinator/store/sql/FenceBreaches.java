package drover.coordinator.store.sql;

import java.util.List;

/**
 * Has the database itself look, at the end of every transaction, whether a leader has written
 * although a later one had taken over (invariant B1).
 */
public final class FenceBreaches {
    private final TestDatabase database;

    private FenceBreaches(TestDatabase database) {
        this.database = database;
    }

    /** Looks at everything that carries an epoch, from now on. */
    public static FenceBreaches watch(TestDatabase database) {
        database.run("CREATE TABLE breach (of text NOT NULL, epoch bigint, current bigint)");
        database.run(
                """
                CREATE FUNCTION look_for_a_breach() RETURNS trigger LANGUAGE plpgsql AS $$
                DECLARE latest bigint;
                BEGIN
                    SELECT epoch INTO latest FROM coordinator.leader_epoch;
                    IF NEW.epoch > 0 AND NEW.epoch <> latest THEN
                        INSERT INTO coordinator.breach VALUES (TG_TABLE_NAME, NEW.epoch, latest);
                    END IF;
                    RETURN NULL;
                END $$
                """);
        List.of("history", "rollout", "node_attempt")
                .forEach(
                        table ->
                                database.run(
                                        "CREATE CONSTRAINT TRIGGER breaches AFTER INSERT OR UPDATE ON "
                                                + table
                                                + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
                                                + " EXECUTE FUNCTION look_for_a_breach()"));
        return new FenceBreaches(database);
    }

    /** What was written too late. */
    public List<String> found() {
        return database.texts(
                "SELECT of || ' of epoch ' || epoch || ' in ' || current FROM breach");
    }
}
