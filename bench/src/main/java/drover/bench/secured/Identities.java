package drover.bench.secured;

import drover.bench.agents.BenchNode;
import drover.bench.limit.BareTls;
import drover.kit.ca.CertificateAuthority;
import drover.kit.tls.TlsFiles;
import drover.machine.identity.AuthorityFiles;
import drover.trust.identity.CertificateLifetime;
import drover.trust.identity.SpiffeId;
import drover.trust.identity.TrustDomain;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import javax.sql.DataSource;

/** An authority, and what it has certified, in files. */
public final class Identities {
    static final TrustDomain DOMAIN = new TrustDomain("bench");

    /** Of every certificate; nobody looks for a newer one meanwhile. */
    static final Duration LIFE = Duration.ofDays(1);

    private static final List<String> HERE = List.of("127.0.0.1");

    private final Path directory;
    private final CertificateAuthority authority;
    private final Instant now = InstantSource.system().instant();

    /** In an empty directory. */
    public Identities(Path directory) {
        this.directory = directory;
        this.authority =
                new AuthorityFiles(directory.resolve("authority")).create("bench", now, LIFE);
    }

    /** What a service shows and whom it believes. */
    TlsFiles service(String name) {
        return files(DOMAIN.service(name), directory.resolve(name));
    }

    /** What bare streams show: a service of that name, and one node for all clients. */
    public BareTls bare() {
        return new BareTls(
                service("bare"),
                files(DOMAIN.node(new BenchNode(0).id()), directory.resolve("any-node")));
    }

    private TlsFiles files(SpiffeId name, Path out) {
        return AuthorityFiles.issue(
                authority,
                new AuthorityFiles.Wish(name, HERE, List.of(authority.certificate()), now, LIFE),
                out);
    }

    /**
     * Enrols nodes into a database with its schema.
     *
     * @return where the identity of each lies, named by its id
     */
    Path enrol(DataSource database, int first, int count) {
        Path out = directory.resolve("nodes");
        new EnrolledNodes(
                        DOMAIN,
                        authority,
                        authority.certificate(),
                        new EnrolledNodes.Term(CertificateLifetime.BACKDATED, LIFE))
                .enrol(database, first, count, out);
        return out;
    }
}
