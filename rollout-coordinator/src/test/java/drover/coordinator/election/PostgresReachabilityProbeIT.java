package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.FreezableProxy;
import drover.coordinator.Waits;
import drover.coordinator.store.sql.TestDatabase;
import drover.kit.database.ConnectionPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whether a candidate hears that its database is there, whatever became of its connections. */
final class PostgresReachabilityProbeIT {
    private static final Duration TTL = Duration.ofSeconds(20); // an answer takes 5 s at the most
    private static final Duration SOON = Waits.LIMIT;

    private TestDatabase database;
    private FreezableProxy wire;
    private ConnectionPool pool;

    @BeforeEach
    void open() {
        database = TestDatabase.open();
        wire = new FreezableProxy(database.port());
        pool = database.through(wire.port(), 2);
    }

    @AfterEach
    void close() {
        if (pool != null) {
            pool.close();
        }
        if (wire != null) {
            wire.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private PostgresReachabilityProbe reach() {
        return new PostgresReachabilityProbe(pool::openUnpooled, TTL);
    }

    @Test
    @DisplayName("D-125: a pool that is lent to the last connection is no sign of anything")
    void aPoolThatIsLentIsNoSign() throws SQLException {
        try (Connection _ = pool.getConnection();
                Connection _ = pool.getConnection();
                PostgresReachabilityProbe reach = reach()) {
            assertThat(reach.checkReachable()).isTrue();
            assertThat(pool.usage().active()).as("it took none of them").isEqualTo(2);
        }
    }

    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("D-125: connections that have gone mute are replaced, and so is its own")
    void connectionsThatWentUnresponsiveAreReplaced() throws SQLException {
        try (Connection _ = pool.getConnection();
                Connection _ = pool.getConnection();
                PostgresReachabilityProbe reach = reach()) {
            assertThat(reach.checkReachable()).isTrue();

            wire.dropTraffic();

            assertThat(reach.checkReachable()).as("over the one it has").isFalse();
            assertThat(reach.checkReachable()).as("over a new one").isTrue();
            assertThat(reach.checkReachable()).as("and over the same again").isTrue();
        }
    }

    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("D-125: an opening of which nothing is heard is given up, and tried anew")
    void anOpeningThatIsUnresponsiveIsGivenUp() {
        wire.freeze();
        try (PostgresReachabilityProbe reach = reach()) {
            assertThat(reach.checkReachable()).isFalse();

            wire.thaw();

            await().atMost(SOON).until(reach::checkReachable);
        }
        await().atMost(SOON).until(() -> wire.open() == 0); // not even those given up
    }
}
