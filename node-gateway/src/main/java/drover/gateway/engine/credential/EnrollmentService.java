package drover.gateway.engine.credential;

import drover.gateway.identity.IssuedCertificate;
import drover.gateway.store.EnrollmentStore;
import drover.gateway.store.EnrollmentStore.EnrollmentResult;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.trust.identity.JoinToken;
import java.security.PublicKey;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes machines that show a join token nodes of the mesh. */
public final class EnrollmentService {
    private static final Logger LOG = LoggerFactory.getLogger(EnrollmentService.class);

    private final EnrollmentStore store;
    private final NodeCertificateSigner signer;

    /** Over this store. */
    public EnrollmentService(EnrollmentStore store, NodeCertificateSigner signer) {
        this.store = store;
        this.signer = signer;
    }

    /**
     * Makes a machine a node and gives it its first certificate; the same again gives the same.
     *
     * @param request PKCS #10 in DER, from anybody at all
     * @param present the node that the machine is by now
     * @throws Refused when the token or the request is not good, when the token makes another node
     *     than the machine is, and when the database is away
     */
    public IssuedCertificate enroll(String tokenText, byte[] request, Optional<NodeId> present) {
        JoinToken token = parseToken(tokenText);
        PublicKey key = NodeCertificateSigner.verifyAndGetKey(request);
        EnrollmentStore.EnrollmentRequest showing =
                new EnrollmentStore.EnrollmentRequest(
                        token.id(),
                        token.secretDigest(),
                        Digest.of(key.getEncoded()),
                        new NodeId(UUID.randomUUID().toString()),
                        present);
        EnrollmentResult became =
                JoinTokenService.refuseIfUnavailable(
                        () ->
                                store.enroll(
                                        showing,
                                        (node, generation) -> signer.issue(node, generation, key)));
        return switch (became) {
            case EnrollmentResult.EnrolledWithCertificate(IssuedCertificate given) ->
                    logEnrolled(token, given);
            case EnrollmentResult.UnknownToken() -> throw unknownToken();
            case EnrollmentResult.UnusableToken(String sentence) ->
                    throw new Refused(RefusalCode.JOIN_TOKEN_UNUSABLE, sentence);
            case EnrollmentResult.ChainOrTypeConflict(var fixed) ->
                    throw new Refused(
                            RefusalCode.NODE_IDENTITY_FIXED,
                            "Node %s belongs to chain profile %s with type %s, for good; make a token for another id."
                                    .formatted(fixed.id(), fixed.chain(), fixed.type()));
            case EnrollmentResult.MachineAlreadyEnrolled(var named) -> {
                NodeId machine = present.orElseThrow();
                warnOfOtherNode(token, machine, named);
                throw tokenOfAnotherNode(machine, named);
            }
        };
    }

    /** Who tries a token that was stolen learns a node's name by it: somebody should look. */
    private static void warnOfOtherNode(JoinToken token, NodeId present, Optional<NodeId> named) {
        LOG.warn(
                "A join token is refused to a machine that is another node nodeId={}"
                        + " presentNodeId={} tokenId={}",
                named.map(NodeId::value).orElse("(new)"),
                present,
                token.id());
    }

    private static Refused tokenOfAnotherNode(NodeId present, Optional<NodeId> named) {
        return new Refused(
                RefusalCode.TOKEN_OF_ANOTHER_NODE,
                "This machine is node %s, and the join token makes %s: make one with --node %s, or take identity.json out of its state directory first."
                        .formatted(
                                present,
                                named.map(node -> "node " + node).orElse("a new node"),
                                present));
    }

    private static IssuedCertificate logEnrolled(JoinToken token, IssuedCertificate given) {
        LOG.info(
                "A machine is enrolled nodeId={} tokenId={} serial={} generation={} until={}",
                given.node(),
                token.id(),
                given.serial(),
                given.generation(),
                given.expiresAt());
        return given;
    }

    private static JoinToken parseToken(String text) {
        try {
            return JoinToken.parse(text);
        } catch (IllegalArgumentException e) {
            throw unknownToken();
        }
    }

    private static Refused unknownToken() {
        return new Refused(
                RefusalCode.JOIN_TOKEN_UNKNOWN,
                "This join token is unknown here; get a new one: drover token create");
    }
}
