package drover.kit.tls;

import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateTemplate;
import drover.model.NodeId;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.PeerRule;
import drover.trust.identity.TrustDomain;
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
final class TestPki {
    static final TrustDomain DOMAIN = new TrustDomain("mesh.test");
    static final PeerRule NODES = PeerRule.ofNodes(DOMAIN);
    static final PeerRule GATEWAYS = PeerRule.ofServices(DOMAIN, "gateway");
    static final Duration DAY = Duration.ofDays(1);

    private final Path directory;
    final CertificateAuthority authority;

    TestPki(Path directory) {
        this.directory = directory;
        this.authority = newAuthority("mesh");
    }

    static CertificateAuthority newAuthority(String name) {
        CertificateAuthority.NewCa founded = CertificateAuthority.create(name, Instant.now(), DAY);
        return CertificateAuthority.fromPem(founded.certificatePem(), founded.keyPem());
    }

    static CertificateTemplate node(long serial) {
        return CertificateTemplate.ofNode(
                DOMAIN.node(new NodeId("berth-01")),
                BigInteger.valueOf(serial),
                Instant.now(),
                DAY);
    }

    static CertificateTemplate service(String name, long serial) {
        return CertificateTemplate.ofService(
                DOMAIN.service(name),
                List.of("127.0.0.1"),
                BigInteger.valueOf(serial),
                Instant.now(),
                DAY);
    }

    /** Files of an identity that this mesh's authority signed and that trusts it. */
    TlsFiles write(String name, CertificateTemplate plan) {
        return write(name, plan, authority, authority);
    }

    TlsFiles write(
            String name,
            CertificateTemplate plan,
            CertificateAuthority signer,
            CertificateAuthority trusted) {
        CertificateRequestKeyPair key = CertificateRequestKeyPair.create();
        TlsFiles files = TlsFiles.in(directory.resolve(name));
        put(
                files.chain(),
                CertificateAuthority.toPem(List.of(signer.issue(plan, key.publicKey()))));
        put(files.key(), key.pem());
        put(files.trust(), CertificateAuthority.toPem(List.of(trusted.certificate())));
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
