package drover.opsagent.identity;

import drover.model.identity.JoinToken;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
import java.io.IOException;
import java.nio.file.Files;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate of a node that enrols itself: before its first dial, and before the next one
 * after its certificate ended while the machine was off. The token's file is read anew for each
 * dial, so one that is put there later is taken without a restart; while the certificate is good
 * nobody looks at it. Programs are cared for meanwhile.
 */
public final class JoiningCredential implements NodeCredential {
    private static final Logger LOG = LoggerFactory.getLogger(JoiningCredential.class);

    private final IdentityFile file;
    private final JoinPlace place;
    private final InstantSource clock;

    /** Of the node whose identity lies in this file, or will. */
    public JoiningCredential(IdentityFile file, JoinPlace place, InstantSource clock) {
        this.file = file;
        this.place = place;
        this.clock = clock;
    }

    @Override
    public Dial to(GatewayAddress gateway) {
        if (!hasCertificate()) {
            NodeIdentity node = new Enrolling(file).byOneOf(place.doors(), token());
            LOG.info(
                    "This machine is a node by its join token nodeId={} generation={} until={}",
                    node.node(),
                    node.generation(),
                    node.until());
        }
        return new CertificateCredential(file).to(gateway);
    }

    private boolean hasCertificate() {
        return file.read().filter(node -> clock.instant().isBefore(node.until())).isPresent();
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
}
