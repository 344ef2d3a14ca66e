/**
 * The gateway's doors: they read messages into records, call the engine, and render what it says.
 * Start with {@link drover.gateway.api.AgentGrpcService} and {@link
 * drover.gateway.api.GatewayControlGrpcService}. Generated messages stop here; nothing is decided
 * here.
 */
@NullMarked
package drover.gateway.api;

import org.jspecify.annotations.NullMarked;
