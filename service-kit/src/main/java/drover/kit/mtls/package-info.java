/**
 * Connections between services with mutual TLS, and monitoring of certificate expiry. Start with
 * {@link drover.kit.mtls.ServiceTransport}. {@link drover.trust.identity.ServicePermission} decides
 * which service may call which methods, and {@link drover.kit.tls} implements TLS. Knows no
 * service's domain.
 */
@NullMarked
package drover.kit.mtls;

import org.jspecify.annotations.NullMarked;
