package drover.system.failover;

import drover.kit.grpc.Address;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** What a door shows to whoever comes without a certificate and believes one authority. */
public final class PresentedCertificateProbe {
    private static final int TIMEOUT_MILLIS = 5_000; // a frozen one takes connections too

    private PresentedCertificateProbe() {}

    /** Of such a visitor. */
    public static SSLContext trusting(X509Certificate authority) {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry("services", authority);
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The serial of the certificate that is shown now. */
    public static BigInteger serial(SSLContext visitor, Address.Tcp address) {
        try (SSLSocket socket = (SSLSocket) visitor.getSocketFactory().createSocket()) {
            socket.connect(address.socketAddress(), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.startHandshake();
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                    .getSerialNumber();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
