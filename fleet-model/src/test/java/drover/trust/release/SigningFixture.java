package drover.trust.release;

import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.NodeType;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** People with keys, a root that trusts two of three of them, and a release to sign. */
final class SigningFixture {
    static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    static final SigningKey ANN = SigningKey.create();
    static final SigningKey BEN = SigningKey.create();
    static final SigningKey CAT = SigningKey.create();
    static final SigningKey EVE = SigningKey.create();
    static final Digest AMD = Digest.of("program for amd64");
    static final Digest ARM = Digest.of("program for arm64");

    private SigningFixture() {}

    static Root root(long version, Instant expires, int threshold, SigningKey... people) {
        Map<Digest, VerifyingKey> keys = new LinkedHashMap<>();
        Stream.of(people).forEach(one -> keys.put(one.id(), one.verifyingKey()));
        Quorum all = new Quorum(threshold, keys.keySet());
        return new Root(version, expires, keys, all, all);
    }

    static Root twoOfThree() {
        return root(1, NOW.plus(Duration.ofDays(365)), 2, ANN, BEN, CAT);
    }

    /** The same, which trusts these keys with commands, so many of them at once. */
    static Root commanding(Root root, int threshold, SigningKey... online) {
        Map<Digest, VerifyingKey> keys = new LinkedHashMap<>(root.keys());
        Stream.of(online).forEach(one -> keys.put(one.id(), one.verifyingKey()));
        return new Root(
                root.version(),
                root.expires(),
                keys,
                root.roots(),
                root.releases(),
                new Quorum(threshold, ids(online)));
    }

    static Release release(long counter, long floor, boolean rollbackAllowed) {
        return new Release(
                new ChainProfileId("celestia"),
                List.of(new NodeType("full")),
                new BinaryName("node"),
                new Version("v" + counter),
                counter,
                floor,
                rollbackAllowed,
                NOW.plus(Duration.ofDays(90)),
                List.of(
                        new ReleaseArtifact("any", AMD, 1000),
                        new ReleaseArtifact("linux/arm64", ARM, 900)),
                List.of(new NodePath("/etc/celestia/config.toml")),
                "Provision anew.");
    }

    static Envelope signed(Envelope envelope, SigningKey... people) {
        Envelope signed = envelope;
        for (SigningKey one : people) {
            signed = signed.withSignature(one);
        }
        return signed;
    }

    static Set<Digest> ids(SigningKey... people) {
        return Stream.of(people).map(SigningKey::id).collect(Collectors.toSet());
    }
}
