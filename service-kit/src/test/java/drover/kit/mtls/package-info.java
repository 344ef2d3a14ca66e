/**
 * Tests of connections between services. Start with {@link drover.kit.mtls.ServiceConnectionsTest}.
 */
@NullMarked
package drover.kit.mtls;

import org.jspecify.annotations.NullMarked;
