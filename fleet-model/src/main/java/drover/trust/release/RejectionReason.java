package drover.trust.release;

/** What somebody would be up to who brought this, so that the person who reads it knows. */
public enum RejectionReason {
    /** There is no release at all. */
    UNSIGNED("unsigned"),
    /** It is not written as signed documents are, so nothing of it is believed. */
    MALFORMED("malformed"),
    /** A signature over another kind of document. */
    WRONG_TYPE("cross-use"),
    /** Signed, but by nobody that is trusted with this. */
    WRONG_KEY("wrong key"),
    /** Fewer trusted people signed than must. */
    TOO_FEW_SIGNATURES("too few signatures"),
    /** Over: something newer may be kept from the node. */
    FREEZE("freeze"),
    /** Older than what the node has seen. */
    ROLLBACK("rollback"),
    /** A good release, but not of what is asked for. */
    MIX_AND_MATCH("mix-and-match"),
    /** Signed, but something else than what came. */
    ALTERED("altered"),
    /** It was good once, for a short time. */
    EXPIRED("expired");

    private final String words;

    RejectionReason(String words) {
        this.words = words;
    }

    /** As it is called among people. */
    public String displayName() {
        return words;
    }
}
