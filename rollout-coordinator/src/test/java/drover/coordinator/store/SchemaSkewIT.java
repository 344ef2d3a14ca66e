package drover.coordinator.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.database.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A database that a newer version has brought further than this one knows. */
final class SchemaSkewIT {
    private static final int NEWER = 9_001;

    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.open();
    }

    @AfterEach
    void close() {
        database.close();
    }

    /** As Flyway of the newer version writes it down. */
    private void newerVersionRan(String description) {
        database.run(
                """
                INSERT INTO flyway_schema_history (installed_rank, version, description, type,
                    script, checksum, installed_by, execution_time, success)
                VALUES (?, ?, ?, 'SQL', ?, 1, 'a newer version', 1, true)
                """,
                NEWER,
                Integer.toString(NEWER),
                description,
                "V" + NEWER + "__" + description.replace(' ', '_') + ".sql");
    }

    @Test
    @DisplayName("What a newer version added is left alone: both can be used at once")
    void opensWhatWasOnlyAddedTo() {
        database.run("ALTER TABLE rollout ADD COLUMN of_a_newer_version text");
        newerVersionRan("of a newer version");

        Database again = Database.open(database.dataSource());

        assertThat(
                        again.<Integer>read(
                                "a test",
                                handle ->
                                        handle.createQuery("SELECT count(*) FROM rollout")
                                                .mapTo(Integer.class)
                                                .one()))
                .isZero();
    }

    @Test
    @DisplayName("Where a newer version took something away, this one does not start, and says so")
    void refusesWhatWasTakenFrom() {
        newerVersionRan("contract no more notes");

        assertThatThrownBy(() -> Database.open(database.dataSource()))
                .isInstanceOf(Schema.TooNew.class)
                .hasMessage(
                        "A newer version of Drover has brought the database to step 9001 (contract"
                                + " no more notes), which this version cannot work with: start the"
                                + " newer one.");
    }
}
