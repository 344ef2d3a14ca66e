package drover.kit.tls;

import drover.trust.identity.PeerRule;
import drover.trust.identity.PeerRule.TlsRole;
import drover.trust.identity.SpiffeId;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Believes whose chain leads to an authority that is trusted now, and whom the rule of this edge
 * admits; both within the handshake, so that nobody else ever gets to say a word (H2).
 */
final class PeerTrustManager extends X509ExtendedTrustManager {
    private static final Logger LOG = LoggerFactory.getLogger(PeerTrustManager.class);

    private final ReloadingIdentity identity;
    private final PeerRule rule;

    PeerTrustManager(ReloadingIdentity identity, PeerRule rule) {
        this.identity = identity;
        this.rule = rule;
    }

    private X509ExtendedTrustManager currentTrustManager() {
        return identity.current().trustManager();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        checkPeer(
                chain,
                TlsRole.CLIENT,
                () -> currentTrustManager().checkClientTrusted(chain, type, engine));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        checkPeer(
                chain,
                TlsRole.CLIENT,
                () -> currentTrustManager().checkClientTrusted(chain, type, socket));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        checkPeer(
                chain, TlsRole.CLIENT, () -> currentTrustManager().checkClientTrusted(chain, type));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        checkPeer(
                chain,
                TlsRole.SERVER,
                () -> currentTrustManager().checkServerTrusted(chain, type, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        checkPeer(
                chain,
                TlsRole.SERVER,
                () -> currentTrustManager().checkServerTrusted(chain, type, socket));
    }

    /** Without an end of a connection nobody could compare the host: never asked by a library. */
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("A server is judged together with its connection.");
    }

    private interface ChainValidation {
        void run() throws CertificateException;
    }

    private void checkPeer(X509Certificate[] chain, TlsRole role, ChainValidation check)
            throws CertificateException {
        try {
            check.run();
            SpiffeId _ = rule.requireAdmitted(chain[0], role);
        } catch (CertificateException e) {
            // The peer learns only that it was refused; the reason is for our own log.
            LOG.info(
                    "A peer was refused peer={} reason={}",
                    chain.length == 0 ? "nobody" : chain[0].getSubjectX500Principal(),
                    e.getMessage());
            throw e;
        }
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return identity.material().authorities().toArray(X509Certificate[]::new);
    }
}
