/**
 * gRPC services for API keys and join tokens. Start with {@link
 * drover.coordinator.api.access.ApiKeyGrpcService} and {@link
 * drover.coordinator.api.access.JoinTokenGrpcService}. The package parses requests, calls {@code
 * engine.access} or {@code peers} and renders responses. It makes no decisions, contains no SQL and
 * writes to no store.
 */
@NullMarked
package drover.coordinator.api.access;

import org.jspecify.annotations.NullMarked;
