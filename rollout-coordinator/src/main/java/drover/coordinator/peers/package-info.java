/**
 * The coordinator's neighbours, one small interface each with its gRPC implementation: gateways,
 * health-evaluators, manifest-service. Start with {@link drover.coordinator.peers.GatewayLink}.
 * Generated types stop here; nothing here decides.
 */
@NullMarked
package drover.coordinator.peers;

import org.jspecify.annotations.NullMarked;
