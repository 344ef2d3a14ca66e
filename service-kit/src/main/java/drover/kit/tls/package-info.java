/**
 * Connections that prove who is at either end: TLS 1.3 alone, certificates on both sides, taken
 * from files and taken anew when the files change, without a restart. Start with {@link
 * drover.kit.tls.ReloadingIdentity}, then {@link drover.kit.tls.TlsCredentials} and {@link
 * drover.kit.tls.Peer}. Whom a door admits is decided by {@link drover.trust.identity.PeerRule};
 * nothing here knows a service's domain.
 */
@NullMarked
package drover.kit.tls;

import org.jspecify.annotations.NullMarked;
