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
 * @param newest the highest generation that was ever dialled with, this one included
 * @param newestSince when that one was dialled with first
 * @param revoked whether the certificate itself was ended
 * @param bar empty while the node may connect
 */
public record ShownCertificate(
        NodeId node,
        long generation,
        long newest,
        Instant newestSince,
        boolean revoked,
        boolean retired,
        Optional<Bar> bar) {
    /**
     * An agent that read its file before a renewal and dials after it was not copied: it is told to
     * read again.
     */
    static final Duration CROSSING = Duration.ofMinutes(1);

    /** What it is worth. */
    public sealed interface Worth {
        /** It speaks for its node. */
        record Good() implements Worth {}

        /** It does not. */
        record Nothing(RefusalCode code, String sentence) implements Worth {}

        /** It was replaced, and the replacement is in use: one of the two is a copy. */
        record Copy() implements Worth {}
    }

    /** What it is worth now. */
    public Worth at(Instant now) {
        if (bar.isPresent()) {
            return barred(bar.get());
        }
        if (retired || revoked) {
            return nothing(
                    RefusalCode.NODE_REVOKED,
                    "This certificate of node %s was ended; enroll the machine anew.");
        }
        if (generation >= newest) {
            return new Worth.Good();
        }
        return now.isBefore(newestSince.plus(CROSSING))
                ? nothing(
                        RefusalCode.CERTIFICATE_OUTDATED,
                        "Node %s has a newer certificate; read its file again and dial.")
                : new Worth.Copy();
    }

    private Worth barred(Bar why) {
        return switch (why) {
            case REVOKED ->
                    nothing(
                            RefusalCode.NODE_REVOKED,
                            "Node %s was revoked; enroll the machine anew.");
            case COPIED ->
                    nothing(
                            RefusalCode.NODE_LOCKED,
                            "Node %s is locked: its identity was in use at two places. Find the"
                                    + " copy, then enroll the machine anew.");
            case UNKNOWN ->
                    nothing(
                            RefusalCode.NODE_REVOKED,
                            "Nobody may speak for node %s, for a reason that a later version of Drover"
                                    + " wrote down; ask a gateway of that version, or enroll the"
                                    + " machine anew.");
        };
    }

    private Worth.Nothing nothing(RefusalCode code, String sentence) {
        return new Worth.Nothing(code, sentence.formatted(node));
    }
}
