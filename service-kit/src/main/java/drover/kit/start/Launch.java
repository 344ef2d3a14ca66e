package drover.kit.start;

import drover.kit.log.Logging;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a service as a process: reads flags, starts it, waits for a signal, closes it. What keeps it
 * from starting is told in one sentence, never as a stack trace; the log has the rest.
 */
public final class Launch {
    private static final Logger LOG = LoggerFactory.getLogger(Launch.class);
    private static final int USAGE_ERROR = 2;
    private static final int CANNOT_START = 1;

    private Launch() {}

    /**
     * Runs a service until the process is told to end.
     *
     * @param service its short name, as in the environment's variables
     * @param known its flags
     * @param start starts it
     */
    public static void service(
            String service,
            List<String> known,
            String[] arguments,
            Function<Flags, AutoCloseable> start)
            throws InterruptedException {
        AutoCloseable running;
        Logging.quiet(); // until it is known how much is wanted
        try {
            Logging.service(System.getenv());
            running = start.apply(Flags.read(service, known, arguments, System.getenv()));
        } catch (IllegalArgumentException e) {
            end(service, e, USAGE_ERROR);
            return;
        } catch (RuntimeException e) {
            end(service, e, CANNOT_START);
            return;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(running), "stop"));
        LOG.info("The service has started service={}", service);
        new CountDownLatch(1).await(); // the process ends by a signal alone
    }

    private static void end(String service, RuntimeException failure, int code) {
        LOG.debug("The service could not start service={}", service, failure);
        System.err.println(service + ": " + sentence(failure));
        System.exit(code);
    }

    /** The failure with the innermost reason, which names what a person can mend. */
    static String sentence(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause().getMessage() != null) {
            root = root.getCause();
        }
        String outer = String.valueOf(failure.getMessage());
        return root.equals(failure) ? outer : outer + ": " + root.getMessage();
    }

    private static void close(AutoCloseable running) {
        try {
            running.close();
        } catch (Exception e) {
            LOG.warn("The service did not end cleanly reason={}", e.getMessage());
        }
    }
}
