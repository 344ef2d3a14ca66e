package drover.system.failover;

import drover.bench.fleet.BenchNode;
import drover.bench.fleet.BenchNode.BenchRelease;
import drover.localenv.AtomicFileWriter;
import drover.model.ChainProfileId;
import drover.model.NodeType;
import drover.model.Version;
import drover.trust.release.Quorum;
import drover.trust.release.ReleaseArtifact;
import drover.trust.release.Root;
import drover.trust.release.SigningKey;
import drover.trust.release.TrustChain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The keys of people and of coordinators, the root of trust that names both, and manifests of both
 * releases with what people signed beside them.
 */
final class SigningMaterial {
    private final Path directory;
    private final Instant until;
    private final SigningKey people = SigningKey.create();
    private final SigningKey coordinators = SigningKey.create();

    /** Makes keys and root below a directory that it makes. */
    SigningMaterial(Path directory, Duration life) {
        this.directory = directory;
        this.until = Instant.now().plus(life);
        makeKept(directory);
        AtomicFileWriter.writeSecret(commandKey(), coordinators.pem());
        AtomicFileWriter.write(trust(), text(root().bytes()));
    }

    /** Nodes believe no file in a directory that others may write, whatever the umask is. */
    static void makeKept(Path directory) {
        try {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private TrustChain root() {
        Quorum ofPeople = new Quorum(1, Set.of(people.id()));
        return TrustChain.of(
                new Root(
                                1,
                                until,
                                Map.of(
                                        people.id(),
                                        people.verifyingKey(),
                                        coordinators.id(),
                                        coordinators.verifyingKey()),
                                ofPeople,
                                ofPeople,
                                new Quorum(1, Set.of(coordinators.id())))
                        .toUnsignedEnvelope()
                        .withSignature(people));
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }

    /** What the coordinators sign with. */
    Path commandKey() {
        return directory.resolve("command-key.pem");
    }

    /** The root of trust, as nodes have it. */
    Path trust() {
        return directory.resolve("root.json");
    }

    /** The id of the manifest of a release. */
    static String upgradeTo(BenchRelease release) {
        return "app-" + release.version();
    }

    /** Writes manifests and signed releases into the configuration of a manifest-service. */
    void publish(Path config) {
        Path upgrades = config.resolve("upgrades").resolve(BenchNode.CHAIN);
        try {
            Files.createDirectories(upgrades);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (BenchRelease release : BenchRelease.values()) {
            Path manifest = upgrades.resolve(upgradeTo(release) + ".yaml");
            AtomicFileWriter.write(manifest, manifest(release));
            AtomicFileWriter.write(
                    upgrades.resolve(upgradeTo(release) + ".dsse.json"),
                    text(signed(release).toUnsignedEnvelope().withSignature(people).bytes()));
        }
    }

    private static String manifest(BenchRelease release) {
        return """
        upgrade_id: %s
        chain_profile_id: %s
        node_type: %s
        binary_name: %s
        target_version: %s
        target_url: %s
        target_checksum: "%s"
        target_size: %d
        state_compatibility:
          migration_type: none
        """
                .formatted(
                        upgradeTo(release),
                        BenchNode.CHAIN,
                        BenchNode.TYPE,
                        BenchNode.PROGRAM.name(),
                        release.version(),
                        release.url(),
                        release.digest(),
                        release.size());
    }

    /** One may go back to the first: rollouts go back and forth. */
    private drover.trust.release.Release signed(BenchRelease release) {
        return new drover.trust.release.Release(
                new ChainProfileId(BenchNode.CHAIN),
                List.of(new NodeType(BenchNode.TYPE)),
                BenchNode.PROGRAM.name(),
                new Version(release.version()),
                counter(release),
                0,
                true,
                until,
                List.of(new ReleaseArtifact(ReleaseArtifact.ANY, release.digest(), release.size())),
                List.of(),
                "");
    }

    private static long counter(BenchRelease release) {
        return switch (release) {
            case V1 -> 1;
            case V2 -> 2;
        };
    }
}
