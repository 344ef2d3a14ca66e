package drover.kit.database;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that is given back once, by a thread of its own. In HikariCP a thread that gives
 * back parks for a moment, again and again, while somebody waits for a connection that is being
 * made; a thread that was interrupted does not park. A leader that steps down interrupts its loops:
 * as many of them as there are processors would look for whoever waits for ever, and no virtual
 * thread would run any more. Nobody can interrupt a thread that nobody knows.
 */
final class BorrowedConnection {
    private static final Logger LOG = LoggerFactory.getLogger(BorrowedConnection.class);

    private final Connection connection;
    private final Runnable givenBack;
    private final AtomicBoolean lent = new AtomicBoolean(true);

    private BorrowedConnection(Connection connection, Runnable givenBack) {
        this.connection = connection;
        this.givenBack = givenBack;
    }

    static Connection of(Connection connection, Runnable givenBack) {
        BorrowedConnection lent = new BorrowedConnection(connection, givenBack);
        return (Connection)
                Proxy.newProxyInstance(
                        BorrowedConnection.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, arguments) -> lent.handleCall(method, arguments));
    }

    private @Nullable Object handleCall(Method method, Object @Nullable [] arguments)
            throws Throwable {
        return switch (method.getName()) {
            case "close" -> {
                if (lent.compareAndSet(true, false)) {
                    Thread.ofVirtual().name("give-back").start(this::release);
                }
                yield null;
            }
            case "isClosed" -> !lent.get() || connection.isClosed();
            default -> delegate(method, arguments);
        };
    }

    private @Nullable Object delegate(Method method, Object @Nullable [] arguments)
            throws Throwable {
        if (!lent.get() && !method.getDeclaringClass().equals(Object.class)) {
            throw new SQLException("the connection was given back");
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void release() {
        try {
            connection.close();
        } catch (SQLException e) {
            // HikariCP has taken it out
            LOG.warn("A connection could not be given back reason={}", e.getMessage());
        } finally {
            givenBack.run();
        }
    }
}
