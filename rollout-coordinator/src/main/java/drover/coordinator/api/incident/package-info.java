/**
 * gRPC service for incidents. Start with {@link
 * drover.coordinator.api.incident.IncidentGrpcService}; {@link
 * drover.coordinator.api.incident.IncidentProtos} converts incidents to messages. The package makes
 * no decisions, contains no SQL and reads stores only through their {@code *Views}.
 */
@NullMarked
package drover.coordinator.api.incident;

import org.jspecify.annotations.NullMarked;
