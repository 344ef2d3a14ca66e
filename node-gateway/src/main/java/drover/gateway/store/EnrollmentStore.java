package drover.gateway.store;

import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.JoinTokenMetadata;
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
public interface EnrollmentStore {
    /** How long tokens that are over are still listed. */
    Duration LIST_RETENTION = Duration.ofDays(30);

    /** The most that are listed. */
    int MAX_LISTED = 1_000;

    /** Makes a certificate for a node, once it is known which. */
    interface CertificateIssuer {
        /** The certificate of this generation. */
        IssuedCertificate issue(NodeId node, long generation);
    }

    /**
     * Somebody shows a token.
     *
     * @param publicKey of the key that shall be certified
     * @param generatedNode the node's id where the token names none
     * @param currentNode the node that the machine is by now, and stays
     */
    record EnrollmentRequest(
            String tokenId,
            Digest secret,
            Digest publicKey,
            NodeId generatedNode,
            Optional<NodeId> currentNode) {
        /** Whether the machine would cease to be the node that it is. */
        boolean changesNode(Optional<NodeId> node) {
            return currentNode.isPresent() && !currentNode.equals(node);
        }
    }

    /** What became of a token that was shown. */
    sealed interface EnrollmentResult {
        /** The machine is this node, now or since it asked before. */
        record EnrolledWithCertificate(IssuedCertificate given) implements EnrollmentResult {}

        /** No token has this id and this secret. */
        record UnknownToken() implements EnrollmentResult {}

        /** The token makes no more nodes. */
        record UnusableToken(String sentence) implements EnrollmentResult {}

        /** The token names a node of another chain profile or type, which never change. */
        record ChainOrTypeConflict(NodeIdentity present) implements EnrollmentResult {}

        /**
         * The machine is a node, and the token makes another one, which it does still.
         *
         * @param named by the token; empty where it makes a new one
         */
        record MachineAlreadyEnrolled(Optional<NodeId> named) implements EnrollmentResult {}
    }

    /** What whoever shows a token with the same key as before is told. */
    static EnrollmentResult repeatedResult(IssuedCertificate given, EnrollmentRequest showing) {
        Optional<NodeId> node = Optional.of(given.node());
        return showing.changesNode(node)
                ? new EnrollmentResult.MachineAlreadyEnrolled(node)
                : new EnrollmentResult.EnrolledWithCertificate(given);
    }

    /** Keeps a new token. */
    void addJoinToken(JoinTokenMetadata token, Digest secret);

    /** Tokens that were made lately, newest first. */
    List<JoinTokenMetadata> listJoinTokens();

    /** Ends a token, at once and everywhere; empty when there is none with this id. */
    Optional<JoinTokenMetadata> revoke(String tokenId, String by);

    /**
     * Uses a token: node, certificate and use are one transaction. The same token with the same key
     * has the same answer (invariant H4).
     */
    EnrollmentResult enroll(EnrollmentRequest showing, CertificateIssuer issuer);
}
