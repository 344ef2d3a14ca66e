package drover.kit.telemetry;

import java.util.List;

/** Takes ended spans. Whoever sends keeps them until they are taken. */
public interface TraceExporter extends AutoCloseable {
    /**
     * Most spans to give at a time: what receivers of OTLP take in one message without complaint.
     */
    int MAX_BATCH = 512;

    /** Whether anybody wants spans; when not, nothing needs to be worked out. */
    boolean isEnabled();

    /**
     * Sends spans and waits for the answer; bounded by the exporter's own timeout and retries.
     *
     * @return whether all were taken; otherwise send all of them again later
     */
    boolean export(List<EndedSpan> spans);

    @Override
    void close();

    /** Nobody wants spans. */
    static TraceExporter disabled() {
        return new TraceExporter() {
            @Override
            public boolean isEnabled() {
                return false;
            }

            @Override
            public boolean export(List<EndedSpan> spans) {
                return true;
            }

            @Override
            public void close() {}
        };
    }
}
