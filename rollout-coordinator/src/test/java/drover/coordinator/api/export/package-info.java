/** Tests of the gRPC service for events over a real PostgreSQL. */
@NullMarked
package drover.coordinator.api.export;

import org.jspecify.annotations.NullMarked;
