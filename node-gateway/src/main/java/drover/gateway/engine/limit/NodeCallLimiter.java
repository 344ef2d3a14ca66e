package drover.gateway.engine.limit;

import drover.kit.grpc.PerSourceRateLimiter;
import drover.kit.grpc.Refused;
import drover.kit.grpc.StreamRateLimiter;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.util.function.LongSupplier;

/**
 * Rate limiter of the calls of one credential. Each call queries the database before its first
 * message, so an agent in a loop of calls would cost others their queries (invariant J1). Calls
 * over the limit get {@code OVERLOADED}, and the agent reconnects with jitter. The burst covers a
 * restart, a standby agent, a failover of gateways and a renewal at the same time.
 */
public final class NodeCallLimiter {
    private final PerSourceRateLimiter rate;

    /** By a monotonic clock. */
    public NodeCallLimiter(StreamRateLimiter.Limits limits, LongSupplier nanoTime) {
        this.rate = limits.createCallLimiter(nanoTime);
    }

    /**
     * Admits a call with a certificate.
     *
     * @throws Refused when the node makes too many
     */
    public void acquireOrRefuse(NodeId node) {
        acquireOrRefuse("node " + node.value());
    }

    /**
     * Admits a call with a token.
     *
     * @throws Refused when calls with this token are too many
     */
    public void acquireOrRefuse(Digest token) {
        acquireOrRefuse("token " + token.value());
    }

    private void acquireOrRefuse(String credential) {
        if (!rate.tryAcquire(credential)) {
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    "This node makes too many calls; reconnect with full jitter.");
        }
    }
}
