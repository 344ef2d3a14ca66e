package drover.gateway.store;

import drover.gateway.identity.Bar;
import drover.gateway.identity.GivenCertificate;
import drover.gateway.identity.ShownCertificate;
import drover.gateway.session.NodeIdentity;
import drover.gateway.store.IdentityStore.Issuer;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What nodes dial with, as it is remembered. Every method throws {@link StoreUnavailable} when the
 * database is away.
 */
public interface CertificateStore {
    /** Longer than any outage after which a gateway must still hear who was barred during it. */
    Duration LATELY = Duration.ofHours(1);

    /** A node that asks again and again without ever dialling with what it gets is broken. */
    int MOST_UNSHOWN = 8;

    /**
     * Whose certificate is shown, and how it stands.
     *
     * @param now by the clock that its times are by
     */
    record Shown(NodeIdentity node, ShownCertificate certificate, Instant now) {}

    /**
     * Somebody dials with the certificate of this serial; the first dial with a newer one than
     * before is remembered. Empty when there is no such certificate.
     */
    Optional<Shown> show(String serial);

    /**
     * Gives the node of this certificate the next one; the same key has the same answer. Empty when
     * the node may have none now: it is barred or retired, shows an old one, or has {@link
     * #MOST_UNSHOWN} that it never dialled with.
     */
    Optional<GivenCertificate> renew(String serial, Digest publicKey, Issuer issuer);

    /**
     * From now on nobody speaks for this node, by token or certificate, until its machine is
     * enrolled anew or registered with another token. False when there is no such node.
     */
    boolean bar(NodeId node, Bar why);

    /** Nodes that were barred lately and still are. */
    List<NodeId> barred();
}
