package drover.coordinator.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.database.ConnectionPool;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A value that the database rejects does not mean that the database is unavailable. */
class UnwritableValueIT {
    private TestDatabase test;
    private ConnectionPool pool;
    private Database database;

    @BeforeEach
    void open() {
        test = TestDatabase.open();
        pool = ConnectionPool.open(test.url(test.port()), "unwritable", 2, Duration.ofSeconds(60));
        database = Database.of(pool);
    }

    @AfterEach
    void close() {
        pool.close();
        test.close();
    }

    @Test
    @DisplayName("Class 22: a NUL in text and in JSON, and a number out of range")
    void reportsDataExceptions() {
        rejects("SELECT CAST('{\"a\": \"\\u0000\"}' AS jsonb)");
        rejects("SELECT 9223372036854775807 * 2");
        rejects("SELECT 1 / 0");
    }

    @Test
    @DisplayName("Class 23: a missing value")
    void reportsIntegrityViolations() {
        rejects("INSERT INTO leader_epoch DEFAULT VALUES");
    }

    @Test
    void reportsAnUnavailableDatabaseAsBefore() {
        assertThatThrownBy(() -> execute("SELECT pg_terminate_backend(pg_backend_pid())"))
                .isInstanceOf(StoreUnavailable.class);
    }

    private void rejects(String sql) {
        assertThatThrownBy(() -> execute(sql)).isInstanceOf(UnwritableValue.class);
        assertThat(execute("SELECT 1")).isZero();
    }

    private int execute(String sql) {
        return database.write(
                "testing",
                handle -> {
                    handle.execute(sql);
                    return 0;
                });
    }
}
