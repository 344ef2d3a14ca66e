package drover.kit.telemetry;

import java.util.ArrayList;
import java.util.List;

/** A receiver that keeps spans in memory, and can be told to take none; for tests. */
public final class InMemoryTraceExporter implements TraceExporter {
    private final List<EndedSpan> taken = new ArrayList<>();
    private boolean refusing;
    private int refused;

    @Override
    public boolean isEnabled() {
        return true;
    }

    @Override
    public synchronized boolean export(List<EndedSpan> spans) {
        if (refusing) {
            refused++;
            return false;
        }
        taken.addAll(spans);
        return true;
    }

    /** Everything taken so far, with what came twice. */
    public synchronized List<EndedSpan> exported() {
        return List.copyOf(taken);
    }

    /** How often spans were refused. */
    public synchronized int failures() {
        return refused;
    }

    /** From now on spans are refused, or taken again. */
    public synchronized void setFailing(boolean now) {
        refusing = now;
    }

    @Override
    public void close() {}
}
