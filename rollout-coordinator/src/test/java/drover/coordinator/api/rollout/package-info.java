/** Tests of the gRPC service for rollouts over a real PostgreSQL, with other services in memory. */
@NullMarked
package drover.coordinator.api.rollout;

import org.jspecify.annotations.NullMarked;
