package drover.opsagent.identity;

import com.google.protobuf.ByteString;
import drover.agent.v1.NodeCertificate;
import drover.agent.v1.RenewRequest;
import drover.agent.v1.RenewalServiceGrpc;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.GatewaySession;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Gets the node its next certificate: a fresh key that stays here, and the present certificate as
 * the proof of who asks. Done again after a failure it goes on with the same key, so that a reply
 * which was lost costs nothing.
 */
public final class Renewal {
    private static final Duration ANSWER = Duration.ofSeconds(15);

    private final IdentityFile file;

    /** Of the node whose identity lies there. */
    public Renewal(IdentityFile file) {
        this.file = file;
    }

    /**
     * Asks one gateway.
     *
     * @throws IllegalStateException with one sentence
     */
    public NodeIdentity by(GatewayAddress gateway) {
        return file.alone(() -> asked(file.required(JoinPlace.remedy(Optional.empty())), gateway));
    }

    /**
     * Asks one gateway for the successor of this one; asks nobody, and is empty, when the node has
     * got another one meanwhile.
     *
     * @throws IllegalStateException with one sentence
     */
    Optional<NodeIdentity> of(NodeIdentity present, GatewayAddress gateway) {
        return file.alone(() -> file.read().filter(present::equals).map(it -> asked(it, gateway)));
    }

    private NodeIdentity asked(NodeIdentity present, GatewayAddress gateway) {
        PendingKey key = file.askingByCertificate(present.material().leaf().getSerialNumber());
        NodeIdentity next = NodeIdentity.given(key, ask(present, key, gateway));
        file.keepAfter(present, next);
        return next;
    }

    private static NodeCertificate ask(
            NodeIdentity present, PendingKey key, GatewayAddress gateway) {
        ManagedChannel channel = gateway.open(NodeTls.as(present));
        try {
            return RenewalServiceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(ANSWER.toMillis(), TimeUnit.MILLISECONDS)
                    .renew(
                            RenewRequest.newBuilder()
                                    .setCertificateRequest(ByteString.copyFrom(key.der()))
                                    .build())
                    .getCertificate();
        } catch (StatusRuntimeException e) {
            throw new IllegalStateException(
                    gateway + ": " + GatewaySession.sentence(e.getStatus()), e);
        } finally {
            channel.shutdownNow();
        }
    }
}
