package drover.coordinator.engine.access;

import drover.coordinator.access.ApiKey;
import drover.coordinator.access.ConfiguredApiKeyGrant;
import drover.coordinator.access.PlaintextApiKey;
import drover.coordinator.store.access.ApiKeyStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys that the operator of the machine grants: a file {@code <id>.key} for each, which its owner
 * alone can read, and the digest in the database. Whoever can write here is the backend.
 */
public final class GrantedKeyFilesProvisioner {
    private static final Logger LOG = LoggerFactory.getLogger(GrantedKeyFilesProvisioner.class);

    private static final FileAttribute<Set<PosixFilePermission>> FOR_OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path directory;
    private final ApiKeyStore store;
    private final SecureRandom random = new SecureRandom();

    /** Files in this directory, which exists. */
    public GrantedKeyFilesProvisioner(Path directory, ApiKeyStore store) {
        this.directory = directory;
        this.store = store;
    }

    /**
     * Sees that every grant has its file and its row. A key that is in its file stays; one that is
     * missing, or that was revoked, is made anew.
     *
     * @throws IllegalArgumentException with one sentence when a file or a row stands in the way
     */
    public void ensureGranted(List<ConfiguredApiKeyGrant> grants) {
        grants.forEach(this::ensureGranted);
    }

    private void ensureGranted(ConfiguredApiKeyGrant grant) {
        Path file = directory.resolve(grant.id() + ".key");
        Optional<ApiKey> known = store.find(grant.id());
        PlaintextApiKey key =
                readKeyFile(file)
                        .filter(there -> there.id().equals(grant.id()))
                        .filter(there -> known.filter(row -> isRevoked(row, there)).isEmpty())
                        .orElseGet(() -> createKeyFile(file, grant));
        if (!store.putBackendKey(grant.id(), key.digest(), grant.scopes())) {
            throw new IllegalArgumentException(
                    "A caller made a key of the id " + grant.id() + "; grant one of another id.");
        }
    }

    private static boolean isRevoked(ApiKey row, PlaintextApiKey there) {
        return row.revokedAt() != null && row.secret().equals(there.digest());
    }

    private static Optional<PlaintextApiKey> readKeyFile(Path file) {
        try {
            return Files.exists(file)
                    ? PlaintextApiKey.parse(Files.readString(file).strip())
                    : Optional.empty();
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "The key file " + file + " cannot be read; check whose it is.", e);
        }
    }

    /** The file comes first: a key that nobody has would help nobody. */
    private PlaintextApiKey createKeyFile(Path file, ConfiguredApiKeyGrant grant) {
        PlaintextApiKey key = ApiKeyService.generateKey(grant.id(), random);
        Path staged = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.deleteIfExists(staged); // left by a crash
            Files.createFile(staged, FOR_OWNER);
            try (FileChannel channel = FileChannel.open(staged, StandardOpenOption.WRITE)) {
                ByteBuffer bytes =
                        ByteBuffer.wrap((key.value() + "\n").getBytes(StandardCharsets.US_ASCII));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(staged, file, StandardCopyOption.ATOMIC_MOVE);
            try (FileChannel there = FileChannel.open(directory, StandardOpenOption.READ)) {
                there.force(true); // else a power cut brings the revoked key back
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "The key file " + file + " cannot be written; check the directory.", e);
        }
        LOG.info("A key was granted keyId={} file={}", grant.id(), file);
        return key;
    }
}
