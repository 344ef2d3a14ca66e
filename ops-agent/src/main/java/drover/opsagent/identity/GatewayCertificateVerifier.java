package drover.opsagent.identity;

import drover.trust.identity.PeerRule;
import drover.trust.identity.PeerRule.TlsRole;
import drover.trust.identity.SpiffeId;
import drover.trust.identity.SpkiPin;
import drover.trust.identity.TlsKeyChainAndTrust;
import drover.trust.identity.TrustDomain;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Believes gateways: their chain leads to the right authority, for the host that was dialled, and
 * the one name in their certificate is a gateway's. Which authority is right, the node's own record
 * says; before it is enrolled, the pin in its join token.
 */
final class GatewayCertificateVerifier extends X509ExtendedTrustManager {
    private static final String GATEWAY = "gateway";

    private final TrustedCaSelector authorities;
    private final Function<X509Certificate, TrustDomain> trustDomain;

    /** Those that are believed. */
    private interface TrustedCaSelector {
        /**
         * @param shown the chain that the gateway shows
         */
        List<X509Certificate> findTrusted(X509Certificate[] shown) throws CertificateException;
    }

    /**
     * @param deployment whose gateways they must be, where the shown certificate may tell
     */
    private GatewayCertificateVerifier(
            TrustedCaSelector authorities, Function<X509Certificate, TrustDomain> deployment) {
        this.authorities = authorities;
        this.trustDomain = deployment;
    }

    /** The gateways of the node's own mesh. */
    static GatewayCertificateVerifier of(TlsKeyChainAndTrust material) {
        TrustDomain own = SpiffeId.of(material.leaf()).domain();
        return new GatewayCertificateVerifier(_ -> material.authorities(), _ -> own);
    }

    /**
     * The gateways of an authority that is known by its key alone; its certificate comes with the
     * chain that they show.
     */
    static GatewayCertificateVerifier withPinnedCa(SpkiPin pin) {
        return new GatewayCertificateVerifier(
                shown ->
                        List.of(
                                Arrays.stream(shown)
                                        .filter(one -> one.getBasicConstraints() >= 0)
                                        .filter(one -> SpkiPin.of(one).equals(pin))
                                        .findFirst()
                                        .orElseThrow(GatewayCertificateVerifier::untrustedCa)),
                shown -> SpiffeId.of(shown).domain()); // the machine has no mesh yet
    }

    private static CertificateException untrustedCa() {
        return new CertificateException(
                "It is not the gateway that the join token was made for: its authority is another.");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        createTrustManager(chain).checkServerTrusted(chain, type, engine);
        requireGatewayIdentity(chain[0]);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        createTrustManager(chain).checkServerTrusted(chain, type, socket);
        requireGatewayIdentity(chain[0]);
    }

    private void requireGatewayIdentity(X509Certificate leaf) throws CertificateException {
        try {
            PeerRule gateways = PeerRule.ofServices(trustDomain.apply(leaf), GATEWAY);
            SpiffeId _ = gateways.requireAdmitted(leaf, TlsRole.SERVER);
        } catch (IllegalArgumentException e) {
            throw new CertificateException(e.getMessage(), e);
        }
    }

    /** Java's own judgement of chains: signatures, times, constraints, and the host. */
    private X509ExtendedTrustManager createTrustManager(X509Certificate[] shown)
            throws CertificateException {
        List<X509Certificate> trusted = authorities.findTrusted(shown);
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < trusted.size(); i++) {
                store.setCertificateEntry("authority-" + i, trusted.get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            return (X509ExtendedTrustManager) factory.getTrustManagers()[0];
        } catch (GeneralSecurityException | IOException e) {
            throw new CertificateException("The authorities cannot be used", e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("A gateway is judged together with its connection.");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("Nobody dials an agent.");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
