package drover.kit.database;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Makes connections that lead nowhere, counts them, and refuses when it is told to. */
final class FakeDataSource {
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger mostOpen = new AtomicInteger();
    private final Queue<Boolean> tidied = new ConcurrentLinkedQueue<>();
    private volatile boolean refuses;

    void refuse(boolean now) {
        refuses = now;
    }

    int mostOpen() {
        return mostOpen.get();
    }

    /**
     * Of each connection that was given back, whether the thread that did it had been interrupted.
     */
    Queue<Boolean> tidied() {
        return tidied;
    }

    DataSource source() {
        return pretend(
                DataSource.class,
                (_, method, _) ->
                        method.getName().equals("getConnection") ? connect() : nothing(method));
    }

    private Connection connect() throws SQLException {
        if (refuses) {
            throw new SQLException("refused");
        }
        mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
        AtomicBoolean closed = new AtomicBoolean();
        return pretend(
                Connection.class,
                (_, method, _) ->
                        switch (method.getName()) {
                            case "isValid" -> true;
                            case "isClosed" -> closed.get();
                            case "close" -> {
                                closed.set(true);
                                yield open.decrementAndGet();
                            }
                            case "clearWarnings" ->
                                    tidied.add(Thread.currentThread().isInterrupted());
                            default -> nothing(method);
                        });
    }

    private static Object nothing(java.lang.reflect.Method method) {
        Class<?> type = method.getReturnType();
        if (type == boolean.class) {
            return false;
        }
        return type == int.class ? 0 : "";
    }

    private static <T> T pretend(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
