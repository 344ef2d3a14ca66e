package drover.gateway.engine;

import drover.gateway.identity.Proof;
import drover.gateway.identity.ShownCertificate.Worth;
import drover.gateway.session.NodeIdentity;
import drover.gateway.store.CertificateStore;
import drover.gateway.store.CertificateStore.Shown;
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
public final class CertificateBook {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateBook.class);

    private final CertificateStore store;
    private final Turnstile lookups = new Turnstile(Turnstile.USUAL);
    private final Map<NodeId, Known> seen = new ConcurrentHashMap<>(); // one for each node

    /** What was good when it was last looked at. */
    private record Known(String serial, NodeIdentity node) {}

    /** Reads from this store. */
    public CertificateBook(CertificateStore store) {
        this.store = store;
    }

    /**
     * The node that a certificate speaks for.
     *
     * @param named the node in the certificate's one name
     * @param serial in hexadecimal
     * @throws Refused when it speaks for nobody any more, nobody can say, or too many ask at once
     */
    public NodeIdentity identify(NodeId named, String serial) {
        return lookups.pass(() -> identifyAdmitted(named, serial));
    }

    private NodeIdentity identifyAdmitted(NodeId named, String serial) {
        try {
            NodeIdentity node = judged(shown(named, serial));
            seen.put(named, new Known(serial, node));
            return node;
        } catch (StoreUnavailable e) {
            return Optional.ofNullable(seen.get(named))
                    .filter(known -> known.serial().equals(serial))
                    .map(Known::node)
                    .orElseThrow(CertificateBook::away);
        }
    }

    private Shown shown(NodeId named, String serial) {
        return store.show(serial)
                .filter(shown -> shown.node().id().equals(named)) // never another's (H1)
                .orElseThrow(
                        () ->
                                new Refused(
                                        RefusalCode.NODE_CREDENTIAL_UNKNOWN,
                                        "This certificate of node "
                                                + named
                                                + " is unknown here; enroll the machine anew."));
    }

    private NodeIdentity judged(Shown shown) {
        return switch (shown.certificate().at(shown.now())) {
            case Worth.Good() -> shown.node();
            case Worth.Nothing(RefusalCode code, String sentence) ->
                    throw new Refused(code, sentence);
            case Worth.Copy() -> throw locked(shown);
        };
    }

    /** Which of the two is the copy nobody can say, so the store has locked the node to both. */
    private Refused locked(Shown shown) {
        NodeId node = shown.node().id();
        seen.remove(node);
        LOG.warn(
                "A node is locked: its identity is in use at two places nodeId={} generation={}"
                        + " newest={}",
                node,
                shown.certificate().generation(),
                shown.certificate().newest());
        return new Refused(
                RefusalCode.NODE_LOCKED,
                "Node %s is locked: a newer certificate of it is in use elsewhere. Find the copy,"
                                .formatted(node)
                        + " then enroll the machine anew.");
    }

    private static Refused away() {
        return new Refused(
                RefusalCode.STORE_UNAVAILABLE,
                "The database that knows the certificates is away; dial again with jitter.");
    }

    /** What was ended counts for nothing any more, even while the database is away. */
    void forget(Set<Proof> ended) {
        seen.values().removeIf(known -> ended.contains(new Proof.Certificate(known.serial())));
    }
}
