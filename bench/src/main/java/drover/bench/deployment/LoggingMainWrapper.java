package drover.bench.deployment;

import drover.kit.log.Logging;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import org.slf4j.event.Level;

/** Runs another main class with its log as {@code ./drover up} has it: one line per event. */
public final class LoggingMainWrapper {
    private LoggingMainWrapper() {}

    /** The level of the log, the name of the main class, then its arguments. */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        Logging.start(new Logging.LogOutput.Console(), Level.valueOf(arguments[0]));
        String[] own = Arrays.copyOfRange(arguments, 2, arguments.length);
        try {
            Class.forName(arguments[1])
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) own);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(arguments[1] + " ended by a bug", e.getCause());
        }
    }
}
