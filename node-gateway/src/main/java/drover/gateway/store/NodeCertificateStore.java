package drover.gateway.store;

import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.NodeRevocationCounts;
import drover.gateway.identity.PresentedCertificate;
import drover.gateway.identity.StreamCredential;
import drover.gateway.session.NodeIdentity;
import drover.gateway.store.EnrollmentStore.CertificateIssuer;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What nodes dial with, as it is remembered. Every method throws {@link StoreUnavailable} when the
 * database is away.
 */
public interface NodeCertificateStore {
    /**
     * How long an ended certificate is still told of after its own end, when no stream that began
     * with it lives any more: how far the clock of a gateway may be behind the database's.
     */
    Duration MAX_CLOCK_SKEW = Duration.ofHours(1);

    /** Who ended the join tokens of a node that was locked. */
    String LOCKED_BY = "gateway:locked";

    /** The most locked nodes that are told of: a person looks at each. */
    int MAX_LOCKED = 1_000;

    /** A node that asks again and again without ever dialling with what it gets is broken. */
    int MAX_UNUSED = 8;

    /**
     * Whose certificate is shown, and how it stands.
     *
     * @param now by the clock that its times are by
     */
    record PresentedIdentity(NodeIdentity node, PresentedCertificate certificate, Instant now) {}

    /**
     * Somebody dials with the certificate of this serial; the first dial with a newer one than
     * before is remembered. Whoever shows a copy locks the node in the same transaction, which
     * nobody can enrol between the two. Empty when there is no such certificate.
     */
    Optional<PresentedIdentity> recordPresentedAndLockCopied(String serial);

    /**
     * Gives the node of this certificate the next one; the same key has the same answer. Empty when
     * the node may have none now: it is barred or retired, shows an old one, or has {@link
     * #MAX_UNUSED} that it never dialled with.
     */
    Optional<IssuedCertificate> renew(String serial, Digest publicKey, CertificateIssuer issuer);

    /**
     * From now on nobody speaks for this node, by token or certificate, until its machine is
     * enrolled with a token that is made afterwards, or registered with another token: its
     * certificates are ended, and the join tokens that name it. Empty when there is no such node.
     *
     * @param by a principal
     */
    Optional<NodeRevocationCounts> revokeNode(NodeId node, String by);

    /**
     * What counts no more although it may have been good when a stream began with it: every
     * certificate that was ended before its time is over, whatever ended it, and those of these
     * tokens that belong to nobody who may connect.
     */
    Set<StreamCredential> findRevokedCredentials(
            Collection<StreamCredential.NodeTokenDigest> tokens);

    /** Nodes whose identity was in use at two places, those that are locked for longest first. */
    List<NodeId> listLockedNodes();
}
