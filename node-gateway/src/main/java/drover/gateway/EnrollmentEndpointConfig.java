package drover.gateway;

import drover.gateway.api.EnrollmentGrpcService;
import drover.gateway.api.EnrollmentRateLimitInterceptor;
import drover.gateway.engine.GatewayMetrics;
import drover.gateway.engine.credential.EnrollmentService;
import drover.gateway.engine.credential.NodeCertificateSigner;
import drover.gateway.engine.limit.EnrollmentRateLimiter;
import drover.gateway.store.EnrollmentStore;
import drover.kit.ca.CertificateAuthority;
import drover.kit.grpc.Address;
import drover.kit.grpc.EndpointLimits;
import drover.kit.grpc.GrpcServer;
import drover.kit.tls.TlsCredentials;
import drover.trust.identity.SpkiPin;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where and how machines become nodes: a door of its own, which asks for no certificate, and the
 * authority that signs nodes.
 *
 * @param address where machines dial
 * @param ca that signs nodes, which the agents' doors trust
 * @param lifetime of a node's certificate
 */
public record EnrollmentEndpointConfig(
        Address address, CertificateAuthority ca, Duration lifetime) {
    private static final Logger LOG = LoggerFactory.getLogger(EnrollmentEndpointConfig.class);

    private static final int CALLS_AT_ONCE = 64;
    private static final Duration LONGEST_CALL = Duration.ofSeconds(10);

    /**
     * Opens it.
     *
     * @throws IllegalArgumentException when the gateway's chain does not end with an authority, or
     *     the agents' door does not trust this one
     */
    GrpcServer openServer(AgentEndpointTls tls, EnrollmentStore store, GatewayMetrics meter) {
        EndpointLimits limits = EndpointLimits.ENROLLMENT;
        tls.requireTrusted(ca.certificate());
        SpkiPin known = tls.gatewayCaPin();
        GrpcServer host =
                GrpcServer.builder()
                        .addInterceptor(
                                new EnrollmentRateLimitInterceptor(
                                        new EnrollmentRateLimiter(System::nanoTime)))
                        .addService(
                                new EnrollmentGrpcService(
                                        new EnrollmentService(store, newCertificateIssuer(tls)),
                                        tls::gatewayCaPem))
                        .credentials(
                                TlsCredentials.serverCredentialsWithoutClientAuth(tls.identity()))
                        .callLimits(CALLS_AT_ONCE, LONGEST_CALL)
                        .limits(
                                limits,
                                limits.createRateLimiter("enrollment", meter::enrollmentRefused))
                        .listen(address);
        LOG.info("Machines can be enrolled port={} pin={}", host.port(), known);
        return host;
    }

    /** What signs nodes here. */
    NodeCertificateSigner newCertificateIssuer(AgentEndpointTls tls) {
        return new NodeCertificateSigner(ca, tls.domain(), lifetime, InstantSource.system());
    }
}
