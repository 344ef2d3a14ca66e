package drover.opsagent.identity;

import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
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
public final class JoiningCredential implements NodeCredential {
    private static final Logger LOG = LoggerFactory.getLogger(JoiningCredential.class);

    private final IdentityFile file;
    private final JoinPlace place;
    private final InstantSource clock;
    private final Enrolling enrolling; // knows which door had too much to do
    private final NodeCredential certificate;
    private Optional<Shown> refused = Optional.empty(); // nothing but showing something else helps
    private String stays = ""; // the token's id: said once that it cannot be removed

    /**
     * What a gateway judges by: a token for another node is good once the machine is none.
     *
     * @param token its id
     */
    private record Shown(String token, Optional<String> presentNode) {}

    /** Of the node whose identity lies in this file, or will. */
    public JoiningCredential(IdentityFile file, JoinPlace place, InstantSource clock) {
        this.file = file;
        this.place = place;
        this.clock = clock;
        this.enrolling = new Enrolling(file);
        this.certificate = new CertificateCredential(file, Optional.of(place));
    }

    @Override
    public Dial to(GatewayAddress gateway) {
        try {
            if (!hasCertificate()) {
                enrol();
            }
        } catch (IllegalStateException e) {
            if (file.read().isEmpty()) {
                throw e;
            }
            LOG.warn( // its clock may be wrong, and gateways judge by theirs
                    "The certificate has ended by this machine's clock, and is shown all the same"
                            + " reason={}",
                    e.getMessage());
            return certificate.to(gateway).asLastResort(atLeast(e));
        }
        return certificate.to(gateway);
    }

    private static Duration atLeast(IllegalStateException problem) {
        return switch (problem) {
            case Refused refused -> refused.atLeast();
            case NotNow later -> later.atLeast();
            default -> Duration.ZERO;
        };
    }

    private boolean hasCertificate() {
        return file.read().filter(node -> clock.instant().isBefore(node.until())).isPresent();
    }

    private void enrol() {
        JoinToken token = token();
        Shown shown = new Shown(token.id(), file.read().map(NodeIdentity::node));
        if (refused.equals(Optional.of(shown))) {
            throw new Refused(
                    "The join token " + token.id() + " was refused: put another one there.",
                    Duration.ZERO,
                    null);
        }
        try {
            NodeIdentity node = enrolling.byOneOf(place.doors(), token);
            LOG.info(
                    "This machine is a node by its join token nodeId={} generation={} until={}",
                    node.node(),
                    node.generation(),
                    node.until());
        } catch (Refused e) {
            refused = Optional.of(shown);
            throw e;
        }
    }

    private JoinToken token() {
        try {
            return JoinToken.parse(TokenFile.read(place.tokenFile()));
        } catch (IOException e) {
            throw new IllegalStateException(
                    "This machine has no certificate that is good, and "
                            + place.tokenFile()
                            + " cannot be read: put a join token there (drover token create).",
                    e);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(place.tokenFile() + ": " + e.getMessage(), e);
        }
    }

    /** The certificate is good by the clock that counts: no token is needed. */
    @Override
    public void welcomed() {
        try {
            if (Files.deleteIfExists(place.tokenFile())) {
                LOG.info("The join token is removed, as it is not needed any more");
            }
        } catch (IOException e) { // somebody else's directory, such as a Secret
            sayThatItStays();
        }
    }

    private void sayThatItStays() {
        String id = idThere();
        if (!id.equals(stays)) {
            stays = id;
            LOG.warn(
                    "The join token cannot be removed: somebody has to file={}", place.tokenFile());
        }
    }

    private String idThere() {
        try {
            return token().id();
        } catch (IllegalStateException e) {
            return "no token"; // in whatever lies there
        }
    }
}
