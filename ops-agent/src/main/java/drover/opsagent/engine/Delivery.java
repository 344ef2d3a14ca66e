package drover.opsagent.engine;

import drover.model.Digest;
import drover.opsagent.script.Request;
import java.time.Duration;
import java.util.Map;

/**
 * A command as it was read at the door, with the contents that its body names by digest.
 *
 * @param traceId trace of the rollout that it belongs to, for the log; empty when there is none
 * @param contents checked: each under the digest of its own bytes
 */
public record Delivery(
        Request request, Duration budget, String traceId, Map<Digest, byte[]> contents) {
    public Delivery {
        contents = Map.copyOf(contents);
    }

    /** Of a command without a trace. */
    public Delivery(Request request, Duration budget, Map<Digest, byte[]> contents) {
        this(request, budget, "", contents);
    }
}
