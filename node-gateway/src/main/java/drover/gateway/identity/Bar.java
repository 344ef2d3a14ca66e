package drover.gateway.identity;

import drover.model.KnownWords;

/** Why nobody may speak for a node until its machine is enrolled anew. */
public enum Bar {
    /** An operator said so. */
    REVOKED,
    /** Its identity was in use at two places. */
    COPIED,
    /** A later version wrote why; whatever it is, nobody may. */
    UNKNOWN;

    /** What was written down. */
    public static Bar of(String written) {
        return KnownWords.byName(Bar.class, written).orElse(UNKNOWN);
    }
}
