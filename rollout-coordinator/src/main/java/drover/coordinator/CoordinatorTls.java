package drover.coordinator;

import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.kit.grpc.ConnectionRateAndCountLimiter;
import drover.kit.grpc.GrpcServer;
import drover.kit.mtls.CertificateExpiryMonitor;
import drover.kit.mtls.ServiceTransport;
import drover.kit.mtls.TlsIdentitySettingsReader;
import drover.kit.rest.HttpServer;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsCredentials;
import drover.trust.identity.ServiceName;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a coordinator proves itself with.
 *
 * @param edges to other services
 * @param operators what it shows operators, who bring keys and no certificates; empty: their doors
 *     are plain
 * @param etcd what it shows the members of etcd; empty: they are dialled plain, or not at all
 */
public record CoordinatorTls(
        ServiceTransport edges,
        Optional<ReloadingIdentity> operators,
        Optional<ReloadingIdentity> etcd)
        implements AutoCloseable {
    private static final String OPERATORS = "operator-tls";
    private static final String ETCD = "etcd-tls";

    static final List<SettingDefinition> SETTINGS =
            Stream.concat(
                            ServiceTransport.SETTINGS.stream(),
                            Stream.of(
                                    TlsIdentitySettingsReader.directorySetting(
                                            OPERATORS,
                                            "The chain.pem, key.pem and trust.pem of operators'"
                                                    + " doors; REST and gRPC then speak TLS."),
                                    TlsIdentitySettingsReader.directorySetting(
                                            ETCD,
                                            "The chain.pem, key.pem and trust.pem for etcd's"
                                                    + " members, at https:// addresses.")))
                    .toList();

    /** Plain connections alone. */
    static CoordinatorTls plaintext() {
        return new CoordinatorTls(
                ServiceTransport.plaintext(ServiceName.COORDINATOR),
                Optional.empty(),
                Optional.empty());
    }

    /**
     * As it was set.
     *
     * @throws IllegalArgumentException with one sentence
     */
    static CoordinatorTls fromSettings(Settings settings) {
        return new CoordinatorTls(
                ServiceTransport.fromSettings(ServiceName.COORDINATOR, settings),
                TlsIdentitySettingsReader.openIdentity(settings, OPERATORS),
                TlsIdentitySettingsReader.openIdentity(settings, ETCD));
    }

    CertificateExpiryMonitor createExpiryMonitor() {
        return CertificateExpiryMonitor.of(edges).add("operators", operators).add("etcd", etcd);
    }

    GrpcServer.Builder configureServerTlsIfPresent(GrpcServer.Builder operatorEndpoint) {
        return operators
                .map(
                        own ->
                                operatorEndpoint.credentials(
                                        TlsCredentials.serverCredentialsWithoutClientAuth(own)))
                .orElse(operatorEndpoint);
    }

    /** Sets the certificate and, because TLS handshakes are expensive, the rate limit. */
    HttpServer.Builder configureServerTlsIfPresent(
            HttpServer.Builder rest, ConnectionRateAndCountLimiter connections) {
        return operators
                .map(own -> rest.tls(TlsCredentials.httpsContext(own)).rateLimiter(connections))
                .orElse(rest);
    }

    /** Host names and addresses in the certificate of the operators' endpoints. */
    Set<String> operatorCertificateHosts() {
        return operators.map(own -> subjectAltNames(own.material().leaf())).orElse(Set.of());
    }

    private static Set<String> subjectAltNames(X509Certificate leaf) {
        try {
            Collection<List<?>> names = leaf.getSubjectAlternativeNames();
            return names == null
                    ? Set.of()
                    : names.stream()
                            .map(name -> name.get(1))
                            .filter(String.class::isInstance)
                            .map(name -> ((String) name).toLowerCase(Locale.ROOT))
                            .collect(Collectors.toSet());
        } catch (CertificateParsingException e) {
            return Set.of(); // then only loopback names are its own
        }
    }

    @Override
    public void close() {
        edges.close();
        operators.ifPresent(ReloadingIdentity::close);
        etcd.ifPresent(ReloadingIdentity::close);
    }
}
