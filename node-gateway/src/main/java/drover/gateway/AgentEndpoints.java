package drover.gateway;

import drover.gateway.api.AgentGrpcService;
import drover.gateway.api.ConnectRequestMarshaller;
import drover.gateway.api.NodeCertificateInterceptor;
import drover.gateway.api.NodeTokenInterceptor;
import drover.gateway.api.RenewalGrpcService;
import drover.gateway.engine.GatewayMetrics;
import drover.gateway.engine.credential.CopyDetectingCertificateAuthenticator;
import drover.gateway.engine.credential.NodeCertificateSigner;
import drover.gateway.engine.credential.NodeTokenAuthenticator;
import drover.gateway.engine.credential.RenewalService;
import drover.gateway.engine.credential.RevocationMonitor;
import drover.gateway.engine.limit.NodeCallLimiter;
import drover.gateway.engine.session.SessionTable;
import drover.kit.grpc.Address;
import drover.kit.grpc.ConnectionRateAndCountLimiter;
import drover.kit.grpc.EndpointLimits;
import drover.kit.grpc.GrpcServer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The doors that agents dial: one service with the same limits, behind one proof of who calls or
 * the other. Beside them the one where machines become nodes.
 */
final class AgentEndpoints implements AutoCloseable {
    private final EndpointLimits limits;
    private final AgentGrpcService service;
    private final GatewayStores memory;
    private final Authenticators books;
    private final GatewayMetrics meter;
    private final ConnectionRateAndCountLimiter pace; // of all endpoints but the one for enrollment
    private final NodeCallLimiter calls;
    private final Deque<GrpcServer> hosts = new ArrayDeque<>();
    private final GrpcServer agents;
    private final Optional<GrpcServer> tokenHost; // beside one that asks for certificates
    private final Optional<GrpcServer> enrollmentServer;

    /** Whom the doors know. */
    record Authenticators(
            NodeTokenAuthenticator tokens, CopyDetectingCertificateAuthenticator certificates) {
        /** Over what is remembered. */
        static Authenticators of(GatewayStores memory) {
            return new Authenticators(
                    new NodeTokenAuthenticator(memory.nodes()),
                    new CopyDetectingCertificateAuthenticator(memory.certificates()));
        }

        /** Ends the streams that began with what counts no more. */
        RevocationMonitor newRevocationMonitor(GatewayStores memory, SessionTable table) {
            return new RevocationMonitor(
                    memory.certificates(), table, tokens, certificates, System::nanoTime);
        }
    }

    /**
     * Opens them.
     *
     * @param config says where, and what who dials may take; certificates are asked for where there
     *     is {@code tls}, and else tokens
     * @param meter counts rejected connections
     */
    AgentEndpoints(
            NodeGatewayConfig config,
            AgentGrpcService service,
            GatewayStores memory,
            Authenticators books,
            Optional<AgentEndpointTls> tls,
            GatewayMetrics meter) {
        Address address = config.agentAddress();
        this.limits = config.limits();
        this.service = service;
        this.memory = memory;
        this.books = books;
        this.meter = meter;
        this.calls = new NodeCallLimiter(limits.rate(), System::nanoTime);
        this.pace = limits.createRateLimiter("agents", meter::connectionRefused);
        try {
            this.agents =
                    trackServer(
                            tls.map(own -> openCertificateServer(address, own))
                                    .orElseGet(() -> openTokenServer(address)));
            this.tokenHost =
                    tls.flatMap(AgentEndpointTls::tokenAddress)
                            .map(it -> trackServer(openTokenServer(it)));
            this.enrollmentServer = tls.flatMap(this::openEnrollmentServer).map(this::trackServer);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private GrpcServer trackServer(GrpcServer host) {
        hosts.push(host);
        return host;
    }

    /** Plain: whoever shows a node's token is the node. */
    private GrpcServer openTokenServer(Address address) {
        return GrpcServer.builder()
                .limits(limits, pace)
                .addInterceptor(new NodeTokenInterceptor(books.tokens(), calls))
                .addService(ConnectRequestMarshaller.wrapService(service))
                .listen(address);
    }

    /** Over TLS: whoever proves a node's certificate is the node, and gets its next one here. */
    private GrpcServer openCertificateServer(Address address, AgentEndpointTls tls) {
        GrpcServer.Builder plan =
                GrpcServer.builder()
                        .credentials(tls.nodeServerCredentials())
                        .limits(limits, pace)
                        .addInterceptor(new NodeCertificateInterceptor(books.certificates(), calls))
                        .addService(ConnectRequestMarshaller.wrapService(service));
        tls.enrollment()
                .map(place -> newRenewalService(tls, place.newCertificateIssuer(tls)))
                .ifPresent(plan::addService);
        return plan.listen(address);
    }

    private RenewalGrpcService newRenewalService(
            AgentEndpointTls tls, NodeCertificateSigner signer) {
        return new RenewalGrpcService(
                new RenewalService(memory.certificates(), signer), tls::gatewayCaPem);
    }

    private Optional<GrpcServer> openEnrollmentServer(AgentEndpointTls tls) {
        return tls.enrollment().map(place -> place.openServer(tls, memory.identities(), meter));
    }

    /** The port of the first of them; -1 inside a process. */
    int agentPort() {
        return agents.port();
    }

    OptionalInt nodeTokenAgentPort() {
        return tokenHost.stream().mapToInt(GrpcServer::port).findFirst();
    }

    OptionalInt enrollmentPort() {
        return enrollmentServer.stream().mapToInt(GrpcServer::port).findFirst();
    }

    @Override
    public void close() {
        hosts.forEach(GrpcServer::close);
    }
}
