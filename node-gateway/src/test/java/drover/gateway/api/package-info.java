/**
 * Tests of how the gateway reads agent messages, and of its gRPC services. Start with {@link
 * drover.gateway.api.InvalidMessageTest}.
 */
@NullMarked
package drover.gateway.api;

import org.jspecify.annotations.NullMarked;
