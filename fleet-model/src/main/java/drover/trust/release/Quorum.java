package drover.trust.release;

import drover.model.Digest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * So many of these keys must have signed.
 *
 * @param threshold how many, at least 1 and at most as many as there are keys
 * @param keys ids of those that count
 */
public record Quorum(int threshold, Set<Digest> keys) {
    static final int MOST_KEYS = 32;

    /** Refuses, with {@link NotTrusted}, a threshold that nobody or not enough could reach. */
    public Quorum {
        keys = java.util.Collections.unmodifiableSet(new TreeSet<>(keys));
        if (threshold < 1 || threshold > keys.size() || keys.size() > MOST_KEYS) {
            throw NotTrusted.malformed(
                    "A threshold of "
                            + threshold
                            + " among "
                            + keys.size()
                            + " keys cannot be: name at least as many keys, at most "
                            + MOST_KEYS
                            + ".");
        }
    }

    static Quorum of(JsonObjectReader fields) {
        List<Digest> named = fields.readNames("keys", MOST_KEYS, Digest::new);
        Set<Digest> keys = new TreeSet<>(named);
        if (keys.size() != named.size()) {
            throw NotTrusted.malformed("A key is named twice in one role: take the original.");
        }
        Quorum quorum = new Quorum((int) fields.readLong("threshold", 1, MOST_KEYS), keys);
        fields.requireAllRead();
        return quorum;
    }

    Json json() {
        Map<String, Json> members = new LinkedHashMap<>();
        List<Json> ids = new ArrayList<>();
        keys.forEach(key -> ids.add(new Json.JsonString(key.value())));
        members.put("keys", new Json.JsonArray(ids));
        members.put("threshold", new Json.JsonInteger(threshold));
        return new Json.JsonObject(members);
    }

    /**
     * Demands that enough of these keys signed.
     *
     * @param what is signed, for the sentence
     * @param known the keys themselves, among others
     * @return those that did
     */
    Set<Digest> requireSignatures(String what, Envelope envelope, Map<Digest, VerifyingKey> known) {
        Map<Digest, VerifyingKey> mine =
                known.entrySet().stream()
                        .filter(one -> keys.contains(one.getKey()))
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        Set<Digest> signers = envelope.verifiedSigners(mine);
        if (signers.size() >= threshold) {
            return signers;
        }
        Set<Digest> claimed = envelope.claimedSigners();
        if (!claimed.isEmpty() && claimed.stream().noneMatch(keys::contains)) {
            throw new NotTrusted(
                    RejectionReason.WRONG_KEY,
                    what
                            + " is signed by no key that is trusted with it ("
                            + claimed.stream()
                                    .map(Digest::shortHex)
                                    .collect(Collectors.joining(", "))
                            + "): have it signed with the keys of the root of trust.");
        }
        boolean broken =
                claimed.stream().anyMatch(id -> keys.contains(id) && !signers.contains(id));
        throw new NotTrusted(
                RejectionReason.TOO_FEW_SIGNATURES,
                what
                        + " has "
                        + signers.size()
                        + " good signatures of "
                        + threshold
                        + (broken ? ", and one that does not fit what is signed" : "")
                        + ": have it signed by more of the trusted keys.");
    }
}
