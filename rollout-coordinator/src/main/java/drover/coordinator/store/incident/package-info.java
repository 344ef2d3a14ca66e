/**
 * Incidents and their events. Start with {@link
 * drover.coordinator.store.incident.OperatorIncidentStore} (operators, on every replica), then
 * {@link drover.coordinator.store.incident.LeaderIncidentStore} (incidents from findings of agents,
 * under the fence). Depends on the pure packages and Jdbi, and must not depend on gRPC.
 */
@NullMarked
package drover.coordinator.store.incident;

import org.jspecify.annotations.NullMarked;
