package drover.kit.tls;

import drover.kit.authority.Authority;
import drover.kit.authority.CertificatePlan;
import drover.model.NodeId;
import drover.model.identity.ConnectionKey;
import drover.model.identity.PeerRule;
import drover.model.identity.TrustDomain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A mesh with an authority of its own, whose identities lie in directories of a test. */
final class TestMesh {
    static final TrustDomain DOMAIN = new TrustDomain("mesh.test");
    static final PeerRule NODES = PeerRule.ofNodes(DOMAIN);
    static final PeerRule GATEWAYS = PeerRule.ofServices(DOMAIN, "gateway");
    static final Duration DAY = Duration.ofDays(1);

    private final Path directory;
    final Authority authority;

    TestMesh(Path directory) {
        this.directory = directory;
        this.authority = newAuthority("mesh");
    }

    static Authority newAuthority(String name) {
        Authority.Founded founded = Authority.found(name, Instant.now(), DAY);
        return Authority.open(founded.certificatePem(), founded.keyPem());
    }

    static CertificatePlan node(long serial) {
        return CertificatePlan.ofNode(
                DOMAIN.node(new NodeId("berth-01")),
                BigInteger.valueOf(serial),
                Instant.now(),
                DAY);
    }

    static CertificatePlan service(String name, long serial) {
        return CertificatePlan.ofService(
                DOMAIN.service(name),
                List.of("127.0.0.1"),
                BigInteger.valueOf(serial),
                Instant.now(),
                DAY);
    }

    /** Files of an identity that this mesh's authority signed and that trusts it. */
    TlsFiles write(String name, CertificatePlan plan) {
        return write(name, plan, authority, authority);
    }

    TlsFiles write(String name, CertificatePlan plan, Authority signer, Authority trusted) {
        ConnectionKey key = ConnectionKey.create();
        TlsFiles files = TlsFiles.in(directory.resolve(name));
        put(files.chain(), Authority.pem(List.of(signer.issue(plan, key.publicKey()))));
        put(files.key(), key.pem());
        put(files.trust(), Authority.pem(List.of(trusted.certificate())));
        return files;
    }

    static void put(Path file, String text) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, text);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
