package drover.gateway;

import drover.gateway.api.AgentDoor;
import drover.gateway.api.AgentInput;
import drover.gateway.api.NodeCertificates;
import drover.gateway.api.NodeCredentials;
import drover.gateway.api.RenewalDoor;
import drover.gateway.engine.CertificateBook;
import drover.gateway.engine.CredentialBook;
import drover.gateway.engine.GatewayMetrics;
import drover.gateway.engine.NodeCallLimiter;
import drover.gateway.engine.NodeSigner;
import drover.gateway.engine.RenewalDesk;
import drover.gateway.engine.RevocationWatch;
import drover.gateway.engine.SessionTable;
import drover.kit.grpc.Address;
import drover.kit.grpc.ConnectionRateLimiter;
import drover.kit.grpc.EndpointLimits;
import drover.kit.grpc.GrpcHost;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The doors that agents dial: one service with the same limits, behind one proof of who calls or
 * the other. Beside them the one where machines become nodes.
 */
final class AgentDoors implements AutoCloseable {
    private final EndpointLimits limits;
    private final AgentDoor service;
    private final Memory memory;
    private final Books books;
    private final GatewayMetrics meter;
    private final ConnectionRateLimiter pace; // of all endpoints but the one for enrollment
    private final NodeCallLimiter calls;
    private final Deque<GrpcHost> hosts = new ArrayDeque<>();
    private final GrpcHost agents;
    private final Optional<GrpcHost> tokenHost; // beside one that asks for certificates
    private final Optional<GrpcHost> enrolmentHost;

    /** Whom the doors know. */
    record Books(CredentialBook tokens, CertificateBook certificates) {
        /** Over what is remembered. */
        static Books of(Memory memory) {
            return new Books(
                    new CredentialBook(memory.nodes()), new CertificateBook(memory.certificates()));
        }

        /** Ends the streams that began with what counts no more. */
        RevocationWatch watch(Memory memory, SessionTable table) {
            return new RevocationWatch(
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
    AgentDoors(
            NodeGatewayConfig config,
            AgentDoor service,
            Memory memory,
            Books books,
            Optional<GatewayTls> tls,
            GatewayMetrics meter) {
        Address door = config.agentDoor();
        this.limits = config.limits();
        this.service = service;
        this.memory = memory;
        this.books = books;
        this.meter = meter;
        this.calls = new NodeCallLimiter(limits.rate(), System::nanoTime);
        this.pace = limits.limiter("agents", meter::dialRefused);
        try {
            this.agents =
                    opened(tls.map(own -> byCertificate(door, own)).orElseGet(() -> byToken(door)));
            this.tokenHost = tls.flatMap(GatewayTls::tokenDoor).map(it -> opened(byToken(it)));
            this.enrolmentHost = tls.flatMap(this::enrolment).map(this::opened);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private GrpcHost opened(GrpcHost host) {
        hosts.push(host);
        return host;
    }

    /** Plain: whoever shows a node's token is the node. */
    private GrpcHost byToken(Address door) {
        return GrpcHost.plan()
                .limited(limits, pace)
                .through(new NodeCredentials(books.tokens(), calls))
                .serve(AgentInput.checked(service))
                .listen(door);
    }

    /** Over TLS: whoever proves a node's certificate is the node, and gets its next one here. */
    private GrpcHost byCertificate(Address door, GatewayTls tls) {
        GrpcHost.Plan plan =
                GrpcHost.plan()
                        .securedBy(tls.forNodes())
                        .limited(limits, pace)
                        .through(new NodeCertificates(books.certificates(), calls))
                        .serve(AgentInput.checked(service));
        tls.enrolment().map(place -> renewal(tls, place.signer(tls))).ifPresent(plan::serve);
        return plan.listen(door);
    }

    private RenewalDoor renewal(GatewayTls tls, NodeSigner signer) {
        return new RenewalDoor(new RenewalDesk(memory.certificates(), signer), tls::trustPem);
    }

    private Optional<GrpcHost> enrolment(GatewayTls tls) {
        return tls.enrolment().map(place -> place.open(tls, memory.identities(), meter));
    }

    /** The port of the first of them; -1 inside a process. */
    int port() {
        return agents.port();
    }

    OptionalInt tokenPort() {
        return tokenHost.stream().mapToInt(GrpcHost::port).findFirst();
    }

    OptionalInt enrolmentPort() {
        return enrolmentHost.stream().mapToInt(GrpcHost::port).findFirst();
    }

    @Override
    public void close() {
        hosts.forEach(GrpcHost::close);
    }
}
