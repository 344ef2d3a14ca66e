package drover.opsagent.identity;

import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
import drover.opsagent.peers.NodeLogContext;
import drover.opsagent.policy.TokenFile;
import drover.trust.identity.JoinToken;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate of a node that enrols itself: before its first dial, and before the next one
 * after its certificate ended while the machine was off. The token's file is read anew for each
 * dial, so one that is put there later is taken without a restart. What lies there is removed once
 * a gateway has welcomed the certificate, since whoever copied it could become this node; before
 * that it may be needed, for this machine's clock may say that a certificate is good which is not.
 * Programs are cared for meanwhile. One thread.
 */
public final class JoinTokenConsumingCredential implements NodeCredential {
    private static final Logger LOG = LoggerFactory.getLogger(JoinTokenConsumingCredential.class);

    private final IdentityFile file;
    private final EnrollmentConfig enrollment;
    private final InstantSource clock;
    private final EnrolledIdentityCreator client; // knows which door had too much to do
    private final NodeCredential certificate;
    private Optional<RefusedEnrollment> refused =
            Optional.empty(); // nothing but showing something else helps
    private String stays = ""; // the token's id: said once that it cannot be removed

    /**
     * What a gateway judges by: a token for another node is good once the machine is none.
     *
     * @param token its id
     */
    private record RefusedEnrollment(String token, Optional<String> presentNode) {}

    /** Of the node whose identity lies in this file, or will. */
    public JoinTokenConsumingCredential(
            IdentityFile file, EnrollmentConfig place, InstantSource clock) {
        this.file = file;
        this.enrollment = place;
        this.clock = clock;
        this.client = new EnrolledIdentityCreator(file);
        this.certificate = new CertificateCredential(file, Optional.of(place));
    }

    @Override
    public PreparedConnection prepareConnection(GatewayAddress gateway) {
        try {
            if (!hasUnexpiredCertificate()) {
                enroll();
            }
        } catch (IllegalStateException e) {
            if (file.read().isEmpty()) {
                throw e;
            }
            LOG.warn( // its clock may be wrong, and gateways judge by theirs
                    "The certificate has ended by this machine's clock, and is shown all the same"
                            + " reason={}",
                    e.getMessage());
            return certificate.prepareConnection(gateway).asLastResort(retryAfterOf(e));
        }
        return certificate.prepareConnection(gateway);
    }

    private static Duration retryAfterOf(IllegalStateException problem) {
        return switch (problem) {
            case EnrollmentRefused refused -> refused.retryAfter();
            case CredentialTemporarilyUnavailable later -> later.retryAfter();
            default -> Duration.ZERO;
        };
    }

    private boolean hasUnexpiredCertificate() {
        return file.read().filter(node -> clock.instant().isBefore(node.expiresAt())).isPresent();
    }

    private void enroll() {
        JoinToken token = readToken();
        RefusedEnrollment shown =
                new RefusedEnrollment(token.id(), file.read().map(NodeKeyAndCertificate::node));
        if (refused.equals(Optional.of(shown))) {
            throw new EnrollmentRefused(
                    "The join token " + token.id() + " was refused: put another one there.",
                    Duration.ZERO,
                    null);
        }
        try {
            NodeKeyAndCertificate node = client.enrollAtAny(enrollment.endpoints(), token);
            NodeLogContext.setIfValid(node.node());
            LOG.info(
                    "This machine is a node by its join token generation={} until={}",
                    node.generation(),
                    node.expiresAt());
        } catch (EnrollmentRefused e) {
            refused = Optional.of(shown);
            throw e;
        }
    }

    private JoinToken readToken() {
        try {
            return JoinToken.parse(TokenFile.readUnstripped(enrollment.tokenFile()));
        } catch (IOException e) {
            throw new IllegalStateException(
                    "This machine has no certificate that is good, and "
                            + enrollment.tokenFile()
                            + " cannot be read: put a join token there (drover token create).",
                    e);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(enrollment.tokenFile() + ": " + e.getMessage(), e);
        }
    }

    /** The certificate is good by the clock that counts: no token is needed. */
    @Override
    public void onAccepted() {
        try {
            if (Files.deleteIfExists(enrollment.tokenFile())) {
                LOG.info("The join token is removed, as it is not needed any more");
            }
        } catch (IOException e) { // somebody else's directory, such as a Secret
            warnTokenNotRemoved();
        }
    }

    private void warnTokenNotRemoved() {
        String id = readTokenId();
        if (!id.equals(stays)) {
            stays = id;
            LOG.warn(
                    "The join token cannot be removed: somebody has to file={}",
                    enrollment.tokenFile());
        }
    }

    private String readTokenId() {
        try {
            return readToken().id();
        } catch (IllegalStateException e) {
            return "no token"; // in whatever lies there
        }
    }
}
