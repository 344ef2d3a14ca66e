package drover.coordinator.trace;

import drover.model.Digest;
import drover.model.NodeId;

/**
 * Ids of spans, derived from what they tell of: the first 8 bytes of the SHA-256 of trace and key.
 * So a span is the same after a restart and under another leader (DESIGN § 5).
 */
public final class SpanIds {
    private static final int HEX_DIGITS = 16;

    private final String traceId;

    /**
     * Ids within one trace.
     *
     * @param traceId 32 hexadecimal digits, drawn when the rollout was created
     */
    public SpanIds(String traceId) {
        this.traceId = traceId;
    }

    /** The root. */
    public String rollout() {
        return of("rollout");
    }

    /** A batch by its index from 0. */
    String batch(int index) {
        return of("batch/" + index);
    }

    /** A rollback of the rollout; a first one that failed may be followed by another. */
    String rollback(int number) {
        return of("rollback/" + number);
    }

    /** An attempt on a node: an upgrade or a restore. */
    String attempt(String node, long attempt) {
        return of("attempt/" + node + "/" + attempt);
    }

    /** An action by its position in the attempt's report, which only grows. */
    String action(String node, long attempt, int position) {
        return of("attempt/" + node + "/" + attempt + "/" + position);
    }

    /** The W3C trace context that goes out with the command of an attempt. */
    public String traceparent(NodeId node, long attempt) {
        return "00-" + traceId + "-" + attempt(node.value(), attempt) + "-01";
    }

    private String of(String key) {
        String digest = Digest.of(traceId + "/" + key).value();
        int hex = digest.indexOf(':') + 1;
        return digest.substring(hex, hex + HEX_DIGITS);
    }
}
