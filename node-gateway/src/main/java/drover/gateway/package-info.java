/**
 * The gateway: the door that agents dial into, and what coordinators and evaluators ask of it.
 * Start with {@link drover.gateway.NodeGateway}, which assembles it. Calls no other service.
 */
@NullMarked
package drover.gateway;

import org.jspecify.annotations.NullMarked;
