/** Tests of the gRPC service for incidents over a real PostgreSQL. */
@NullMarked
package drover.coordinator.api.incident;

import org.jspecify.annotations.NullMarked;
