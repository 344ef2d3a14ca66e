package drover.kit.tls;

import drover.trust.identity.TlsKeyChainAndTrust;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * One state of an identity: what is shown and who is believed, from the same reading of the files.
 *
 * @param alias its name for the TLS library, another one at each change: a handshake asks for the
 *     key and for the chain one after the other, and must get those of one state
 */
record IdentitySnapshot(
        String alias, TlsKeyChainAndTrust material, X509ExtendedTrustManager trustManager) {
    static IdentitySnapshot of(long generation, TlsKeyChainAndTrust material) {
        return new IdentitySnapshot("identity-" + generation, material, toTrustManager(material));
    }

    /** The JDK's own judgement of chains: signatures, times, constraints and, dialling, names. */
    private static X509ExtendedTrustManager toTrustManager(TlsKeyChainAndTrust material) {
        try {
            KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
            authorities.load(null, null);
            for (int i = 0; i < material.authorities().size(); i++) {
                authorities.setCertificateEntry("authority-" + i, material.authorities().get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(authorities);
            return Arrays.stream(factory.getTrustManagers())
                    .filter(X509ExtendedTrustManager.class::isInstance)
                    .map(X509ExtendedTrustManager.class::cast)
                    .findFirst()
                    .orElseThrow();
        } catch (GeneralSecurityException | IOException e) {
            throw new InvalidTlsFiles("The authorities of the trust file cannot be used.", e);
        }
    }
}
