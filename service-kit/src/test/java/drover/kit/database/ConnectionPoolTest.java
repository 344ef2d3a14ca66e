package drover.kit.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import drover.kit.Waits;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class ConnectionPoolTest {
    private static final int SIZE = 2;
    private static final Duration WAIT = Duration.ofSeconds(3);

    private final FakeDataSource source = new FakeDataSource();

    @AutoClose
    private final ConnectionPool pool = ConnectionPool.ofDataSource(source.source(), SIZE, WAIT);

    @Test
    void whoComesWhenAllAreLentWaitsInFrontAndNotWithin() throws Exception {
        HikariDataSource within = pool.unwrap(HikariDataSource.class);
        List<Thread> waiting = new ArrayList<>();
        try (Connection _ = pool.getConnection();
                Connection _ = pool.getConnection()) {
            for (int i = 0; i < 5; i++) {
                waiting.add(Thread.ofVirtual().start(() -> borrow(new AtomicInteger())));
            }
            await().atMost(Waits.LIMIT).until(() -> pool.usage().waiting() == 5);

            assertThat(pool.usage()).isEqualTo(new ConnectionPool.Usage(SIZE, 0, 5));
            assertThat(within.getHikariPoolMXBean().getThreadsAwaitingConnection()).isZero();
        }
        for (Thread thread : waiting) {
            thread.join();
        }
        assertThat(pool.usage().waiting()).isZero();
    }

    @Test
    void manyThreadsAreServedByFewConnections() throws Exception {
        AtomicInteger served = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            threads.add(Thread.ofVirtual().start(() -> borrow(served)));
        }
        for (Thread thread : threads) {
            assertThat(thread.join(Waits.LIMIT)).isTrue();
        }

        assertThat(served).hasValue(100);
        assertThat(source.mostOpen()).isLessThanOrEqualTo(SIZE);
    }

    private void borrow(AtomicInteger served) {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(true);
            served.incrementAndGet();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void lateCallReceivesDeadlineExceeded() throws Exception {
        try (Connection _ = pool.getConnection();
                Connection _ = pool.getConnection()) {
            assertThatThrownBy(pool::getConnection)
                    .isInstanceOf(SQLTransientConnectionException.class)
                    .hasMessage("no connection came free within 3000 ms");
        }
    }

    @Test
    void givingBackTwiceFreesOnePlaceAlone() throws Exception {
        Connection first = pool.getConnection();
        try (Connection _ = pool.getConnection()) {
            first.close();
            first.close();

            try (Connection _ = pool.getConnection()) {
                assertThatThrownBy(pool::getConnection)
                        .isInstanceOf(SQLTransientConnectionException.class)
                        .hasMessageContaining("came free");
            }
        }
    }

    @Test
    void aDatabaseThatRefusesKeepsNoPlaceTaken() throws Exception {
        source.refuse(true);
        for (int i = 0; i < SIZE + 1; i++) {
            assertThatThrownBy(pool::getConnection).hasMessageNotContaining("came free");
        }
        source.refuse(false);
        AtomicInteger served = new AtomicInteger();
        await().atMost(Waits.LIMIT)
                .ignoreExceptions() // HikariCP tries again after a pause of its own
                .untilAsserted(() -> borrow(served));
        assertThat(served).hasValue(1);
    }

    @Test
    void anInterruptedThreadGivesBackByOneThatIsNot() throws Exception {
        Connection connection = pool.getConnection();
        Thread.currentThread().interrupt();
        connection.close();
        assertThat(Thread.interrupted()).isTrue();

        await().atMost(Waits.LIMIT)
                .untilAsserted(() -> assertThat(source.tidied()).containsExactly(false));
    }

    @Test
    void whatWasGivenBackIsOfNoUse() throws Exception {
        Connection connection = pool.getConnection();
        connection.close();

        assertThat(connection.isClosed()).isTrue();
        assertThatThrownBy(() -> connection.setAutoCommit(false))
                .isInstanceOf(SQLException.class)
                .hasMessage("the connection was given back");
    }

    @Test
    void anInterruptedThreadIsRefusedAndStaysInterrupted() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(pool::getConnection).hasMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }
}
