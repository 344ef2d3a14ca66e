/**
 * Identities on connections: names in certificates, rules that authorize a peer, TLS keys with
 * their chains, and certificate lifetimes (SECURITY, identities; invariants H1, H2).
 *
 * <p>Start with {@link drover.trust.identity.PeerRule} and {@link
 * drover.trust.identity.ServicePermission}, then {@link drover.trust.identity.SpiffeId} and {@link
 * drover.trust.identity.TlsKeyChainAndTrust}. Pure: no files, clocks and libraries. Must not depend
 * on {@code drover.trust.release}.
 */
@NullMarked
package drover.trust.identity;

import org.jspecify.annotations.NullMarked;
