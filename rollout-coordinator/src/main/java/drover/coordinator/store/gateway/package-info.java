/**
 * Tables that the gateways write: their registry, and blocked nodes. Start with {@link
 * drover.coordinator.store.gateway.GatewayRegistryReader}. The columns are a contract with the
 * gateways. This package only reads them.
 */
@NullMarked
package drover.coordinator.store.gateway;

import org.jspecify.annotations.NullMarked;
