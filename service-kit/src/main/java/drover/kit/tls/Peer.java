package drover.kit.tls;

import drover.trust.identity.SpiffeId;
import java.math.BigInteger;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Optional;

/**
 * Who is at the other end, by the certificate of the handshake.
 *
 * @param id the one name in it
 * @param serial which certificate of its holder it is
 * @param notAfter when it ends
 */
public record Peer(SpiffeId id, BigInteger serial, Instant notAfter) {
    /** The holder of this leaf, whose chain was proven. */
    static Peer of(X509Certificate leaf) {
        return new Peer(SpiffeId.of(leaf), leaf.getSerialNumber(), leaf.getNotAfter().toInstant());
    }

    /** Who made the call that this thread handles; empty at doors that ask for no certificate. */
    public static Optional<Peer> current() {
        return Optional.ofNullable(PeerContextInterceptor.PEER.get());
    }
}
