package drover.kit.database;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A connection that says, once, that it was given back. */
final class LentConnection {
    private final Connection connection;
    private final Runnable givenBack;
    private final AtomicBoolean lent = new AtomicBoolean(true);

    private LentConnection(Connection connection, Runnable givenBack) {
        this.connection = connection;
        this.givenBack = givenBack;
    }

    static Connection of(Connection connection, Runnable givenBack) {
        LentConnection lent = new LentConnection(connection, givenBack);
        return (Connection)
                Proxy.newProxyInstance(
                        LentConnection.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, arguments) -> lent.call(method, arguments));
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        boolean last = method.getName().equals("close");
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        } finally {
            if (last && lent.compareAndSet(true, false)) {
                givenBack.run(); // also when closing failed: HikariCP has taken it out then
            }
        }
    }
}
