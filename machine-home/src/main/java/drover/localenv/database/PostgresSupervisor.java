package drover.localenv.database;

import drover.localenv.DataDirectory;
import drover.localenv.UserFacingError;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restarts the embedded server on the same port when it ends unexpectedly, so that open pools
 * reconnect. Restarts have an exponential backoff, which a server resets by running for a minute.
 */
final class PostgresSupervisor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresSupervisor.class);
    private static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);
    private static final Duration MAX_BACKOFF = Duration.ofSeconds(30);
    private static final Duration RESETS_BACKOFF = Duration.ofMinutes(1);

    private final DataDirectory directory;
    private final Consumer<String> notices;
    private final CountDownLatch closed = new CountDownLatch(1);
    private EmbeddedPostgres server;

    private PostgresSupervisor(DataDirectory directory, Consumer<String> notices) {
        this.directory = directory;
        this.notices = notices;
        this.server = EmbeddedPostgres.start(directory);
    }

    /**
     * Starts the server and its supervision.
     *
     * @param notices one sentence for each unexpected end and each restart
     * @throws UserFacingError when the server cannot run
     */
    static PostgresSupervisor start(DataDirectory directory, Consumer<String> notices) {
        PostgresSupervisor supervisor = new PostgresSupervisor(directory, notices);
        Thread.ofVirtual().name("postgres-supervisor").start(supervisor::supervise);
        return supervisor;
    }

    String jdbcUrl() {
        return current().jdbcUrl();
    }

    private synchronized EmbeddedPostgres current() {
        return server;
    }

    private void supervise() {
        Duration backoff = FIRST_BACKOFF;
        try {
            while (true) {
                long startedAt = System.nanoTime();
                int exitCode = current().awaitExit();
                if (isClosed()) {
                    return;
                }
                if (System.nanoTime() - startedAt >= RESETS_BACKOFF.toNanos()) {
                    backoff = FIRST_BACKOFF;
                }
                report(
                        "PostgreSQL ended unexpectedly (exit code "
                                + exitCode
                                + "); restarting it.");
                backoff = restartUntilRunning(backoff);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the backoff of the next restart. */
    private Duration restartUntilRunning(Duration first) throws InterruptedException {
        Duration backoff = first;
        String reported = "";
        while (!closed.await(backoff.toMillis(), TimeUnit.MILLISECONDS)) {
            backoff = min(backoff.multipliedBy(2), MAX_BACKOFF);
            String failure = restartAndGetFailure();
            if (failure.isEmpty()) {
                return backoff;
            }
            if (!failure.equals(reported)) {
                report(failure + " Drover tries again until it runs.");
                reported = failure;
            }
        }
        return backoff;
    }

    /** Returns why it failed; empty if the server runs, or if the supervisor was closed. */
    private synchronized String restartAndGetFailure() {
        if (isClosed()) {
            return "";
        }
        try {
            server = server.restart(directory);
            report("PostgreSQL runs again.");
            return "";
        } catch (UserFacingError e) {
            return e.message();
        } catch (RuntimeException e) {
            LOG.warn("PostgreSQL could not be restarted", e);
            return "PostgreSQL did not start: " + e.getMessage() + ".";
        }
    }

    private void report(String sentence) {
        LOG.warn("PostgreSQL was not running reason={}", sentence);
        notices.accept(sentence);
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** A restart that is under way ends first. */
    @Override
    public void close() {
        closed.countDown();
        current().close();
    }
}
