package drover.gateway.identity;

/** Why nobody may speak for a node until its machine is enrolled anew. */
public enum Bar {
    /** An operator said so. */
    REVOKED,
    /** Its identity was in use at two places. */
    COPIED
}
