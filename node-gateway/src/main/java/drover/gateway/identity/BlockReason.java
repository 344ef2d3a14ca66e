package drover.gateway.identity;

import drover.model.OptionalEnumParser;

/** Why nobody may speak for a node until its machine is enrolled anew. */
public enum BlockReason {
    /** An operator said so. */
    REVOKED,
    /** Its identity was in use at two places. */
    COPIED,
    /** A later version wrote why; whatever it is, nobody may. */
    UNKNOWN;

    /** What was written down. */
    public static BlockReason parseOrUnknown(String written) {
        return OptionalEnumParser.byName(BlockReason.class, written).orElse(UNKNOWN);
    }
}
