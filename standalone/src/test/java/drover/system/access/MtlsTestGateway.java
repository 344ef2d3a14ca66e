package drover.system.access;

import drover.gateway.AgentEndpointTls;
import drover.gateway.EnrollmentEndpointConfig;
import drover.gateway.NodeGateway;
import drover.gateway.NodeGatewayConfig;
import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateTemplate;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.EndpointLimits;
import drover.kit.grpc.StreamRateLimiter;
import drover.kit.telemetry.Metrics;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsFiles;
import drover.localenv.ca.CaFiles;
import drover.node.v1.CreateDirectoryJoinTokenRequest;
import drover.node.v1.CreateDirectoryJoinTokenResponse;
import drover.node.v1.JoinTokenDirectoryServiceGrpc;
import drover.node.v1.JoinTokenDirectoryServiceGrpc.JoinTokenDirectoryServiceBlockingStub;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.node.v1.NodeDirectoryServiceGrpc.NodeDirectoryServiceBlockingStub;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.identity.EnrolledIdentityCreator;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.identity.NodeKeyAndCertificate;
import drover.opsagent.peers.GatewayAddress;
import drover.trust.identity.JoinToken;
import drover.trust.identity.SpiffeId;
import drover.trust.identity.TrustDomain;
import io.grpc.ManagedChannel;
import java.math.BigInteger;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A gateway with certificates over real sockets. Gateways and nodes have authorities of their own,
 * as in a mesh that takes care.
 */
public final class MtlsTestGateway implements AutoCloseable {
    static final TrustDomain DOMAIN = new TrustDomain("mesh.test");
    private static final Address ANY = Address.parse("127.0.0.1:0");
    private static final Duration POLL_INTERVAL =
            Duration.ofMillis(200); // for tests that replace files

    final CertificateAuthority forGateways = authority("gateways");
    final CertificateAuthority forNodes = authority("nodes");
    final ReloadingIdentity identity;
    final Metrics metrics = Metrics.open(); // of all its gateways
    final NodeGateway gateway;
    final ManagedChannel internal;
    private final Path folder;

    private MtlsTestGateway(DataSource database, Path folder, String service, Duration life) {
        this.folder = folder;
        this.identity =
                ReloadingIdentity.open(files("gateway", DOMAIN.service(service)), POLL_INTERVAL);
        this.gateway = gateway("g1", database, life);
        this.internal = Channels.open(new Address.Tcp("127.0.0.1", gateway.internalPort()));
    }

    /** One more, beside the first: whoever asks for it closes it. */
    NodeGateway gateway(String id, DataSource database, Duration life) {
        NodeGatewayConfig usual = NodeGatewayConfig.of(id, ANY, ANY, "");
        NodeGatewayConfig config =
                new NodeGatewayConfig(
                        usual.gatewayId(),
                        usual.agentAddress(),
                        usual.internalAddress(),
                        usual.advertisedInternalAddress(),
                        usual.idleHeartbeat(),
                        usual.activeHeartbeat(),
                        limits(usual.limits()));
        return NodeGateway.start(
                config, new NodeGateway.Dependencies(database, metrics, Optional.of(tls(life))));
    }

    /** The usual limits, except for the call rate: a test connects one node a hundred times. */
    private static EndpointLimits limits(EndpointLimits usual) {
        return new EndpointLimits(
                usual.maxMessageBytes(),
                usual.maxMetadataBytes(),
                usual.windowBytes(),
                usual.maxCalls(),
                usual.maxResets(),
                usual.resetInterval(),
                usual.minPingInterval(),
                usual.handshakeTimeout(),
                new StreamRateLimiter.Limits(usual.rate().messages(), usual.rate().bytes(), 1_000),
                usual.connections());
    }

    private AgentEndpointTls tls(Duration life) {
        return new AgentEndpointTls(
                identity,
                DOMAIN,
                Optional.of(ANY),
                Optional.of(new EnrollmentEndpointConfig(ANY, forNodes, life)));
    }

    /**
     * Over an empty schema.
     *
     * @param service that the gateway's certificate names
     * @param life of the nodes' certificates
     */
    static MtlsTestGateway open(DataSource database, Path folder, String service, Duration life)
            throws SQLException {
        try (var connection = database.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("DROP SCHEMA IF EXISTS gateway CASCADE");
        }
        return new MtlsTestGateway(database, folder, service, life);
    }

    public static CertificateAuthority authority(String name) {
        CertificateAuthority.NewCa founded =
                CertificateAuthority.create(name, Instant.now(), Duration.ofDays(1));
        return CertificateAuthority.fromPem(founded.certificatePem(), founded.keyPem());
    }

    /** One of the gateway's own files, such as {@code chain.pem}. */
    Path own(String name) {
        return folder.resolve("gateway").resolve(name);
    }

    /** A service's files; its chain ends with its authority. */
    private TlsFiles files(String name, SpiffeId service) {
        return CaFiles.issue(
                forGateways,
                new CaFiles.ServiceCertificateSpec(
                        service,
                        List.of("127.0.0.1"),
                        List.of(forNodes.certificate()),
                        Instant.now(),
                        Duration.ofDays(1)),
                folder.resolve(name));
    }

    static BigInteger serial() {
        return CertificateTemplate.newSerial(new SecureRandom());
    }

    JoinTokenDirectoryServiceBlockingStub tokens() {
        return JoinTokenDirectoryServiceGrpc.newBlockingStub(internal);
    }

    NodeDirectoryServiceBlockingStub directory() {
        return NodeDirectoryServiceGrpc.newBlockingStub(internal);
    }

    CreateDirectoryJoinTokenResponse token(String node, int uses) {
        return tokens().createDirectoryJoinToken(
                        CreateDirectoryJoinTokenRequest.newBuilder()
                                .setChainProfileId("harbour")
                                .setNodeType("edge")
                                .setNodeId(node)
                                .putLabels("zone", "a")
                                .setMaxUses(uses)
                                .setCreatedBy("key:ops")
                                .build());
    }

    /** Where machines become nodes. */
    GatewayAddress enrollmentEndpoint() {
        return new GatewayAddress("127.0.0.1:" + gateway.enrollmentPort().orElseThrow());
    }

    /** Where nodes dial. */
    GatewayAddress agentEndpoint() {
        return new GatewayAddress("127.0.0.1:" + gateway.agentPort());
    }

    Path machine(String name) {
        return folder.resolve(name);
    }

    static IdentityFile file(Path machine) {
        return IdentityFile.in(machine, new LocalDisk(), new SecureRandom());
    }

    NodeKeyAndCertificate enroll(Path machine, String token) {
        return new EnrolledIdentityCreator(file(machine))
                .enrollAt(JoinToken.parse(token), enrollmentEndpoint());
    }

    @Override
    public void close() {
        internal.shutdownNow();
        gateway.close();
        identity.close();
    }
}
