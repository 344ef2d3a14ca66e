package drover.kit.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Believes servers whose chain leads to an authority that is trusted now: for what is no service of
 * the mesh and has no name in it. The library that dials has the host compared.
 */
final class ExternalServerTrustManager extends X509ExtendedTrustManager {
    private final ReloadingIdentity identity;

    ExternalServerTrustManager(ReloadingIdentity identity) {
        this.identity = identity;
    }

    private X509ExtendedTrustManager currentTrustManager() {
        return identity.current().trustManager();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        currentTrustManager().checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        currentTrustManager().checkServerTrusted(chain, type, socket);
    }

    /** Without an end of a connection nobody could compare the host: never asked by a library. */
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("A server is judged together with its connection.");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        throw notForClients();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        throw notForClients();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw notForClients();
    }

    private static CertificateException notForClients() {
        return new CertificateException("Nobody dials here.");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return identity.material().authorities().toArray(X509Certificate[]::new);
    }
}
