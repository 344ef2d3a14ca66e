package drover.bench.agent;

import drover.bench.deployment.StartedResources;
import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateTemplate;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsCredentials;
import drover.localenv.AtomicFileWriter;
import drover.localenv.Await;
import drover.localenv.UserFacingError;
import drover.localenv.ca.CaFiles;
import drover.model.NodeId;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.identity.NodeKeyAndCertificate;
import drover.opsagent.store.StateDirectory;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.PeerRule;
import drover.trust.identity.TrustDomain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Start to welcome where both ends prove who they are, by TLS 1.3: the median of the agent, and of
 * the bare client with the same certificate.
 */
public record TlsStartupTimes(Duration agent, Duration bare) {
    private static final TrustDomain DOMAIN = new TrustDomain("bench");
    private static final NodeId NODE = new NodeId("node-1");
    private static final Duration DAY = Duration.ofDays(1);

    /** Starts both in turn. The node is enrolled as if it had asked. */
    static TlsStartupTimes measure(
            UnpackedAgent archive,
            PreparedNodeDirectory node,
            Path place,
            StartedResources running,
            int starts) {
        Instant now = InstantSource.system().instant();
        CertificateAuthority authority =
                new CaFiles(place.resolve("authority")).create("b", now, DAY);
        NodeKeyAndCertificate identity = issueIdentity(authority, now);
        enroll(node, identity);
        FakeGateway gateway = running.start(() -> startGateway(authority, node, place, now));
        List<String> agent = archive.enrolledAgentCommand(gateway, node.state(), node.root());
        Path files = write(identity, place.resolve("certificate"));
        Path prepared = place.resolve("bare-tls.aot");
        Path log = place.resolve("log");
        Path downloads = place.resolve("downloaded");
        try (MeasuredProcess preparing =
                MeasuredProcess.startAndAwaitWelcome(
                        archive.bareClientAotTrainingCommand(gateway, prepared, downloads, files),
                        gateway,
                        log)) {
            Await.until(Duration.ofSeconds(2), () -> preparing.pid() == 0);
        }
        List<String> bare = archive.bareClientCommand(gateway, prepared, downloads, files);
        List<Duration> agents = new ArrayList<>();
        List<Duration> bares = new ArrayList<>();
        for (int start = 0; start < starts; start++) {
            agents.add(AgentAndBareClientMeasurements.measureStart(agent, gateway, log));
            bares.add(AgentAndBareClientMeasurements.measureStart(bare, gateway, log));
        }
        return new TlsStartupTimes(
                AgentAndBareClientMeasurements.lowerMedian(agents),
                AgentAndBareClientMeasurements.lowerMedian(bares));
    }

    private static FakeGateway startGateway(
            CertificateAuthority authority, PreparedNodeDirectory node, Path place, Instant now) {
        ReloadingIdentity gateway =
                ReloadingIdentity.open(
                        CaFiles.issue(
                                authority,
                                new CaFiles.ServiceCertificateSpec(
                                        DOMAIN.service("gateway"),
                                        List.of("127.0.0.1"),
                                        List.of(authority.certificate()),
                                        now,
                                        DAY),
                                place.resolve("gateway")),
                        DAY);
        return new FakeGateway(
                node.nextArtifact(),
                AgentAndBareClientMeasurements.RATE,
                TlsCredentials.serverCredentials(gateway, PeerRule.ofNodes(DOMAIN)));
    }

    private static NodeKeyAndCertificate issueIdentity(
            CertificateAuthority authority, Instant now) {
        CertificateRequestKeyPair key = CertificateRequestKeyPair.create();
        CertificateTemplate plan =
                CertificateTemplate.ofNode(
                        DOMAIN.node(NODE),
                        CertificateTemplate.newSerial(new SecureRandom()),
                        now,
                        DAY);
        return new NodeKeyAndCertificate(
                NODE.value(),
                1,
                key.pem(),
                CertificateAuthority.toPem(List.of(authority.issue(plan, key.publicKey()))),
                CertificateAuthority.toPem(List.of(authority.certificate())));
    }

    private static void enroll(PreparedNodeDirectory node, NodeKeyAndCertificate identity) {
        DurableFiles files = new DurableFiles(new LocalDisk(), new SecureRandom());
        new StateDirectory(node.state(), files)
                .save(node.state().resolve(IdentityFile.NAME), identity);
    }

    private static void createDirectory(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UserFacingError(directory + " cannot be made: " + e.getMessage(), e);
        }
    }

    /** As the bare client takes it. */
    private static Path write(NodeKeyAndCertificate identity, Path directory) {
        createDirectory(directory);
        AtomicFileWriter.writeSecret(directory.resolve("key.pem"), identity.key());
        AtomicFileWriter.write(directory.resolve("chain.pem"), identity.chain());
        AtomicFileWriter.write(directory.resolve("trust.pem"), identity.trust());
        return directory;
    }
}
