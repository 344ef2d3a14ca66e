package drover.trust.release;

import drover.model.Digest;
import drover.model.NodeId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a leader signs, with a key that is online, over each thing it sends to an agent: this very
 * thing, in my term, until then (SECURITY; invariant H8). Who relays the thing can neither alter it
 * nor keep it for later.
 *
 * @param kind what kind of thing is sent
 * @param subject digest of it; it names the node, so that it is worth nothing at another
 * @param epoch the leader's term
 * @param notAfter from then on nobody begins with it; to the second
 */
public record CommandAuthorization(
        SignedMessageKind kind, Digest subject, long epoch, Instant notAfter) {
    /** Bytes of a signed authorization: far more than 32 signatures need. */
    public static final int LARGEST = 16 * 1024;

    /**
     * What is sent. Each kind is signed as one of its own, so none is worth anything as another.
     */
    public enum SignedMessageKind {
        /** Work; the subject is the digest of the command's body. */
        COMMAND("command"),
        /** Attempts that shall not begin any more. */
        WITHDRAWAL("withdrawal"),
        /** The old agent of a hand-over shall leave. */
        STOP("stop");

        private final String words;

        SignedMessageKind(String words) {
            this.words = words;
        }

        String payloadType() {
            return "application/vnd.drover." + words + "+json";
        }

        /** As it is called among people. */
        public String displayName() {
            return words;
        }

        private String documentType() {
            return "drover." + words;
        }
    }

    /** Refuses, with {@link NotTrusted}, a term that cannot be. */
    public CommandAuthorization {
        notAfter = notAfter.truncatedTo(ChronoUnit.SECONDS);
        if (epoch < 0 || epoch > Release.MAX_RELEASE_NUMBER) {
            throw NotTrusted.malformed("An epoch of " + epoch + " cannot be.");
        }
    }

    /** Subject of a withdrawal of attempts up to this one. */
    public static Digest withdrawalDigest(NodeId node, long through) {
        return Digest.of("withdraw " + node + " " + through);
    }

    /**
     * Subject of asking the old agent of a hand-over to leave.
     *
     * @param successor digest of the agent that was heard, as it is sent
     */
    public static Digest handoverStopDigest(NodeId node, long attempt, String successor) {
        return Digest.of("stop " + node + " " + attempt + " " + successor);
    }

    static CommandAuthorization parse(SignedMessageKind order, byte[] payload) {
        JsonObjectReader fields =
                JsonObjectReader.of("The authorization", JsonReader.read(payload));
        if (!fields.readText("type").equals(order.documentType())) {
            throw new NotTrusted(
                    RejectionReason.WRONG_TYPE,
                    "This authorizes no "
                            + order.displayName()
                            + ": send what was signed (cross-use).");
        }
        CommandAuthorization read =
                new CommandAuthorization(
                        order,
                        fields.readName("body_digest", Digest::new),
                        fields.readLong("epoch", 0, Release.MAX_RELEASE_NUMBER),
                        fields.readInstant("not_after"));
        fields.requireAllRead();
        return read;
    }

    /** The authorization as it is signed. */
    public Envelope toUnsignedEnvelope() {
        Map<String, Json> members = new LinkedHashMap<>();
        members.put("type", new Json.JsonString(kind.documentType()));
        members.put("body_digest", new Json.JsonString(subject.value()));
        members.put("epoch", new Json.JsonInteger(epoch));
        members.put("not_after", new Json.JsonString(notAfter.toString()));
        return Envelope.unsigned(
                kind.payloadType(), JsonWriter.write(new Json.JsonObject(members)));
    }
}
