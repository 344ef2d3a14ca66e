package drover.coordinator.engine.metrics;

import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.engine.loop.WakeupSignal;
import drover.coordinator.store.query.AttentionCountViews;
import drover.coordinator.store.query.AttentionCountViews.AttentionCounts;
import drover.coordinator.store.sql.StoreUnavailable;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's loop that counts what waits for operators, for the metrics: open incidents, pending
 * approvals and dead letters. Counts stay while the database is unavailable.
 */
public final class AttentionCountLoop {
    private static final Logger LOG = LoggerFactory.getLogger(AttentionCountLoop.class);

    /** Prometheus scrapes every 15 s by default. */
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final AttentionCountViews views;
    private final LoopMeter meter;
    private final WakeupSignal pause = new WakeupSignal();
    private final Thread thread;
    private volatile boolean ended;

    public AttentionCountLoop(long epoch, AttentionCountViews views, LoopMeter meter) {
        this.views = views;
        this.meter = meter;
        this.thread = Thread.ofVirtual().name("attention-" + epoch).unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    public void stop() {
        ended = true;
        thread.interrupt();
        meter.recordAttention(AttentionCounts.NONE); // the next leader counts
    }

    private void run() {
        try {
            while (!ended) {
                countAttention();
                pause.sleep(INTERVAL);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the term has ended
        }
    }

    void countAttention() {
        try {
            AttentionCounts counted = views.readCounts();
            if (!ended) {
                meter.recordAttention(counted);
            }
        } catch (StoreUnavailable e) {
            LOG.debug("What waits for operators is not counted reason={}", e.getMessage());
        } catch (RuntimeException e) {
            if (!ended) {
                LOG.error("What waits for operators could not be counted by a bug", e);
            }
        }
    }
}
