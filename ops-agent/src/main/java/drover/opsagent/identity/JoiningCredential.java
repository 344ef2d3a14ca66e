package drover.opsagent.identity;

import drover.model.identity.JoinToken;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate of a node that enrols itself: before its first dial, and before the next one
 * after its certificate ended while the machine was off. The token's file is read anew for each
 * dial, so one that is put there later is taken without a restart; while the certificate is good
 * what lies there is removed, since whoever copied it could become this node. Programs are cared
 * for meanwhile. One thread.
 */
public final class JoiningCredential implements NodeCredential {
    private static final Logger LOG = LoggerFactory.getLogger(JoiningCredential.class);

    private final IdentityFile file;
    private final JoinPlace place;
    private final InstantSource clock;
    private String refused = ""; // the token's id: nothing but another one helps
    private boolean stays; // the token's file, which cannot be removed

    /** Of the node whose identity lies in this file, or will. */
    public JoiningCredential(IdentityFile file, JoinPlace place, InstantSource clock) {
        this.file = file;
        this.place = place;
        this.clock = clock;
    }

    @Override
    public Dial to(GatewayAddress gateway) {
        try {
            if (!hasCertificate()) {
                enrol();
            }
            removeToken();
        } catch (IllegalStateException e) {
            if (file.read().isEmpty()) {
                throw e;
            }
            LOG.warn( // its clock may be wrong, and gateways judge by theirs
                    "The certificate has ended by this machine's clock, and is shown all the same"
                            + " reason={}",
                    e.getMessage());
        }
        return new CertificateCredential(file).to(gateway);
    }

    private boolean hasCertificate() {
        return file.read().filter(node -> clock.instant().isBefore(node.until())).isPresent();
    }

    private void enrol() {
        JoinToken token = token();
        if (token.id().equals(refused)) {
            throw new Refused(
                    "The join token " + refused + " was refused: put another one there.",
                    Duration.ZERO,
                    null);
        }
        try {
            NodeIdentity node = new Enrolling(file).byOneOf(place.doors(), token);
            LOG.info(
                    "This machine is a node by its join token nodeId={} generation={} until={}",
                    node.node(),
                    node.generation(),
                    node.until());
        } catch (Refused e) {
            refused = token.id();
            throw e;
        }
    }

    private JoinToken token() {
        try {
            return JoinToken.parse(Files.readString(place.tokenFile()));
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

    private void removeToken() {
        try {
            if (!stays && Files.deleteIfExists(place.tokenFile())) {
                LOG.info("The join token is removed, as it is not needed any more");
            }
        } catch (IOException e) {
            stays = true; // said once: somebody else's directory, such as a Secret
            LOG.warn(
                    "The join token cannot be removed: somebody has to file={}", place.tokenFile());
        }
    }
}
