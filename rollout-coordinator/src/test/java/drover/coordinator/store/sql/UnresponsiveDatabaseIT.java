package drover.coordinator.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.coordinator.FreezableProxy;
import drover.coordinator.Waits;
import drover.coordinator.store.request.RequestNotificationReader;
import drover.kit.database.ConnectionPool;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A database whose machine, or the way to which, is gone says nothing, and closes nothing. */
final class UnresponsiveDatabaseIT {
    private static final Duration UNRESPONSIVE_FOR =
            Duration.ofSeconds(5); // far more than an answer takes
    private static final Duration SOON = Waits.LIMIT;

    private TestDatabase test;
    private FreezableProxy wire;
    private ConnectionPool pool;
    private Database database;

    @BeforeEach
    void open() {
        test = TestDatabase.open(); // brings up the schema, which may be silent for longer
        wire = new FreezableProxy(test.port());
        pool = ConnectionPool.open(test.url(wire.port()), "silent", 2, UNRESPONSIVE_FOR);
        database = Database.of(pool);
        assertThat(countSessions()).isEqualTo(1);
    }

    @AfterEach
    void close() {
        wire.thaw();
        pool.close();
        wire.close();
        test.close();
    }

    private int countSessions() {
        return database.read(
                "looking", handle -> handle.createQuery("SELECT 1").mapTo(Integer.class).one());
    }

    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void waiterReceivesTheLossAndTheReturn() {
        wire.freeze();
        assertThatThrownBy(this::countSessions).isInstanceOf(StoreUnavailable.class);
        wire.thaw();
        await().atMost(SOON).ignoreExceptions().until(() -> countSessions() == 1);
    }

    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void listenerDetectsTheLossWithoutTraffic() {
        RequestNotificationReader listener =
                RequestNotificationReader.open(database); // its connection is the pool's
        assertThat(listener.awaitRequestedRollouts(Duration.ofMillis(100))).isEmpty();
        wire.freeze();
        assertThatThrownBy(
                        () -> {
                            while (!Thread.currentThread().isInterrupted()) {
                                listener.awaitRequestedRollouts(UNRESPONSIVE_FOR);
                            }
                        })
                .isInstanceOf(StoreUnavailable.class);
    }

    @Test
    void aFreshConnectionIsNoneOfThePoolsAndGoesToTheSameDatabase() throws SQLException {
        try (Connection _ = pool.getConnection();
                Connection _ = pool.getConnection();
                Connection fresh = pool.openUnpooled();
                Statement statement = fresh.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT current_setting('application_name')")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).as("as the pool's").isEqualTo("silent");
            assertThat(pool.usage().active()).isEqualTo(2);
        }
    }
}
