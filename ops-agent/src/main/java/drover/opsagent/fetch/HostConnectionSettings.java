package drover.opsagent.fetch;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.List;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * How one origin is reached.
 *
 * @param credential what it is shown
 * @param authorities files of the certificates it must be vouched for by; empty for those that the
 *     Java runtime trusts
 * @param proxy through which it is reached
 */
record HostConnectionSettings(HostCredential credential, List<Path> authorities, Proxy proxy) {
    /** Straight, and shown nothing. */
    static final HostConnectionSettings PLAIN =
            new HostConnectionSettings(new HostCredential.None(), List.of(), Proxy.NO_PROXY);

    HostConnectionSettings {
        authorities = List.copyOf(authorities);
    }

    /** A connection that was not made yet; it carries the credential. */
    HttpURLConnection openConnection(URI address) throws IOException {
        HttpURLConnection http = (HttpURLConnection) address.toURL().openConnection(proxy);
        if (http instanceof HttpsURLConnection https && !authorities.isEmpty()) {
            https.setSSLSocketFactory(sslContext().getSocketFactory());
        }
        String header = credential.readAuthorizationHeader();
        if (!header.isEmpty()) {
            http.setRequestProperty("Authorization", header);
        }
        return http;
    }

    /**
     * Looks once at what will be needed, so that a mistake shows at the start.
     *
     * @throws IllegalArgumentException with one sentence that says what to change
     */
    void requireFilesReadable() {
        try {
            credential.readAuthorizationHeader();
            if (!authorities.isEmpty()) {
                sslContext();
            }
        } catch (FetchFailed | IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** Trusts these authorities and no other. */
    private SSLContext sslContext() throws IOException {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            CertificateFactory certificates = CertificateFactory.getInstance("X.509");
            for (Path file : authorities) {
                byte[] pem = ProtectedFileReader.read(file);
                for (Certificate one :
                        certificates.generateCertificates(new ByteArrayInputStream(pem))) {
                    trusted.setCertificateEntry("authority-" + trusted.size(), one);
                }
            }
            if (trusted.size() == 0) {
                throw new IOException(authorities + " holds no certificate in PEM");
            }
            TrustManagerFactory managers =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificates " + authorities + " cannot be used", e);
        }
    }
}
