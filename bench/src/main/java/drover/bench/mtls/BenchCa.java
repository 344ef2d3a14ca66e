package drover.bench.mtls;

import drover.bench.baseline.BareTlsFiles;
import drover.bench.fleet.BenchNode;
import drover.kit.ca.CertificateAuthority;
import drover.kit.tls.TlsFiles;
import drover.localenv.ca.CaFiles;
import drover.trust.identity.NodeCertificateLifetime;
import drover.trust.identity.SpiffeId;
import drover.trust.identity.TrustDomain;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import javax.sql.DataSource;

/** An authority, and what it has certified, in files. */
public final class BenchCa {
    static final TrustDomain DOMAIN = new TrustDomain("bench");

    /** Of every certificate; nobody looks for a newer one meanwhile. */
    static final Duration LIFETIME = Duration.ofDays(1);

    private static final List<String> HERE = List.of("127.0.0.1");

    private final Path directory;
    private final CertificateAuthority ca;
    private final Instant now = InstantSource.system().instant();

    /** In an empty directory. */
    public BenchCa(Path directory) {
        this.directory = directory;
        this.ca = new CaFiles(directory.resolve("authority")).create("bench", now, LIFETIME);
    }

    /** What a service shows and whom it believes. */
    TlsFiles issueService(String name) {
        return issueFiles(DOMAIN.service(name), directory.resolve(name));
    }

    /** What bare streams show: a service of that name, and one node for all clients. */
    public BareTlsFiles issueBare() {
        return new BareTlsFiles(
                issueService("bare"),
                issueFiles(DOMAIN.node(new BenchNode(0).id()), directory.resolve("any-node")));
    }

    private TlsFiles issueFiles(SpiffeId name, Path out) {
        return CaFiles.issue(
                ca,
                new CaFiles.ServiceCertificateSpec(
                        name, HERE, List.of(ca.certificate()), now, LIFETIME),
                out);
    }

    /**
     * Enrols nodes into a database with its schema.
     *
     * @return where the identity of each lies, named by its id
     */
    Path enrollNodes(DataSource database, int first, int count) {
        Path out = directory.resolve("nodes");
        new NodeEnroller(
                        DOMAIN,
                        ca,
                        ca.certificate(),
                        new NodeEnroller.Validity(NodeCertificateLifetime.BACKDATED, LIFETIME))
                .enroll(database, first, count, out);
        return out;
    }
}
