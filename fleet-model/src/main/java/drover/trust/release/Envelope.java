package drover.trust.release;

import drover.model.Digest;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A DSSE envelope: a payload, what kind it is, and who signed both. Kind and payload are signed
 * together, so that a signature under a document of one kind is worth nothing under another.
 */
public final class Envelope {
    /** Kind of a release. */
    public static final String RELEASE = "application/vnd.drover.release+json";

    /** Kind of a root of trust. */
    public static final String ROOT = "application/vnd.drover.root+json";

    private static final int MOST_SIGNATURES = 32; // people who sign; each costs a verification

    private final String type;
    private final byte[] payload;
    private final List<SignatureEntry> signatures;

    /** One signature and whose it says it is; base64 as it stands in the envelope. */
    private record SignatureEntry(Digest key, String signature) {}

    private Envelope(String type, byte[] payload, List<SignatureEntry> signatures) {
        this.type = type;
        this.payload = payload.clone();
        this.signatures = List.copyOf(signatures);
    }

    /** A payload that nobody has signed yet. */
    public static Envelope unsigned(String type, byte[] payload) {
        return new Envelope(type, payload, List.of());
    }

    /**
     * Reads an envelope.
     *
     * @param most bytes it may have
     * @throws NotTrusted as {@link RejectionReason#MALFORMED}
     */
    public static Envelope parse(byte[] bytes, int most) {
        if (bytes.length > most) {
            throw NotTrusted.malformed("The envelope is larger than " + most + " bytes.");
        }
        return of(JsonReader.read(bytes));
    }

    static Envelope of(Json json) {
        JsonObjectReader fields = JsonObjectReader.of("The envelope", json);
        Envelope envelope =
                new Envelope(
                        fields.readText("payloadType"),
                        fields.readName("payload", Envelope::decodeBase64),
                        fields.readList("signatures", MOST_SIGNATURES, Envelope::parseSignature));
        fields.requireAllRead();
        return envelope;
    }

    private static SignatureEntry parseSignature(Json json) {
        JsonObjectReader fields = JsonObjectReader.of("A signature", json);
        SignatureEntry signed =
                new SignatureEntry(fields.readName("keyid", Digest::new), fields.readText("sig"));
        decodeBase64(signed);
        fields.requireAllRead();
        return signed;
    }

    private static byte[] decodeBase64(SignatureEntry signed) {
        try {
            return decodeBase64(signed.signature());
        } catch (IllegalArgumentException _) {
            throw NotTrusted.malformed("A signature is not base64: take the original.");
        }
    }

    /** Base64 in one way only: with padding, and without bits that say nothing. */
    private static byte[] decodeBase64(String base64) {
        byte[] bytes = Base64.getDecoder().decode(base64);
        if (!Base64.getEncoder().encodeToString(bytes).equals(base64)) {
            throw new IllegalArgumentException("it is not the usual base64");
        }
        return bytes;
    }

    /** The envelope as it is kept and sent. */
    public byte[] bytes() {
        return JsonWriter.write(json());
    }

    Json json() {
        Map<String, Json> members = new LinkedHashMap<>();
        members.put("payloadType", new Json.JsonString(type));
        members.put("payload", new Json.JsonString(Base64.getEncoder().encodeToString(payload)));
        List<Json> signed = new ArrayList<>();
        for (SignatureEntry one : signatures) {
            Map<String, Json> signature = new LinkedHashMap<>();
            signature.put("keyid", new Json.JsonString(one.key().value()));
            signature.put("sig", new Json.JsonString(one.signature()));
            signed.add(new Json.JsonObject(signature));
        }
        members.put("signatures", new Json.JsonArray(signed));
        return new Json.JsonObject(members);
    }

    /** Signed by one more; an earlier signature of the same key is replaced. */
    public Envelope withSignature(SigningKey key) {
        List<SignatureEntry> all = new ArrayList<>(signatures);
        all.removeIf(one -> one.key().equals(key.id()));
        String signature = Base64.getEncoder().encodeToString(key.sign(preAuthEncoding()));
        all.add(new SignatureEntry(key.id(), signature));
        return new Envelope(type, payload, all);
    }

    /** What kind of payload it says it has. */
    public String type() {
        return type;
    }

    /** The payload, which is worth nothing before {@link #verifiedSigners} has been asked. */
    public byte[] payload() {
        return payload.clone();
    }

    /** Whether another envelope has the same payload of the same kind. */
    public boolean hasSamePayload(Envelope other) {
        return type.equals(other.type) && Arrays.equals(payload, other.payload);
    }

    /** The keys that it says it is signed with, good or not. */
    public Set<Digest> claimedSigners() {
        Set<Digest> claimed = new TreeSet<>();
        signatures.forEach(one -> claimed.add(one.key()));
        return claimed;
    }

    /** Which of these keys have really signed; each counts once, however often it stands there. */
    public Set<Digest> verifiedSigners(Map<Digest, VerifyingKey> keys) {
        byte[] message = preAuthEncoding();
        Set<Digest> signers = new TreeSet<>();
        for (SignatureEntry one : signatures) {
            VerifyingKey key = keys.get(one.key());
            if (key != null && key.verifies(message, decodeBase64(one))) {
                signers.add(one.key());
            }
        }
        return signers;
    }

    /** What is signed: the pre-authentication encoding of DSSE version 1. */
    byte[] preAuthEncoding() {
        byte[] kind = type.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("DSSEv1 " + kind.length + " ").getBytes(StandardCharsets.UTF_8));
        out.writeBytes(kind);
        out.writeBytes((" " + payload.length + " ").getBytes(StandardCharsets.UTF_8));
        out.writeBytes(payload);
        return out.toByteArray();
    }
}
