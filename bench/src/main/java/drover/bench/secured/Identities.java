package drover.bench.secured;

import drover.bench.agents.BenchNode;
import drover.bench.limit.BareTls;
import drover.gateway.identity.GivenCertificate;
import drover.gateway.identity.JoinGrant;
import drover.gateway.store.IdentityStore;
import drover.gateway.store.IdentityStore.Enrolment;
import drover.gateway.store.PostgresIdentityStore;
import drover.kit.authority.Authority;
import drover.kit.authority.CertificatePlan;
import drover.kit.tls.TlsFiles;
import drover.machine.home.Unusable;
import drover.machine.identity.AuthorityFiles;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeType;
import drover.model.identity.ConnectionKey;
import drover.model.identity.SpiffeId;
import drover.model.identity.TrustDomain;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.identity.NodeIdentity;
import drover.opsagent.store.StateDirectory;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/** An authority, and what it has certified, in files. */
public final class Identities {
    static final TrustDomain DOMAIN = new TrustDomain("bench");

    /** Of every certificate; nobody looks for a newer one meanwhile. */
    static final Duration LIFE = Duration.ofDays(1);

    private static final Digest SECRET = Digest.of("bench");
    private static final List<String> HERE = List.of("127.0.0.1");

    private final Path directory;
    private final Authority authority;
    private final Instant now = InstantSource.system().instant();
    private final SecureRandom random = new SecureRandom();

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
     * Enrols nodes as the gateway does, but for the connection, into a database with its schema.
     *
     * @return where the identity of each lies, named by its id
     */
    Path enrol(DataSource database, int first, int count) {
        IdentityStore store = new PostgresIdentityStore(database);
        String token = "bench-" + first; // a token has one grant, with so many uses
        store.grant(grant(token, count), SECRET);
        Path out = directory.resolve("nodes");
        StateDirectory files = new StateDirectory(out, new DurableFiles(new LocalDisk(), random));
        try {
            Files.createDirectories(out);
        } catch (IOException e) {
            throw new Unusable(out + " cannot be made: " + e.getMessage(), e);
        }
        for (int number = first; number < first + count; number++) {
            NodeIdentity enrolled = enrol(store, token, new BenchNode(number));
            files.save(out.resolve(enrolled.node()), enrolled);
        }
        return out;
    }

    private JoinGrant grant(String token, int uses) {
        return new JoinGrant(
                token,
                Optional.empty(),
                new ChainProfileId(BenchNode.CHAIN),
                new NodeType(BenchNode.TYPE),
                Map.of(),
                uses,
                0,
                "bench",
                now,
                now.plus(LIFE),
                Optional.empty(),
                "");
    }

    private NodeIdentity enrol(IdentityStore store, String token, BenchNode node) {
        ConnectionKey key = ConnectionKey.create();
        Digest digest = Digest.of(key.publicKey().getEncoded());
        Enrolment answer =
                store.enrol(
                        new IdentityStore.Showing(token, SECRET, digest, node.id()),
                        (id, generation) -> certificate(node, generation, key));
        if (!(answer instanceof Enrolment.Enrolled(GivenCertificate given))) {
            throw new Unusable("The node " + node.id() + " cannot be enrolled: " + answer);
        }
        return new NodeIdentity(
                node.id().value(),
                given.generation(),
                key.pem(),
                given.pem(),
                Authority.pem(List.of(authority.certificate())));
    }

    private GivenCertificate certificate(BenchNode node, long generation, ConnectionKey key) {
        BigInteger serial = CertificatePlan.newSerial(random);
        CertificatePlan plan = CertificatePlan.ofNode(DOMAIN.node(node.id()), serial, now, LIFE);
        return new GivenCertificate(
                node.id(),
                generation,
                serial.toString(16),
                Digest.of(key.publicKey().getEncoded()),
                now.plus(LIFE),
                Authority.pem(List.of(authority.issue(plan, key.publicKey()))));
    }
}
