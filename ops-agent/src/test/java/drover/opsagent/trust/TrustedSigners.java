package drover.opsagent.trust;

import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.NodeType;
import drover.model.Version;
import drover.model.program.BinaryName;
import drover.model.program.ProgramDigestSource;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.policy.SignaturePolicy;
import drover.trust.release.CommandAuthorization;
import drover.trust.release.CommandAuthorization.SignedMessageKind;
import drover.trust.release.CommandVerifier;
import drover.trust.release.Envelope;
import drover.trust.release.Quorum;
import drover.trust.release.Release;
import drover.trust.release.ReleaseArtifact;
import drover.trust.release.ReleaseLaunchSpec;
import drover.trust.release.Root;
import drover.trust.release.SigningKey;
import drover.trust.release.TrustChain;
import drover.trust.release.VerifyingKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Two people whom a node trusts, the file that says so, and what they sign. */
public final class TrustedSigners {
    public static final Instant NOW = Instant.EPOCH;
    private static final Instant LATER = NOW.plus(Duration.ofDays(40_000));
    public static final SigningKey ANN = SigningKey.create();
    public static final SigningKey BEN = SigningKey.create();
    public static final SigningKey EVE = SigningKey.create();

    /** How the program of a simulated node is launched. */
    private static final ReleaseLaunchSpec SIMULATED =
            new ReleaseLaunchSpec(
                    SimulatedNode.PROGRAM,
                    "",
                    List.of(),
                    Map.of("LAUNCH", "{{ .launch }}"),
                    "",
                    ProgramDigestSource.EXE,
                    List.of());

    /** How the program of a real node is launched. */
    public static final ReleaseLaunchSpec SLEEPING =
            new ReleaseLaunchSpec(
                    new NodePath("/bin/app"),
                    "",
                    List.of("{path}", "{{ .seconds }}"),
                    Map.of(),
                    "",
                    ProgramDigestSource.EXE,
                    List.of());

    /** The coordinators' own. */
    public static final SigningKey ONLINE = SigningKey.create();

    /** What such a node is registered as. */
    public static final NodeId NODE = new NodeId("node-1");

    private final Path file;

    /** Trusted on a node whose owner keeps this file. */
    public TrustedSigners(Path directory) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        this.file = directory.resolve("root.json");
        write(TrustChain.of(root(1, ANN, BEN).withSignature(ANN).withSignature(BEN)));
    }

    /** The first root again, with a key that signs commands. */
    public static TrustChain commanded() {
        return TrustChain.of(commanded(1, ONLINE).withSignature(ANN).withSignature(BEN));
    }

    /** Ann and Ben must sign, and this key commands. */
    public static Envelope commanded(long version, SigningKey online) {
        Map<Digest, VerifyingKey> keys = new LinkedHashMap<>();
        List.of(ANN, BEN, online).forEach(one -> keys.put(one.id(), one.verifyingKey()));
        Quorum people = new Quorum(2, Set.of(ANN.id(), BEN.id()));
        Quorum commands = new Quorum(1, Set.of(online.id()));
        return new Root(version, LATER, keys, people, people, commands).toUnsignedEnvelope();
    }

    /** What a leader of epoch 1 signs over a body now. */
    public static byte[] authorized(Digest body, Instant now, SigningKey key) {
        return authorized(SignedMessageKind.COMMAND, body, 1, now, key);
    }

    public static byte[] authorized(
            SignedMessageKind order, Digest subject, long epoch, Instant now, SigningKey key) {
        return new CommandAuthorization(order, subject, epoch, now.plus(CommandVerifier.VALIDITY))
                .toUnsignedEnvelope()
                .withSignature(key)
                .bytes();
    }

    public void write(TrustChain chain) throws IOException {
        Files.write(file, chain.bytes());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    public Path file() {
        return file;
    }

    /** All of these people must sign. */
    public static Envelope root(long version, SigningKey... people) {
        return root(version, LATER, people);
    }

    static Envelope root(long version, Instant expires, SigningKey... people) {
        Map<Digest, VerifyingKey> keys = new LinkedHashMap<>();
        for (SigningKey one : people) {
            keys.put(one.id(), one.verifyingKey());
        }
        Quorum all = new Quorum(people.length, keys.keySet());
        return new Root(version, expires, keys, all, all).toUnsignedEnvelope();
    }

    public SignaturePolicy.VerifyReleases demand(boolean required) throws IOException {
        return new SignaturePolicy.VerifyReleases(
                file,
                Files.getOwner(file).getName(),
                required,
                new ChainProfileId("chain"),
                new NodeType("full"));
    }

    /** The release of a program for this node, that both of them signed. */
    public static byte[] signed(Release release) {
        return release.toUnsignedEnvelope().withSignature(ANN).withSignature(BEN).bytes();
    }

    public static Release release(
            String version, long counter, Digest artifact, long length, NodePath... paths) {
        return release("chain", version, counter, 0, false, artifact, length, paths);
    }

    static Release release(
            String chain,
            String version,
            long counter,
            long floor,
            boolean rollbackAllowed,
            Digest artifact,
            long length,
            NodePath... paths) {
        return new Release(
                new ChainProfileId(chain),
                List.of(new NodeType("full")),
                new BinaryName("app"),
                new Version(version),
                counter,
                floor,
                rollbackAllowed,
                NOW.plus(Duration.ofDays(30_000)),
                List.of(new ReleaseArtifact(ReleaseArtifact.ANY, artifact, length)),
                List.of(paths),
                "",
                SIMULATED);
    }
}
