package drover.opsagent.peers;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;

/** How a node proves to gateways who it is. Asked anew for each dial: what it shows may change. */
public interface NodeCredential {
    /**
     * What a dial is made with.
     *
     * @param channel to the gateway, not yet connected
     * @param headers of each call
     * @param node that the agent takes itself for; empty when the gateway tells it
     */
    record Dial(ManagedChannel channel, Metadata headers, String node) {}

    /**
     * A dial to this gateway.
     *
     * @throws IllegalStateException with one sentence when there is nothing to show
     */
    Dial to(GatewayAddress gateway);
}
