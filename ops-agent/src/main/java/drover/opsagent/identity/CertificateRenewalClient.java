package drover.opsagent.identity;

import com.google.protobuf.ByteString;
import drover.agent.v1.NodeCertificate;
import drover.agent.v1.RenewRequest;
import drover.agent.v1.RenewalServiceGrpc;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.GatewaySessionLoop;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets the node its next certificate: a fresh key that stays here, and the present certificate as
 * the proof of who asks. Done again after a failure it goes on with the same key, so that a reply
 * which was lost costs nothing.
 */
public final class CertificateRenewalClient {
    private static final Duration ANSWER = Duration.ofSeconds(15);

    private static final Logger LOG = LoggerFactory.getLogger(CertificateRenewalClient.class);

    private final IdentityFile file;
    private final Consumer<String> suspicions;

    /** Of the node whose identity lies there. */
    public CertificateRenewalClient(IdentityFile file) {
        this(file, _ -> {});
    }

    /**
     * Of the node whose identity lies there.
     *
     * @param suspicions receives a sentence for each response that would change whom the node
     *     trusts, and an empty one for a response that would not
     */
    CertificateRenewalClient(IdentityFile file, Consumer<String> suspicions) {
        this.file = file;
        this.suspicions = suspicions;
    }

    /**
     * Asks one gateway.
     *
     * @throws IllegalStateException with one sentence
     */
    public NodeKeyAndCertificate renewAt(GatewayAddress gateway) {
        return file.withLock(
                () ->
                        requestAndSaveCertificate(
                                file.requireIdentity(
                                        EnrollmentConfig.certificateRemedy(Optional.empty())),
                                gateway));
    }

    /**
     * Asks one gateway for the successor of this one; asks nobody, and is empty, when the node has
     * got another one meanwhile.
     *
     * @throws IllegalStateException with one sentence
     */
    Optional<NodeKeyAndCertificate> renewIfCurrent(
            NodeKeyAndCertificate present, GatewayAddress gateway) {
        return file.withLock(
                () ->
                        file.read()
                                .filter(present::equals)
                                .map(it -> requestAndSaveCertificate(it, gateway)));
    }

    private NodeKeyAndCertificate requestAndSaveCertificate(
            NodeKeyAndCertificate present, GatewayAddress gateway) {
        PendingKey key =
                file.getOrCreateKeyForRenewal(present.toTlsMaterial().leaf().getSerialNumber());
        NodeKeyAndCertificate came =
                NodeKeyAndCertificate.fromCertificate(key, sendRequest(present, key, gateway));
        boolean same = came.trustedPins().equals(present.trustedPins());
        NodeKeyAndCertificate next = same ? came : came.withTrustOf(present);
        try {
            file.saveRenewed(present, next);
        } catch (SuspiciousRenewalResponse e) {
            suspicions.accept(String.valueOf(e.getMessage()));
            throw e;
        }
        if (!same) {
            LOG.warn("A renewal would have changed the trusted CAs address={}", gateway);
        }
        suspicions.accept(
                same
                        ? ""
                        : "Gateway "
                                + gateway
                                + " sent other CAs with a renewed certificate; the node keeps its"
                                + " own. Check whether that gateway is compromised.");
        return next;
    }

    private static NodeCertificate sendRequest(
            NodeKeyAndCertificate present, PendingKey key, GatewayAddress gateway) {
        ManagedChannel channel = gateway.openChannel(NodeTls.credentialsFor(present));
        try {
            return RenewalServiceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(ANSWER.toMillis(), TimeUnit.MILLISECONDS)
                    .renew(
                            RenewRequest.newBuilder()
                                    .setCertificateRequest(
                                            ByteString.copyFrom(key.certificateRequestDer()))
                                    .build())
                    .getCertificate();
        } catch (StatusRuntimeException e) {
            throw new IllegalStateException(
                    gateway + ": " + GatewaySessionLoop.causeMessage(e.getStatus()), e);
        } finally {
            channel.shutdownNow();
        }
    }
}
