package drover.gateway.engine.credential;

import drover.gateway.engine.limit.CredentialLookupConcurrencyLimit;
import drover.gateway.identity.StreamCredential;
import drover.gateway.session.NodeIdentity;
import drover.gateway.store.NodeStore;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Says which node a token belongs to. The database is always asked; what it said before counts only
 * while it cannot be reached, so that agents can dial again during its outage.
 */
public final class NodeTokenAuthenticator {
    private final NodeStore store;
    private final CredentialLookupConcurrencyLimit lookups;
    // One entry per node that connected here; an exchanged token replaces its node's.
    private final Map<NodeId, NodeStore.NodeTokenOwner> seen = new ConcurrentHashMap<>();

    /** Reads from this store. */
    public NodeTokenAuthenticator(NodeStore store) {
        this(store, CredentialLookupConcurrencyLimit.DEFAULT_LIMIT);
    }

    NodeTokenAuthenticator(NodeStore store, int lookupsAtOnce) {
        this.store = store;
        this.lookups = new CredentialLookupConcurrencyLimit(lookupsAtOnce);
    }

    /**
     * The node that a token belongs to.
     *
     * @throws Refused when nobody has this token, nobody can say, or too many ask at once
     *     (invariant I5)
     */
    public NodeIdentity authenticate(String token) {
        return lookups.runOrRefuse(() -> identify(token));
    }

    /** What was ended counts for nothing any more, even while the database is away. */
    void evict(Set<StreamCredential> ended) {
        seen.values()
                .removeIf(
                        known ->
                                ended.contains(
                                        new StreamCredential.NodeTokenDigest(known.tokenSha256())));
    }

    /** Tokens that count while the database is away. */
    List<StreamCredential.NodeTokenDigest> cachedTokens() {
        return seen.values().stream()
                .map(known -> new StreamCredential.NodeTokenDigest(known.tokenSha256()))
                .toList();
    }

    private NodeIdentity identify(String token) {
        Digest shown = Digest.of(token);
        NodeStore.NodeTokenOwner credential =
                findTokenOwnerOrCached(shown)
                        .filter(found -> sameDigest(found.tokenSha256(), shown))
                        .orElseThrow(NodeTokenAuthenticator::unknownToken);
        seen.put(credential.node().id(), credential);
        return credential.node();
    }

    private Optional<NodeStore.NodeTokenOwner> findTokenOwnerOrCached(Digest shown) {
        try {
            return store.findTokenOwner(shown);
        } catch (StoreUnavailable e) {
            Optional<NodeStore.NodeTokenOwner> remembered =
                    seen.values().stream()
                            .filter(known -> sameDigest(known.tokenSha256(), shown))
                            .findFirst();
            if (remembered.isEmpty()) {
                throw new Refused(
                        RefusalCode.STORE_UNAVAILABLE,
                        "The database that knows the tokens is away; dial again with jitter.");
            }
            return remembered;
        }
    }

    /** Takes the same time wherever the digests differ. */
    private static boolean sameDigest(Digest one, Digest other) {
        return MessageDigest.isEqual(
                one.value().getBytes(StandardCharsets.US_ASCII),
                other.value().getBytes(StandardCharsets.US_ASCII));
    }

    private static Refused unknownToken() {
        return new Refused(
                RefusalCode.NODE_CREDENTIAL_UNKNOWN,
                "This token is unknown; obtain a new one for the node.");
    }
}
