/**
 * One agent as its archive installs it, beside a bare gRPC client on the same Java with the same
 * settings. Start with {@link drover.bench.agent.UnpackedAgent} and {@link
 * drover.bench.agent.MeasuredProcess}; the door that both dial is {@link
 * drover.bench.agent.FakeGateway}.
 */
@NullMarked
package drover.bench.agent;

import org.jspecify.annotations.NullMarked;
