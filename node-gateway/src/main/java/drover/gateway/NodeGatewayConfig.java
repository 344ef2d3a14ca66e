package drover.gateway;

import drover.kit.grpc.Address;
import drover.kit.grpc.EndpointLimits;
import java.time.Duration;

/**
 * How a gateway is set up.
 *
 * @param gatewayId unique among gateways and the same after a restart
 * @param agentAddress where agents dial
 * @param internalAddress where coordinators and evaluators dial; never reachable from outside
 * @param advertisedInternalAddress how others write the internal door; empty when it is the address
 *     that is listened on
 * @param idleHeartbeat how often agents send a heartbeat while nothing happens
 * @param activeHeartbeat how often during an attempt and its hold
 * @param limits what whoever dials the agents' door may take
 */
public record NodeGatewayConfig(
        String gatewayId,
        Address agentAddress,
        Address internalAddress,
        String advertisedInternalAddress,
        Duration idleHeartbeat,
        Duration activeHeartbeat,
        EndpointLimits limits) {
    /** With the usual limits. */
    public NodeGatewayConfig(
            String gatewayId,
            Address agentEndpoint,
            Address internalEndpoint,
            String advertisedInternalAddress,
            Duration idleHeartbeat,
            Duration activeHeartbeat) {
        this(
                gatewayId,
                agentEndpoint,
                internalEndpoint,
                advertisedInternalAddress,
                idleHeartbeat,
                activeHeartbeat,
                EndpointLimits.AGENTS);
    }

    /** The same with other limits. */
    NodeGatewayConfig withLimits(EndpointLimits others) {
        return new NodeGatewayConfig(
                gatewayId,
                agentAddress,
                internalAddress,
                advertisedInternalAddress,
                idleHeartbeat,
                activeHeartbeat,
                others);
    }

    /** The usual intervals: 30 s and 5 s. */
    public static NodeGatewayConfig of(
            String gatewayId, Address agentEndpoint, Address internalEndpoint, String advertised) {
        return new NodeGatewayConfig(
                gatewayId,
                agentEndpoint,
                internalEndpoint,
                advertised,
                Duration.ofSeconds(30),
                Duration.ofSeconds(5));
    }
}
