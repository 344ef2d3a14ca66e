package drover.gateway;

import drover.kit.ca.CertificateAuthority;
import drover.kit.grpc.Address;
import drover.kit.grpc.Refused;
import drover.kit.mtls.ServiceTransport;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsCredentials;
import drover.model.RefusalCode;
import drover.trust.identity.PeerRule;
import drover.trust.identity.SpkiPin;
import drover.trust.identity.TlsKeyChainAndTrust;
import drover.trust.identity.TrustDomain;
import io.grpc.ServerCredentials;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a gateway proves itself with. Where it has this, its agents' door asks nodes for
 * certificates.
 *
 * @param identity of the gateway; its chain ends with the authority that machines know by the pin
 *     in their token, and believe from then on
 * @param tokenAddress a plain door beside it, for nodes that still show tokens; empty: none
 * @param enrollment how machines become nodes here; empty where they do not
 */
public record AgentEndpointTls(
        ReloadingIdentity identity,
        TrustDomain domain,
        Optional<Address> tokenAddress,
        Optional<EnrollmentEndpointConfig> enrollment)
        implements AutoCloseable {
    private static final String NO_CA =
            "chain.pem of --tls must end with the certificate of the authority that signed it, which"
                    + " nodes believe: append that to the file, it is in use within 5 s.";
    private static final String NOT_TRUSTED =
            "trust.pem of --tls must hold the certificate of --authority, or enrolled nodes are"
                    + " refused: add it there, it is in use within 5 s.";

    private static final String TRUSTED_BY_SERVICES =
            "trust.pem of --service-tls holds the certificate of --authority, with whose key this"
                    + " gateway could make itself a coordinator: sign services with an authority of"
                    + " their own, and take this one out of their trust.pem.";

    /** For a door that asks nodes for certificates. */
    ServerCredentials nodeServerCredentials() {
        return TlsCredentials.serverCredentials(identity, PeerRule.ofNodes(domain));
    }

    /**
     * By which machines know the gateways.
     *
     * @throws IllegalArgumentException when the gateway's chain does not end with an authority
     */
    SpkiPin gatewayCaPin() {
        return SpkiPin.of(gatewayCa().orElseThrow(() -> new IllegalArgumentException(NO_CA)));
    }

    /**
     * Refuses an authority whose nodes the agents' door would refuse: that would be found out by
     * machines that have used up their tokens.
     */
    void requireTrusted(X509Certificate authority) {
        if (!trusts(authority)) {
            throw new IllegalArgumentException(NOT_TRUSTED);
        }
    }

    /**
     * Refuses an authority of nodes that services believe: its key lies here, so whoever captures
     * this gateway could make itself a coordinator. So is any later trust of the services in it.
     *
     * @throws IllegalArgumentException when they believe it now
     */
    void requireSeparateCa(ServiceTransport edges) {
        enrollment
                .map(place -> place.ca().certificate().getPublicKey())
                .ifPresent(
                        key ->
                                edges.identity()
                                        .ifPresent(
                                                own ->
                                                        own.checkAndAddRule(
                                                                it ->
                                                                        requireDifferentKey(
                                                                                key, it))));
    }

    private static void requireDifferentKey(PublicKey ofNodes, TlsKeyChainAndTrust services) {
        if (services.authorities().stream().anyMatch(it -> it.getPublicKey().equals(ofNodes))) {
            throw new IllegalArgumentException(TRUSTED_BY_SERVICES);
        }
    }

    /**
     * Whom nodes believe, as PEM, as it is now.
     *
     * @throws Refused when the files were replaced by some that make no certificates
     */
    String gatewayCaPem() {
        caProblems()
                .findFirst()
                .ifPresent(
                        sentence -> {
                            throw new Refused(RefusalCode.CA_UNUSABLE, sentence);
                        });
        return CertificateAuthority.toPem(gatewayCa().stream().toList());
    }

    /**
     * What keeps certificates from being made and renewed, a sentence each that says what to do.
     * The nodes that there are go on being served, so this is no reason to send them elsewhere.
     */
    List<String> notices() {
        return caProblems().toList();
    }

    private Stream<String> caProblems() {
        return enrollment.stream()
                .flatMap(
                        place ->
                                Stream.concat(
                                        gatewayCa().isPresent() ? Stream.empty() : Stream.of(NO_CA),
                                        trusts(place.ca().certificate())
                                                ? Stream.empty()
                                                : Stream.of(NOT_TRUSTED)));
    }

    private boolean trusts(X509Certificate authority) {
        return identity.material().authorities().contains(authority);
    }

    private Optional<X509Certificate> gatewayCa() {
        return Optional.of(identity.material().chain().getLast())
                .filter(last -> last.getBasicConstraints() >= 0);
    }

    @Override
    public void close() {
        identity.close();
    }
}
