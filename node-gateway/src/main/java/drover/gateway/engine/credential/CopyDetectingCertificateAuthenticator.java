package drover.gateway.engine.credential;

import drover.gateway.engine.limit.CredentialLookupConcurrencyLimit;
import drover.gateway.identity.PresentedCertificate.Validity;
import drover.gateway.identity.StreamCredential;
import drover.gateway.session.NodeIdentity;
import drover.gateway.store.NodeCertificateStore;
import drover.gateway.store.NodeCertificateStore.PresentedIdentity;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says whether a certificate that the handshake proved still speaks for its node. The database is
 * always asked; what it said before counts only while it cannot be reached.
 */
public final class CopyDetectingCertificateAuthenticator {
    private static final Logger LOG =
            LoggerFactory.getLogger(CopyDetectingCertificateAuthenticator.class);

    private final NodeCertificateStore store;
    private final CredentialLookupConcurrencyLimit lookups =
            new CredentialLookupConcurrencyLimit(CredentialLookupConcurrencyLimit.DEFAULT_LIMIT);
    private final Map<NodeId, CachedIdentity> seen = new ConcurrentHashMap<>(); // one for each node

    /** What was good when it was last looked at. */
    private record CachedIdentity(String serial, NodeIdentity node) {}

    /** Reads from this store. */
    public CopyDetectingCertificateAuthenticator(NodeCertificateStore store) {
        this.store = store;
    }

    /**
     * The node that a certificate speaks for.
     *
     * @param named the node in the certificate's one name
     * @param serial in hexadecimal
     * @throws Refused when it speaks for nobody any more, nobody can say, or too many ask at once
     */
    public NodeIdentity authenticate(NodeId named, String serial) {
        return lookups.runOrRefuse(() -> identify(named, serial));
    }

    private NodeIdentity identify(NodeId named, String serial) {
        try {
            NodeIdentity node = requireValid(recordPresentedOrRefuse(named, serial));
            seen.put(named, new CachedIdentity(serial, node));
            return node;
        } catch (StoreUnavailable e) {
            return Optional.ofNullable(seen.get(named))
                    .filter(known -> known.serial().equals(serial))
                    .map(CachedIdentity::node)
                    .orElseThrow(CopyDetectingCertificateAuthenticator::storeUnavailable);
        }
    }

    private PresentedIdentity recordPresentedOrRefuse(NodeId named, String serial) {
        return store.recordPresentedAndLockCopied(serial)
                .filter(shown -> shown.node().id().equals(named)) // never another's (H1)
                .orElseThrow(
                        () ->
                                new Refused(
                                        RefusalCode.NODE_CREDENTIAL_UNKNOWN,
                                        "This certificate of node "
                                                + named
                                                + " is unknown here; enroll the machine anew."));
    }

    private NodeIdentity requireValid(PresentedIdentity shown) {
        return switch (shown.certificate().validityAt(shown.now())) {
            case Validity.Valid() -> shown.node();
            case Validity.Invalid(RefusalCode code, String sentence) ->
                    throw new Refused(code, sentence);
            case Validity.PossiblyCopied() -> throw evictAndReportLocked(shown);
        };
    }

    /** Which of the two is the copy nobody can say, so the store has locked the node to both. */
    private Refused evictAndReportLocked(PresentedIdentity shown) {
        NodeId node = shown.node().id();
        seen.remove(node);
        LOG.warn(
                "A node is locked: its identity is in use at two places nodeId={} generation={}"
                        + " newest={}",
                node,
                shown.certificate().generation(),
                shown.certificate().latestGeneration());
        return new Refused(
                RefusalCode.NODE_LOCKED,
                "Node %s is locked: a newer certificate of it is in use elsewhere. Find the copy,"
                                .formatted(node)
                        + " then enroll the machine anew.");
    }

    private static Refused storeUnavailable() {
        return new Refused(
                RefusalCode.STORE_UNAVAILABLE,
                "The database that knows the certificates is away; dial again with jitter.");
    }

    /** What was ended counts for nothing any more, even while the database is away. */
    void evict(Set<StreamCredential> ended) {
        seen.values()
                .removeIf(
                        known -> ended.contains(new StreamCredential.Certificate(known.serial())));
    }
}
