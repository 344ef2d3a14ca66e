package drover.manifest.catalog;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at the whole directory again and again, until it is closed. */
public final class RescanLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RescanLoop.class);

    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;
    private final CatalogMetrics metrics;

    private RescanLoop(CatalogFileCache catalogue, Duration every, CatalogMetrics metrics) {
        this.metrics = metrics;
        thread = Thread.ofVirtual().name("rescan").unstarted(() -> run(catalogue, every));
    }

    /** Starts looking; the first time after {@code every}. */
    public static RescanLoop start(
            CatalogFileCache catalogue, Duration every, CatalogMetrics metrics) {
        RescanLoop loop = new RescanLoop(catalogue, every, metrics);
        loop.thread.start();
        return loop;
    }

    private void run(CatalogFileCache catalogue, Duration every) {
        try {
            while (!closed.await(every.toMillis(), TimeUnit.MILLISECONDS)) {
                rescan(catalogue);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void rescan(CatalogFileCache catalogue) {
        long started = System.nanoTime();
        try {
            catalogue.refresh();
            metrics.recordScan(Duration.ofNanos(System.nanoTime() - started));
        } catch (RuntimeException e) {
            LOG.error("The configuration directory could not be looked at", e); // next time again
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
