package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.kit.database.ConnectionSource;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ReconnectingConnectionTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Duration SOON = Waits.LIMIT;

    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    private Connection fresh() {
        opened.incrementAndGet();
        return (Connection)
                Proxy.newProxyInstance(
                        Connection.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, _) -> {
                            if (method.getName().equals("close")) {
                                closed.incrementAndGet();
                            }
                            return null;
                        });
    }

    private static ReconnectingConnection of(ConnectionSource source) {
        return new ReconnectingConnection(source, TIMEOUT, _ -> {});
    }

    @Test
    void isOpenedOnceAndAgainAfterItWasClosed() throws SQLException {
        ReconnectingConnection own = of(this::fresh);
        assertThat(own.getOrOpen()).isNotNull();
        assertThat(own.getOrOpen()).isNotNull();
        assertThat(opened).as("it is the same").hasValue(1);
        own.close();
        own.close();
        assertThat(closed).hasValue(1);
        assertThat(own.getOrOpen()).isNotNull();
        assertThat(opened).hasValue(2);
    }

    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void anOpeningThatWaitsForEverIsGivenUpAndTriedAgain() throws SQLException {
        AtomicBoolean unresponsive = new AtomicBoolean(true);
        CountDownLatch givenUp = new CountDownLatch(1);
        ReconnectingConnection own = of(() -> unresponsive.get() ? never(givenUp) : fresh());

        assertThatThrownBy(own::getOrOpen).isInstanceOf(SQLTimeoutException.class);

        await().atMost(SOON).until(() -> givenUp.getCount() == 0);
        unresponsive.set(false);
        assertThat(own.getOrOpen()).isNotNull();
    }

    private static Connection never(CountDownLatch givenUp) throws SQLException {
        try {
            new CountDownLatch(1).await();
            throw new AssertionError("nobody counts it down");
        } catch (InterruptedException e) {
            givenUp.countDown();
            throw new SQLException(e);
        }
    }

    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whatIsOpenedTooLateIsClosed() {
        CompletableFuture<Void> late = new CompletableFuture<>();
        ReconnectingConnection own = of(() -> whenever(late));
        assertThatThrownBy(own::getOrOpen).isInstanceOf(SQLTimeoutException.class);
        assertThat(opened).hasValue(0);

        late.complete(null);

        await().atMost(SOON).until(() -> closed.get() == 1);
        assertThat(opened).hasValue(1);
    }

    /** An interrupt does not reach it, such as one that looks a name up. */
    private Connection whenever(CompletableFuture<Void> late) {
        late.join();
        return fresh();
    }

    @Test
    void whatCouldNotBePreparedIsClosed() {
        ReconnectingConnection own =
                new ReconnectingConnection(
                        this::fresh,
                        TIMEOUT,
                        _ -> {
                            throw new SQLException("no ears");
                        });
        assertThatThrownBy(own::getOrOpen).hasRootCauseMessage("no ears");
        assertThat(closed).hasValue(1);
    }
}
