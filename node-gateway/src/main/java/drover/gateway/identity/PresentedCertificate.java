package drover.gateway.identity;

import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A certificate that somebody dials with. The chain was proven in the handshake; this decides
 * whether it still speaks for its node (SECURITY, enrolment 4 and 6).
 *
 * @param generation of this certificate
 * @param latestGeneration the highest generation that was ever dialled with, this one included
 * @param latestSince when that one was dialled with first
 * @param revoked whether the certificate itself was ended
 * @param blockReason empty while the node may connect
 */
public record PresentedCertificate(
        NodeId node,
        long generation,
        long latestGeneration,
        Instant latestSince,
        boolean revoked,
        boolean retired,
        Optional<BlockReason> blockReason) {
    /**
     * An agent that read its file before a renewal and dials after it was not copied: it is told to
     * read again.
     */
    static final Duration RENEWAL_OVERLAP = Duration.ofMinutes(1);

    /** What it is worth. */
    public sealed interface Validity {
        /** It speaks for its node. */
        record Valid() implements Validity {}

        /** It does not. */
        record Invalid(RefusalCode code, String sentence) implements Validity {}

        /** It was replaced, and the replacement is in use: one of the two is a copy. */
        record PossiblyCopied() implements Validity {}
    }

    /** What it is worth now. */
    public Validity validityAt(Instant now) {
        if (blockReason.isPresent()) {
            return invalidForBlock(blockReason.get());
        }
        if (retired || revoked) {
            return invalid(
                    RefusalCode.NODE_REVOKED,
                    "This certificate of node %s was ended; enroll the machine anew.");
        }
        if (generation >= latestGeneration) {
            return new Validity.Valid();
        }
        return now.isBefore(latestSince.plus(RENEWAL_OVERLAP))
                ? invalid(
                        RefusalCode.CERTIFICATE_OUTDATED,
                        "Node %s has a newer certificate; read its file again and dial.")
                : new Validity.PossiblyCopied();
    }

    private Validity invalidForBlock(BlockReason why) {
        return switch (why) {
            case REVOKED ->
                    invalid(
                            RefusalCode.NODE_REVOKED,
                            "Node %s was revoked; enroll the machine anew.");
            case COPIED ->
                    invalid(
                            RefusalCode.NODE_LOCKED,
                            "Node %s is locked: its identity was in use at two places. Find the"
                                    + " copy, then enroll the machine anew.");
            case UNKNOWN ->
                    invalid(
                            RefusalCode.NODE_REVOKED,
                            "Nobody may speak for node %s, for a reason that a later version of Drover"
                                    + " wrote down; ask a gateway of that version, or enroll the"
                                    + " machine anew.");
        };
    }

    private Validity.Invalid invalid(RefusalCode code, String sentence) {
        return new Validity.Invalid(code, sentence.formatted(node));
    }
}
