package drover.model.sign;

import drover.model.Digest;
import drover.model.sign.Authorization.Order;
import java.time.Duration;
import java.time.Instant;

/**
 * Decides whether a node believes that the coordinators want what it was sent (E7, H8). Pure. What
 * is signed is looked at only after the signatures, in this order: kind, signatures, content,
 * agreement with what was sent, time.
 */
public final class CommandRules {
    /**
     * For how long a leader signs. Ten minutes: whatever is unanswered is sent, and signed, again
     * after ten seconds, so this is for clocks that differ, and no node's may by more; and it is
     * how long a gateway can hold back what was meant for now.
     */
    public static final Duration GOOD_FOR = Duration.ofMinutes(10);

    private CommandRules() {}

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
    public static Authorization verify(
            Order order, Digest subject, byte[] envelope, Root root, Instant now) {
        if (envelope.length == 0) {
            throw unsigned(order);
        }
        Envelope read = Envelope.parse(envelope, Authorization.LARGEST);
        if (!read.type().equals(order.payloadType())) {
            throw new NotTrusted(
                    Attack.WRONG_TYPE,
                    "What came along signs no "
                            + order.words()
                            + " but "
                            + read.type()
                            + ": send what was signed (cross-use).");
        }
        if (read.claimedSigners().isEmpty()) {
            throw unsigned(order);
        }
        root.commandKeys().demand("The " + order.words(), read, root.keys());
        Authorization said = Authorization.parse(order, read.payload());
        if (!said.subject().equals(subject)) {
            throw new NotTrusted(
                    Attack.ALTERED,
                    "The "
                            + order.words()
                            + " is not the one that was signed: somebody between coordinator and"
                            + " node changes what they send, find out who (altered).");
        }
        if (!now.isBefore(said.notAfter())) {
            throw new NotTrusted(
                    Attack.EXPIRED,
                    "The "
                            + order.words()
                            + " was good until "
                            + said.notAfter()
                            + ": set this node's clock if it is wrong; else somebody kept it back"
                            + " (expired).");
        }
        return said;
    }

    private static NotTrusted unsigned(Order order) {
        return new NotTrusted(
                Attack.UNSIGNED,
                "This node takes signed commands alone, and the "
                        + order.words()
                        + " is not signed: start the coordinators with --command-key (unsigned).");
    }
}
