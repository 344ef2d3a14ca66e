package drover.coordinator;

import drover.kit.edge.CertificateWatch;
import drover.kit.edge.IdentitySettings;
import drover.kit.edge.ServiceEdges;
import drover.kit.grpc.ConnectionRateLimiter;
import drover.kit.grpc.GrpcHost;
import drover.kit.http.HttpHost;
import drover.kit.start.Setting;
import drover.kit.start.Settings;
import drover.kit.tls.LiveIdentity;
import drover.kit.tls.MeshTls;
import drover.model.identity.MeshService;
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
        ServiceEdges edges, Optional<LiveIdentity> operators, Optional<LiveIdentity> etcd)
        implements AutoCloseable {
    private static final String OPERATORS = "operator-tls";
    private static final String ETCD = "etcd-tls";

    static final List<Setting> SETTINGS =
            Stream.concat(
                            ServiceEdges.SETTINGS.stream(),
                            Stream.of(
                                    IdentitySettings.directory(
                                            OPERATORS,
                                            "The chain.pem, key.pem and trust.pem of operators'"
                                                    + " doors; REST and gRPC then speak TLS."),
                                    IdentitySettings.directory(
                                            ETCD,
                                            "The chain.pem, key.pem and trust.pem for etcd's"
                                                    + " members, at https:// addresses.")))
                    .toList();

    /** Plain connections alone. */
    static CoordinatorTls plain() {
        return new CoordinatorTls(
                ServiceEdges.plain(MeshService.COORDINATOR), Optional.empty(), Optional.empty());
    }

    /**
     * As it was set.
     *
     * @throws IllegalArgumentException with one sentence
     */
    static CoordinatorTls of(Settings settings) {
        return new CoordinatorTls(
                ServiceEdges.of(MeshService.COORDINATOR, settings),
                IdentitySettings.open(settings, OPERATORS),
                IdentitySettings.open(settings, ETCD));
    }

    CertificateWatch watch() {
        return CertificateWatch.of(edges).and("operators", operators).and("etcd", etcd);
    }

    GrpcHost.Plan secure(GrpcHost.Plan operatorsDoor) {
        return operators
                .map(own -> operatorsDoor.securedBy(MeshTls.openDoor(own)))
                .orElse(operatorsDoor);
    }

    /** Sets the certificate and, because TLS handshakes are expensive, the rate limit. */
    HttpHost.Plan secure(HttpHost.Plan rest, ConnectionRateLimiter connections) {
        return operators
                .map(own -> rest.securedBy(MeshTls.web(own)).limited(connections))
                .orElse(rest);
    }

    /** Host names and addresses in the certificate of the operators' endpoints. */
    Set<String> operatorNames() {
        return operators.map(own -> names(own.material().leaf())).orElse(Set.of());
    }

    private static Set<String> names(X509Certificate leaf) {
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
        operators.ifPresent(LiveIdentity::close);
        etcd.ifPresent(LiveIdentity::close);
    }
}
