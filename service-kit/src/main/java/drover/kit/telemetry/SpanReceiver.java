package drover.kit.telemetry;

import java.util.List;

/** Takes ended spans. Whoever sends keeps them until they are taken. */
public interface SpanReceiver extends AutoCloseable {
    /**
     * Most spans to give at a time: what receivers of OTLP take in one message without complaint.
     */
    int MOST_AT_ONCE = 512;

    /** Whether anybody wants spans; when not, nothing needs to be worked out. */
    boolean isWanted();

    /**
     * Sends spans and waits for the answer; bounded by the exporter's own timeout and retries.
     *
     * @return whether all were taken; otherwise send all of them again later
     */
    boolean take(List<EndedSpan> spans);

    @Override
    void close();

    /** Nobody wants spans. */
    static SpanReceiver none() {
        return new SpanReceiver() {
            @Override
            public boolean isWanted() {
                return false;
            }

            @Override
            public boolean take(List<EndedSpan> spans) {
                return true;
            }

            @Override
            public void close() {}
        };
    }
}
