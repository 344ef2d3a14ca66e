package drover.opsagent.engine;

import drover.opsagent.preflight.PreflightReport;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The latest report of a preflight until it is said, once: it stands in no journal, and whoever
 * misses it asks again. A slot, not a queue.
 */
public final class PreflightReportSlot {
    private final AtomicReference<@Nullable PreflightReport> report = new AtomicReference<>();
    private final Runnable changed;

    /**
     * An empty slot.
     *
     * @param changed told after each report; must not block
     */
    public PreflightReportSlot(Runnable changed) {
        this.changed = changed;
    }

    /** Something was found. */
    public void publish(PreflightReport found) {
        report.set(found);
        changed.run();
    }

    /** What is to be said; it is not said again. */
    public Optional<PreflightReport> take() {
        return Optional.ofNullable(report.getAndSet(null));
    }
}
