/**
 * The leader's view of the fleet: connections, statuses, verdicts and reservations of nodes, held
 * in memory. Start with {@link drover.coordinator.engine.fleet.FleetCache}, which the streams
 * update, then {@link drover.coordinator.engine.fleet.LazyFleetSnapshot}, which decisions read.
 * {@link drover.coordinator.engine.fleet.GatewayPool} holds the links to the gateways. Decides
 * nothing about a rollout. Must not depend on {@code engine.rollout} or {@code engine.leader}.
 */
@NullMarked
package drover.coordinator.engine.fleet;

import org.jspecify.annotations.NullMarked;
