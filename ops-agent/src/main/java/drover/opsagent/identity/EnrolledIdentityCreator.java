package drover.opsagent.identity;

import com.google.protobuf.ByteString;
import drover.agent.v1.EnrollRequest;
import drover.agent.v1.EnrollmentServiceGrpc;
import drover.agent.v1.NodeCertificate;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.GatewaySessionLoop;
import drover.opsagent.peers.GrpcRetryDelayReader;
import drover.opsagent.peers.NodeCredential;
import drover.trust.identity.JoinToken;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Makes this machine a node: a key that stays here, a join token, and a certificate that comes back
 * (SECURITY, enrolment). Done again after a failure it goes on with the same key, so that a reply
 * which was lost costs nothing.
 */
public final class EnrolledIdentityCreator {
    private static final Duration ANSWER = Duration.ofSeconds(15);

    private final IdentityFile file;
    private Optional<GatewayAddress> overloaded = Optional.empty(); // when it was asked last

    /** Of the node whose identity lies there. */
    public EnrolledIdentityCreator(IdentityFile file) {
        this.file = file;
    }

    /**
     * Asks one gateway.
     *
     * @throws NodeCredential.EnrollmentRefused when the token is not taken: no other gateway takes
     *     it either. A machine that is a node by now stays that one, whatever the token names
     * @throws NodeCredential.CredentialTemporarilyUnavailable when too many ask
     * @throws IllegalStateException with one sentence that says what to do
     */
    public NodeKeyAndCertificate enrollAt(JoinToken token, GatewayAddress gateway) {
        return file.withLock(() -> requestAndSaveCertificate(token, gateway));
    }

    private NodeKeyAndCertificate requestAndSaveCertificate(
            JoinToken token, GatewayAddress gateway) {
        String present = file.read().map(NodeKeyAndCertificate::node).orElse("");
        PendingKey key = file.getOrCreateKeyForToken(token.id());
        NodeKeyAndCertificate identity =
                NodeKeyAndCertificate.fromCertificate(
                        key, sendRequest(token, key, present, gateway));
        if (!identity.trustedPins().contains(token.pin())) {
            throw new IllegalStateException(
                    gateway
                            + " sent CAs without the one that the join token names. Check whether"
                            + " that gateway is compromised.");
        }
        file.saveEnrolled(identity);
        return identity;
    }

    /**
     * Asks one gateway after the other until one answers, and the one where too many asked at last:
     * others may have less to do. One thread.
     *
     * @throws NodeCredential.EnrollmentRefused as soon as one says that the token is not taken
     * @throws NodeCredential.CredentialTemporarilyUnavailable as soon as one says that too many
     *     ask: so they do elsewhere
     * @throws IllegalStateException with what each of them said
     */
    public NodeKeyAndCertificate enrollAtAny(List<GatewayAddress> gateways, JoinToken token) {
        List<String> problems = new ArrayList<>();
        for (GatewayAddress gateway : rotateOverloadedToEnd(gateways)) {
            try {
                return enrollAt(token, gateway);
            } catch (NodeCredential.EnrollmentRefused e) {
                throw e;
            } catch (NodeCredential.CredentialTemporarilyUnavailable e) {
                overloaded = Optional.of(gateway);
                throw e;
            } catch (IllegalStateException e) {
                problems.add(String.valueOf(e.getMessage()));
            }
        }
        throw new IllegalStateException(String.join("; ", problems));
    }

    private List<GatewayAddress> rotateOverloadedToEnd(List<GatewayAddress> gateways) {
        List<GatewayAddress> round = new ArrayList<>(gateways);
        int last = overloaded.map(gateways::indexOf).orElse(-1);
        Collections.rotate(round, -(last + 1));
        return round;
    }

    private static NodeCertificate sendRequest(
            JoinToken token, PendingKey key, String present, GatewayAddress gateway) {
        ManagedChannel channel = gateway.openChannel(NodeTls.credentialsWithPinnedCa(token.pin()));
        try {
            return EnrollmentServiceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(ANSWER.toMillis(), TimeUnit.MILLISECONDS)
                    .enroll(
                            EnrollRequest.newBuilder()
                                    .setJoinToken(token.text())
                                    .setCertificateRequest(
                                            ByteString.copyFrom(key.certificateRequestDer()))
                                    .setCurrentNodeId(present)
                                    .build())
                    .getCertificate();
        } catch (StatusRuntimeException e) {
            throw toException(gateway, e);
        } finally {
            channel.shutdownNow();
        }
    }

    private static IllegalStateException toException(
            GatewayAddress gateway, StatusRuntimeException e) {
        Status end = e.getStatus();
        String sentence =
                gateway + " did not enrol this node: " + GatewaySessionLoop.causeMessage(end);
        return switch (end.getCode()) {
            case UNAUTHENTICATED, ALREADY_EXISTS, FAILED_PRECONDITION ->
                    new NodeCredential.EnrollmentRefused(sentence, GrpcRetryDelayReader.of(e), e);
            case RESOURCE_EXHAUSTED ->
                    new NodeCredential.CredentialTemporarilyUnavailable(
                            sentence, GrpcRetryDelayReader.of(e), e);
            default -> new IllegalStateException(sentence, e);
        };
    }
}
