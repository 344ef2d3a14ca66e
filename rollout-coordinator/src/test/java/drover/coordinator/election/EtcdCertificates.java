package drover.coordinator.election;

import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateTemplate;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.PeerRule.TlsRole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/** An authority that has nothing to do with the mesh, as etcd's is, and what it has signed. */
final class EtcdCertificates {
    private static final Duration LIFE = Duration.ofHours(1);

    private final CertificateAuthority authority;

    EtcdCertificates() {
        CertificateAuthority.NewCa founded =
                CertificateAuthority.create("etcd", InstantSource.system().instant(), LIFE);
        authority = CertificateAuthority.fromPem(founded.certificatePem(), founded.keyPem());
    }

    /** Writes the three files of somebody who is dialled at this host, and dials. */
    Path issue(Path directory, String host) {
        CertificateRequestKeyPair own = CertificateRequestKeyPair.create();
        var leaf =
                authority.issue(
                        new CertificateTemplate(
                                "someone",
                                List.of(),
                                List.of(host),
                                Set.of(TlsRole.CLIENT, TlsRole.SERVER),
                                false,
                                CertificateTemplate.newSerial(new SecureRandom()),
                                InstantSource.system().instant().minusSeconds(60),
                                InstantSource.system().instant().plus(LIFE)),
                        own.publicKey());
        try {
            Files.createDirectories(directory);
            Files.writeString(
                    directory.resolve("chain.pem"), CertificateAuthority.toPem(List.of(leaf)));
            Path key = Files.writeString(directory.resolve("key.pem"), own.pem());
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
            return trust(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Has whoever has this directory believe this authority alone. */
    Path trust(Path directory) throws IOException {
        Files.writeString(
                directory.resolve("trust.pem"),
                CertificateAuthority.toPem(List.of(authority.certificate())));
        return directory;
    }
}
