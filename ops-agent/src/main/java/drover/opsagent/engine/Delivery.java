package drover.opsagent.engine;

import drover.model.Digest;
import drover.opsagent.script.Request;
import java.time.Duration;
import java.util.Map;

/**
 * A command as it was read at the door, with the contents that its body names by digest.
 *
 * @param contents checked: each under the digest of its own bytes
 */
public record Delivery(Request request, Duration budget, Map<Digest, byte[]> contents) {
    public Delivery {
        contents = Map.copyOf(contents);
    }
}
