/**
 * Tests of connections between services. Start with {@link drover.kit.mtls.ServiceTransportTest}.
 */
@NullMarked
package drover.kit.mtls;

import org.jspecify.annotations.NullMarked;
