/**
 * Tests of the HTTP server and of REST over gRPC. Start with {@link
 * drover.kit.rest.RestTranscoderTest}; {@link drover.kit.rest.FakeRolloutService} is the gRPC
 * service that most of them call.
 */
@NullMarked
package drover.kit.rest;

import org.jspecify.annotations.NullMarked;
