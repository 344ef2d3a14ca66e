package drover.trust.release;

import drover.model.Digest;
import drover.trust.release.CommandAuthorization.SignedMessageKind;
import java.time.Duration;
import java.time.Instant;

/**
 * Decides whether a node believes that the coordinators want what it was sent (E7, H8). Pure. What
 * is signed is looked at only after the signatures, in this order: kind, signatures, content,
 * agreement with what was sent, time.
 */
public final class CommandVerifier {
    /**
     * For how long a leader signs. Ten minutes: whatever is unanswered is sent, and signed, again
     * after ten seconds, so this is for clocks that differ, and no node's may by more; and it is
     * how long a gateway can hold back what was meant for now.
     */
    public static final Duration VALIDITY = Duration.ofMinutes(10);

    private CommandVerifier() {}

    /**
     * Verifies what came along with something that was sent. Whether the root is over is not asked:
     * what is new needs a release, which asks that, and ways back must not end with a date.
     *
     * @param order what was sent
     * @param subject digest of what was sent
     * @param envelope what came along; empty when nothing did
     * @param root that is believed
     * @throws NotTrusted with the reason when it is not to be believed
     */
    public static CommandAuthorization verify(
            SignedMessageKind order, Digest subject, byte[] envelope, Root root, Instant now) {
        if (envelope.length == 0) {
            throw missingSignature(order);
        }
        Envelope read = Envelope.parse(envelope, CommandAuthorization.LARGEST);
        if (!read.type().equals(order.payloadType())) {
            throw new NotTrusted(
                    RejectionReason.WRONG_TYPE,
                    "What came along signs no "
                            + order.displayName()
                            + " but "
                            + read.type()
                            + ": send what was signed (cross-use).");
        }
        if (read.claimedSigners().isEmpty()) {
            throw missingSignature(order);
        }
        root.requireCommandQuorum()
                .requireSignatures("The " + order.displayName(), read, root.keys());
        CommandAuthorization authorization = CommandAuthorization.parse(order, read.payload());
        if (!authorization.subject().equals(subject)) {
            throw new NotTrusted(
                    RejectionReason.ALTERED,
                    "The "
                            + order.displayName()
                            + " is not the one that was signed: somebody between coordinator and"
                            + " node changes what they send, find out who (altered).");
        }
        if (!now.isBefore(authorization.notAfter())) {
            throw new NotTrusted(
                    RejectionReason.EXPIRED,
                    "The "
                            + order.displayName()
                            + " was good until "
                            + authorization.notAfter()
                            + ": set this node's clock if it is wrong; else somebody kept it back"
                            + " (expired).");
        }
        return authorization;
    }

    private static NotTrusted missingSignature(SignedMessageKind order) {
        return new NotTrusted(
                RejectionReason.UNSIGNED,
                "This node takes signed commands alone, and the "
                        + order.displayName()
                        + " is not signed: start the coordinators with --command-key (unsigned).");
    }
}
