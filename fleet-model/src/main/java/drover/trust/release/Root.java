package drover.trust.release;

import drover.model.Digest;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The root of trust: which keys there are, how many of them sign a release, how many sign the next
 * root, and which the coordinators sign commands with.
 *
 * @param version counts the roots; the next one is one higher
 * @param expires from when on nothing is believed on its strength
 * @param keys by id
 * @param roots who signs roots
 * @param releases who signs releases
 * @param commands who signs commands; null when no coordinator's key is trusted, as in roots from
 *     before there was this role
 */
public record Root(
        long version,
        Instant expires,
        Map<Digest, VerifyingKey> keys,
        Quorum roots,
        Quorum releases,
        @Nullable Quorum commands) {
    /** Bytes of one signed root (SECURITY: length caps). */
    public static final int LARGEST = 64 * 1024;

    private static final String TYPE = "drover.root";
    private static final String COMMAND = "command";

    /**
     * Refuses, with {@link NotTrusted}, a role whose keys are not there, and a key that signs
     * commands and something else: it is online, so whoever takes it would hold both.
     */
    public Root {
        keys = Collections.unmodifiableMap(new TreeMap<>(keys));
        if (version < 1
                || !keys.keySet().containsAll(roots.keys())
                || !keys.keySet().containsAll(releases.keys())
                || !(commands == null || keys.keySet().containsAll(commands.keys()))) {
            throw NotTrusted.malformed(
                    "The root of trust names keys that are not in it: take the original.");
        }
        if (commands != null
                && !(Collections.disjoint(commands.keys(), releases.keys())
                        && Collections.disjoint(commands.keys(), roots.keys()))) {
            throw NotTrusted.malformed(
                    "A key signs commands, and releases or roots as well: give the coordinators"
                            + " keys of their own.");
        }
    }

    /** Of nobody who signs commands. */
    public Root(
            long version,
            Instant expires,
            Map<Digest, VerifyingKey> keys,
            Quorum roots,
            Quorum releases) {
        this(version, expires, keys, roots, releases, null);
    }

    static Root parse(byte[] payload) {
        JsonObjectReader fields =
                JsonObjectReader.of("The root of trust", JsonReader.read(payload));
        if (!fields.readText("type").equals(TYPE)) {
            throw new NotTrusted(
                    RejectionReason.WRONG_TYPE, "This is no root of trust: take the original.");
        }
        long version = fields.readLong("version", 1, Integer.MAX_VALUE);
        Instant expires = fields.readInstant("expires");
        Map<Digest, VerifyingKey> keys = parseKeys(fields.readObject("keys"));
        JsonObjectReader roles = fields.readObject("roles");
        Quorum releases = Quorum.of(roles.readObject("release"));
        Quorum roots = Quorum.of(roles.readObject("root"));
        @Nullable Quorum commands =
                roles.unreadNames().contains(COMMAND) ? Quorum.of(roles.readObject(COMMAND)) : null;
        roles.requireAllRead();
        fields.requireAllRead();
        return new Root(version, expires, keys, roots, releases, commands);
    }

    private static Map<Digest, VerifyingKey> parseKeys(JsonObjectReader fields) {
        Map<Digest, VerifyingKey> keys = new TreeMap<>();
        for (String id : fields.unreadNames()) {
            VerifyingKey key = fields.readName(id, VerifyingKey::fromBase64);
            if (!key.id().value().equals(id)) {
                throw NotTrusted.malformed("Key " + id + " has another id: take the original.");
            }
            keys.put(key.id(), key);
        }
        if (keys.size() > Quorum.MOST_KEYS) {
            throw NotTrusted.malformed("A root has at most " + Quorum.MOST_KEYS + " keys.");
        }
        return keys;
    }

    /** The root as it is signed. */
    public Envelope toUnsignedEnvelope() {
        Map<String, Json> members = new LinkedHashMap<>();
        members.put("type", new Json.JsonString(TYPE));
        members.put("version", new Json.JsonInteger(version));
        members.put("expires", new Json.JsonString(expires.toString()));
        Map<String, Json> known = new LinkedHashMap<>();
        keys.forEach((id, key) -> known.put(id.value(), new Json.JsonString(key.base64())));
        members.put("keys", new Json.JsonObject(known));
        Map<String, Json> roles = new LinkedHashMap<>();
        roles.put("release", releases.json());
        roles.put("root", roots.json());
        if (commands != null) {
            roles.put(COMMAND, commands.json());
        }
        members.put("roles", new Json.JsonObject(roles));
        return Envelope.unsigned(Envelope.ROOT, JsonWriter.write(new Json.JsonObject(members)));
    }

    /**
     * Who signs commands.
     *
     * @throws NotTrusted as {@link RejectionReason#WRONG_KEY} when nobody is trusted with it
     */
    Quorum requireCommandQuorum() {
        if (commands == null) {
            throw new NotTrusted(
                    RejectionReason.WRONG_KEY,
                    "Root of trust "
                            + version
                            + " names no key that signs commands: rotate it, with --command-keys.");
        }
        return commands;
    }

    /** Refuses a root that is over. */
    void requireNotExpired(Instant now) {
        if (!now.isBefore(expires)) {
            throw new NotTrusted(
                    RejectionReason.FREEZE,
                    "The root of trust, version "
                            + version
                            + ", expired at "
                            + expires
                            + ": bring the next one (freeze).");
        }
    }
}
