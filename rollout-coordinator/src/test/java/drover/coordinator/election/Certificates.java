package drover.coordinator.election;

import drover.kit.authority.Authority;
import drover.kit.authority.CertificatePlan;
import drover.model.identity.ConnectionKey;
import drover.model.identity.PeerRule.Role;
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
final class Certificates {
    private static final Duration LIFE = Duration.ofHours(1);

    private final Authority authority;

    Certificates() {
        Authority.Founded founded = Authority.found("etcd", InstantSource.system().instant(), LIFE);
        authority = Authority.open(founded.certificatePem(), founded.keyPem());
    }

    /** Writes the three files of somebody who is dialled at this host, and dials. */
    Path issue(Path directory, String host) {
        ConnectionKey own = ConnectionKey.create();
        var leaf =
                authority.issue(
                        new CertificatePlan(
                                "someone",
                                List.of(),
                                List.of(host),
                                Set.of(Role.CLIENT, Role.SERVER),
                                false,
                                CertificatePlan.newSerial(new SecureRandom()),
                                InstantSource.system().instant().minusSeconds(60),
                                InstantSource.system().instant().plus(LIFE)),
                        own.publicKey());
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("chain.pem"), Authority.pem(List.of(leaf)));
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
                directory.resolve("trust.pem"), Authority.pem(List.of(authority.certificate())));
        return directory;
    }
}
