package drover.coordinator.engine.rollout;

import drover.coordinator.store.leader.LeaderStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Wraps a store so that a test can change what single calls return or throw. */
public final class InterceptedLeaderStore {
    private InterceptedLeaderStore() {}

    /** Decides what a call returns. */
    public interface Interceptor {
        /**
         * Returns the result of the call.
         *
         * @param method name of the called method
         * @param call invokes the wrapped store
         */
        Object intercept(String method, Object[] arguments, Call call) throws Throwable;
    }

    /** A call of the wrapped store. */
    public interface Call {
        /** Calls the wrapped store. */
        Object proceed() throws Throwable;
    }

    public static LeaderStore of(LeaderStore wrapped, Interceptor interceptor) {
        return (LeaderStore)
                Proxy.newProxyInstance(
                        LeaderStore.class.getClassLoader(),
                        new Class<?>[] {LeaderStore.class},
                        (_, method, arguments) ->
                                interceptor.intercept(
                                        method.getName(),
                                        arguments == null ? new Object[0] : arguments,
                                        () -> {
                                            try {
                                                return method.invoke(wrapped, arguments);
                                            } catch (InvocationTargetException e) {
                                                throw e.getCause();
                                            }
                                        }));
    }
}
