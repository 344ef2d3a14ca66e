package drover.standalone.signing;

import drover.localenv.AtomicFileWriter;
import drover.localenv.UserFacingError;
import drover.model.Digest;
import drover.trust.release.NotTrusted;
import drover.trust.release.Quorum;
import drover.trust.release.Root;
import drover.trust.release.SigningKey;
import drover.trust.release.TrustChain;
import drover.trust.release.VerifyingKey;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The file with the roots of trust, which goes onto every node. */
public final class TrustRootFile {
    private final Path file;

    /** A file, there or not. */
    public TrustRootFile(Path file) {
        this.file = file;
    }

    /**
     * Who is trusted.
     *
     * @param keys of all who sign releases and roots
     * @param threshold how many of them must
     * @param commandKeys of the coordinators, one of which signs each command; empty for none
     */
    public record RootKeys(
            List<VerifyingKey> keys,
            int threshold,
            Instant expires,
            List<VerifyingKey> commandKeys) {
        public RootKeys {
            keys = List.copyOf(keys);
            commandKeys = List.copyOf(commandKeys);
        }

        Root toRoot(long version) {
            Map<Digest, VerifyingKey> all = byId(keys);
            Quorum quorum = new Quorum(threshold, all.keySet());
            if (commandKeys.isEmpty()) {
                return new Root(version, expires, all, quorum, quorum);
            }
            Map<Digest, VerifyingKey> online = byId(commandKeys);
            Quorum anyOfThem = new Quorum(1, online.keySet()); // each leader signs alone
            Map<Digest, VerifyingKey> known = new LinkedHashMap<>(all);
            known.putAll(online);
            return new Root(version, expires, known, quorum, quorum, anyOfThem);
        }

        /** Whoever names no keys of coordinators leaves those of the root before as they are. */
        RootKeys withDefaultCommandKeys(Root before) {
            Quorum commands = before.commands();
            if (commands == null || !commandKeys.isEmpty()) {
                return this;
            }
            List<VerifyingKey> kept =
                    before.keys().values().stream()
                            .filter(key -> commands.keys().contains(key.id()))
                            .toList();
            return new RootKeys(keys, threshold, expires, kept);
        }

        private static Map<Digest, VerifyingKey> byId(List<VerifyingKey> keys) {
            Map<Digest, VerifyingKey> all = new LinkedHashMap<>();
            keys.forEach(key -> all.put(key.id(), key));
            return all;
        }
    }

    /** Writes the first root, signed by these people. */
    public String create(RootKeys trusted, List<SigningKey> people) {
        if (Files.exists(file)) {
            throw new UserFacingError(
                    file + " is there already: 'trust rotate' makes the next root of it.");
        }
        return translateNotTrusted(
                () -> signAndWrite(TrustChain.of(trusted.toRoot(1).toUnsignedEnvelope()), people));
    }

    /** Adds the next root, signed by these people. */
    public String rotate(RootKeys trusted, List<SigningKey> people) {
        return translateNotTrusted(
                () -> {
                    TrustChain before = read();
                    before.verify(); // a rotation of what nobody believes helps nobody
                    Root last = before.unverifiedLast();
                    Root next = trusted.withDefaultCommandKeys(last).toRoot(last.version() + 1);
                    return signAndWrite(before.withNextRoot(next.toUnsignedEnvelope()), people);
                });
    }

    /** Adds people's signatures to the last root. */
    public String sign(List<SigningKey> people) {
        return translateNotTrusted(() -> signAndWrite(read(), people));
    }

    /** What the file says, in lines for people, and whether a node would believe it. */
    public String describe(Instant now) {
        return translateNotTrusted(
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
                    appendKeys(lines, root.releases());
                    Quorum commands = root.commands();
                    if (commands != null) {
                        lines.append("commands, %d of:%n".formatted(commands.threshold()));
                        appendKeys(lines, commands);
                    }
                    return lines + describeTrust(chain, now);
                });
    }

    private static void appendKeys(StringBuilder lines, Quorum quorum) {
        quorum.keys().forEach(id -> lines.append("  ").append(id).append('\n'));
    }

    /** The root that a node which takes this file on trust believes. */
    Root readVerifiedRoot() {
        return TrustChain.parseRoot(read().verify());
    }

    private TrustChain read() {
        return TrustChain.parseUnverified(KeyFiles.readBytes(file, TrustChain.LARGEST));
    }

    private String signAndWrite(TrustChain chain, List<SigningKey> people) {
        TrustChain signed = chain;
        for (SigningKey one : people) {
            signed = signed.withLastRootSigned(one);
        }
        AtomicFileWriter.write(file, new String(signed.bytes(), StandardCharsets.UTF_8));
        Root root = signed.unverifiedLast();
        return file + ": root " + root.version() + ". " + describeTrust(signed, Instant.MIN);
    }

    private static String describeTrust(TrustChain chain, Instant now) {
        try {
            Root root = TrustChain.parseRoot(chain.verify());
            return now.isBefore(root.expires())
                    ? "Nodes believe it."
                    : "Nodes do not believe it: it expired at " + root.expires() + ".";
        } catch (NotTrusted e) {
            return "Nodes do not believe it yet: " + e.sentence();
        }
    }

    private static String translateNotTrusted(java.util.function.Supplier<String> work) {
        try {
            return work.get();
        } catch (NotTrusted e) {
            throw new UserFacingError(e.sentence(), e);
        }
    }
}
