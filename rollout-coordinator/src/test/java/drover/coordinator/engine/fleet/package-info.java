/** Tests of the leader's view of the fleet, its gateways and reservations. */
@NullMarked
package drover.coordinator.engine.fleet;

import org.jspecify.annotations.NullMarked;
