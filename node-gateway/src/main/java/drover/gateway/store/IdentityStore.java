package drover.gateway.store;

import drover.gateway.identity.GivenCertificate;
import drover.gateway.identity.JoinGrant;
import drover.gateway.session.NodeIdentity;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Join tokens and certificates as they are remembered. Every method throws {@link StoreUnavailable}
 * when the database is away.
 */
public interface IdentityStore {
    /** How long tokens that are over are still listed. */
    Duration LISTED = Duration.ofDays(30);

    /** The most that are listed. */
    int LARGEST_LIST = 1_000;

    /** Makes a certificate for a node, once it is known which. */
    interface Issuer {
        /** The certificate of this generation. */
        GivenCertificate issue(NodeId node, long generation);
    }

    /**
     * Somebody shows a token.
     *
     * @param publicKey of the key that shall be certified
     * @param otherwise the node's id where the token names none
     * @param present the node that the machine is by now, and stays
     */
    record Showing(
            String tokenId,
            Digest secret,
            Digest publicKey,
            NodeId otherwise,
            Optional<NodeId> present) {
        /** Whether the machine would cease to be the node that it is. */
        boolean isAnother(Optional<NodeId> node) {
            return present.isPresent() && !present.equals(node);
        }
    }

    /** What became of a token that was shown. */
    sealed interface Enrolment {
        /** The machine is this node, now or since it asked before. */
        record Enrolled(GivenCertificate given) implements Enrolment {}

        /** No token has this id and this secret. */
        record Unknown() implements Enrolment {}

        /** The token makes no more nodes. */
        record Spent(String sentence) implements Enrolment {}

        /** The token names a node of another chain profile or type, which never change. */
        record IdentityFixed(NodeIdentity present) implements Enrolment {}

        /**
         * The machine is a node, and the token makes another one, which it does still.
         *
         * @param named by the token; empty where it makes a new one
         */
        record AnotherNode(Optional<NodeId> named) implements Enrolment {}
    }

    /** What whoever shows a token with the same key as before is told. */
    static Enrolment answeredBefore(GivenCertificate given, Showing showing) {
        Optional<NodeId> node = Optional.of(given.node());
        return showing.isAnother(node)
                ? new Enrolment.AnotherNode(node)
                : new Enrolment.Enrolled(given);
    }

    /** Keeps a new token. */
    void grant(JoinGrant token, Digest secret);

    /** Tokens that were made lately, newest first. */
    List<JoinGrant> grants();

    /** Ends a token, at once and everywhere; empty when there is none with this id. */
    Optional<JoinGrant> revoke(String tokenId, String by);

    /**
     * Uses a token: node, certificate and use are one transaction. The same token with the same key
     * has the same answer (invariant H4).
     */
    Enrolment enrol(Showing showing, Issuer issuer);
}
