package drover.standalone.signing;

import drover.model.Digest;
import drover.model.sign.NotTrusted;
import drover.model.sign.Quorum;
import drover.model.sign.Root;
import drover.model.sign.SigningKey;
import drover.model.sign.TrustChain;
import drover.model.sign.VerifyingKey;
import drover.standalone.home.DurableFile;
import drover.standalone.home.Unusable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The file with the roots of trust, which goes onto every node. */
public final class RootFile {
    private final Path file;

    /** A file, there or not. */
    public RootFile(Path file) {
        this.file = file;
    }

    /**
     * Who is trusted.
     *
     * @param keys of all who sign releases and roots
     * @param threshold how many of them must
     */
    public record Trusted(List<VerifyingKey> keys, int threshold, Instant expires) {
        public Trusted {
            keys = List.copyOf(keys);
        }

        Root root(long version) {
            Map<Digest, VerifyingKey> all = new LinkedHashMap<>();
            keys.forEach(key -> all.put(key.id(), key));
            Quorum quorum = new Quorum(threshold, all.keySet());
            return new Root(version, expires, all, quorum, quorum);
        }
    }

    /** Writes the first root, signed by these people. */
    public String create(Trusted trusted, List<SigningKey> people) {
        if (Files.exists(file)) {
            throw new Unusable(
                    file + " is there already: 'trust rotate' makes the next root of it.");
        }
        return believing(() -> write(TrustChain.of(trusted.root(1).envelope()), people));
    }

    /** Adds the next root, signed by these people. */
    public String rotate(Trusted trusted, List<SigningKey> people) {
        return believing(
                () -> {
                    TrustChain before = read();
                    before.followed(); // a rotation of what nobody believes helps nobody
                    long next = before.unverifiedLast().version() + 1;
                    return write(before.with(trusted.root(next).envelope()), people);
                });
    }

    /** Adds people's signatures to the last root. */
    public String sign(List<SigningKey> people) {
        return believing(() -> write(read(), people));
    }

    /** What the file says, in lines for people, and whether a node would believe it. */
    public String shown(Instant now) {
        return believing(
                () -> {
                    TrustChain chain = read();
                    Root root = chain.unverifiedLast();
                    StringBuilder lines = new StringBuilder();
                    lines.append(
                            "root %d, %d of %d keys, until %s%n"
                                    .formatted(
                                            root.version(),
                                            root.releases().threshold(),
                                            root.releases().keys().size(),
                                            root.expires()));
                    root.keys().keySet().forEach(id -> lines.append("  ").append(id).append('\n'));
                    return lines + state(chain, now);
                });
    }

    /** The root that a node which takes this file on trust believes. */
    Root believed() {
        return TrustChain.root(read().followed());
    }

    private TrustChain read() {
        return TrustChain.parse(KeyFiles.bytes(file, TrustChain.LARGEST));
    }

    private String write(TrustChain chain, List<SigningKey> people) {
        TrustChain signed = chain;
        for (SigningKey one : people) {
            signed = signed.signedBy(one);
        }
        DurableFile.write(file, new String(signed.bytes(), StandardCharsets.UTF_8));
        Root root = signed.unverifiedLast();
        return file + ": root " + root.version() + ". " + state(signed, Instant.MIN);
    }

    private static String state(TrustChain chain, Instant now) {
        try {
            Root root = TrustChain.root(chain.followed());
            return now.isBefore(root.expires())
                    ? "Nodes believe it."
                    : "Nodes do not believe it: it expired at " + root.expires() + ".";
        } catch (NotTrusted e) {
            return "Nodes do not believe it yet: " + e.sentence();
        }
    }

    private static String believing(java.util.function.Supplier<String> work) {
        try {
            return work.get();
        } catch (NotTrusted e) {
            throw new Unusable(e.sentence(), e);
        }
    }
}
