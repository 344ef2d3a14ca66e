package drover.trust.identity;

import java.security.cert.CertificateException;

/** A peer whose chain is good, and whom this edge still does not admit. The message says why. */
public final class PeerNotAuthorized extends CertificateException {
    private static final long serialVersionUID = 1L;

    PeerNotAuthorized(String sentence) {
        super(sentence);
    }
}
