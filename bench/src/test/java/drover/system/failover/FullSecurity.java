package drover.system.failover;

import drover.bench.deployment.OperatorClient;
import drover.bench.fleet.BenchNode.BenchRelease;
import drover.bench.mtls.NodeEnroller;
import drover.bench.mtls.NodeEnroller.Validity;
import drover.bench.mtls.OperatorAndServiceChannels;
import drover.kit.ca.CertificateAuthority;
import drover.kit.grpc.Address;
import drover.kit.tls.TlsFiles;
import drover.localenv.AtomicFileWriter;
import drover.localenv.ca.CaFiles;
import drover.rollout.v1.CreateRolloutRequest;
import drover.trust.identity.ServiceName;
import drover.trust.identity.TrustDomain;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Everything is proven that can be. Services show certificates to each other and to operators, and
 * nodes are enrolled, by an authority of their own; renewed certificates last as short as they may.
 * Nodes install what people released and coordinators command, both signed, and nothing else.
 */
final class FullSecurity implements DeploymentSecurity {
    /**
     * Agents renew at once or within a minute, which is two minutes before their first certificate
     * ends. The next ones last an hour.
     */
    static final Validity RENEWED_WITHIN_A_MINUTE =
            new Validity(Duration.ofMinutes(5), Duration.ofMinutes(3));

    /** The same in two minutes, four before it ends: as long as anything is away, twice. */
    static final Validity RENEWED_WITHIN_TWO_MINUTES =
            new Validity(Duration.ofMinutes(10), Duration.ofMinutes(6));

    private static final TrustDomain DOMAIN = new TrustDomain("mesh.test");
    private static final Duration LIFE = Duration.ofDays(2); // longer than any test
    private static final Duration POLL_INTERVAL =
            Duration.ofHours(1); // the test's own are not replaced

    /** Under which services are dialled: gateways by their names where there are links. */
    private static final List<String> HOSTS = List.of("127.0.0.1", "gateway-1", "gateway-2");

    private static final List<ServiceName> PROGRAMS =
            List.of(
                    ServiceName.MANIFEST,
                    ServiceName.HEALTH,
                    ServiceName.GATEWAY,
                    ServiceName.COORDINATOR);

    private static final String FOR_AGENTS = "gateway-for-agents";
    private static final String OF_NODES = "authority-of-nodes";

    private static final String END_OF_ONE = "-----END CERTIFICATE-----";

    private final Path directory;
    private final Validity term;
    private final CertificateAuthority services;
    private final CertificateAuthority nodes;
    private final SigningMaterial work;

    /**
     * With files of its own below a directory.
     *
     * @param term of the certificates that nodes are enrolled with
     */
    FullSecurity(Path directory, Validity term) {
        this.directory = directory;
        this.term = term;
        SigningMaterial.makeKept(directory);
        this.services = authority("authority-of-services");
        this.nodes = authority(OF_NODES);
        this.work = new SigningMaterial(directory.resolve("signed"), LIFE);
        replaceCertificates();
    }

    private CertificateAuthority authority(String name) {
        return new CaFiles(directory.resolve(name)).create(name, Instant.now(), LIFE);
    }

    @Override
    public void replaceCertificates() {
        PROGRAMS.forEach(service -> issue(service, service.wireName(), services.certificate()));
        issue(ServiceName.GATEWAY, FOR_AGENTS, nodes.certificate());
    }

    private TlsFiles issue(ServiceName service, String name, X509Certificate trust) {
        return CaFiles.issue(
                services,
                new CaFiles.ServiceCertificateSpec(
                        DOMAIN.service(service), HOSTS, List.of(trust), Instant.now(), LIFE),
                directory.resolve(name));
    }

    private String in(String name) {
        return directory.resolve(name).toString();
    }

    @Override
    public List<String> serviceArguments(ServiceName service) {
        List<String> settings = new ArrayList<>();
        settings.addAll(List.of("--trust-domain", DOMAIN.value()));
        settings.addAll(List.of("--service-tls", in(service.wireName())));
        switch (service) {
            case GATEWAY -> {
                settings.addAll(List.of("--tls", in(FOR_AGENTS)));
                settings.addAll(List.of("--authority", in(OF_NODES)));
                settings.addAll(List.of("--enrol-listen", "127.0.0.1:0"));
                settings.addAll(List.of("--certificate-hours", "1"));
            }
            case COORDINATOR -> {
                settings.addAll(List.of("--operator-tls", in(service.wireName())));
                settings.addAll(List.of("--command-key", work.commandKey().toString()));
            }
            case HEALTH, MANIFEST, PREPARE -> {} // have one door, or none
        }
        return settings;
    }

    @Override
    public ManagedChannel connectToCoordinator(Address address) {
        return OperatorAndServiceChannels.connectWithoutCertificate(
                address, TlsFiles.in(directory.resolve(ServiceName.COORDINATOR.wireName())));
    }

    @Override
    public ManagedChannel connectToGateway(Address address) {
        TlsFiles own =
                issue(ServiceName.PREPARE, ServiceName.PREPARE.wireName(), services.certificate());
        return OperatorAndServiceChannels.connectToGateway(address, own, DOMAIN, POLL_INTERVAL);
    }

    @Override
    public List<String> registerNodesAndGetAgentArguments(
            OperatorClient operator, DataSource database, int first, int count) {
        Path identities = directory.resolve("nodes");
        new NodeEnroller(DOMAIN, nodes, services.certificate(), term)
                .enroll(database, first, count, identities);
        return List.of("--identities", identities.toString(), "--trust", work.trust().toString());
    }

    @Override
    public void publish(Path config) {
        work.publish(config);
    }

    @Override
    public CreateRolloutRequest upgrade(BenchRelease from, CreateRolloutRequest shape) {
        return OperatorClient.upgradeRequest(
                from,
                shape.toBuilder().setUpgradeId(SigningMaterial.upgradeTo(from.other())).build());
    }

    /**
     * From some seconds on no gateway can give certificates, since its own chain does not say which
     * authority nodes are to believe. {@link #replaceCertificates} puts an end to it.
     */
    void withholdAuthority() {
        Path chain = TlsFiles.in(directory.resolve(FOR_AGENTS)).chain();
        try {
            String whole = Files.readString(chain);
            String leaf = whole.substring(0, whole.indexOf(END_OF_ONE) + END_OF_ONE.length());
            AtomicFileWriter.write(chain, leaf + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The serial of the certificate that a door shows to whoever dials now. */
    BigInteger shownAt(String address) {
        return PresentedCertificateProbe.serial(
                PresentedCertificateProbe.trusting(services.certificate()),
                (Address.Tcp) Address.parse(address));
    }
}
