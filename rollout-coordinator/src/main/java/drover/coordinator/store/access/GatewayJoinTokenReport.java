package drover.coordinator.store.access;

import drover.coordinator.plan.observed.Cause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A join token as a gateway reports it.
 *
 * @param target the node that it makes, or the kind of nodes
 * @param revokedBy empty while it is not revoked
 */
public record GatewayJoinTokenReport(
        String id,
        String target,
        int uses,
        int maxUses,
        String createdBy,
        Instant expiresAt,
        String revokedBy) {
    /** Actor of what machines do with a token: a gateway admits or rejects them. */
    static final String GATEWAY = "gateway";

    private static final String VALID = "good";

    /**
     * What the history contains of a token already.
     *
     * @param ended whether it contains the end
     */
    record HistorySoFar(int uses, boolean ended) {}

    /** An entry that the history lacks. */
    record MissingEntry(String actor, String from, String to, Cause cause) {}

    /** The entries that the history lacks, in order. */
    List<MissingEntry> missingEntries(Optional<HistorySoFar> before, Instant now) {
        List<MissingEntry> entries = new ArrayList<>();
        if (before.isEmpty()) {
            entries.add(toEntry(createdBy, "", VALID, "JOIN_TOKEN_MADE", "It was made"));
        }
        int known = before.map(HistorySoFar::uses).orElse(0);
        if (uses > known) {
            String what = "It was used: %d of %d uses".formatted(uses, maxUses);
            entries.add(toEntry(GATEWAY, VALID, VALID, "JOIN_TOKEN_USED", what));
        }
        if (!before.map(HistorySoFar::ended).orElse(false) && hasEnded(now)) {
            entries.add(endEntry());
        }
        return entries;
    }

    /** Whether it admits no machine any more. */
    boolean hasEnded(Instant now) {
        return !revokedBy.isEmpty() || uses >= maxUses || !now.isBefore(expiresAt);
    }

    private MissingEntry endEntry() {
        if (!revokedBy.isEmpty()) {
            return toEntry(revokedBy, VALID, "revoked", "JOIN_TOKEN_REVOKED", "It was revoked");
        }
        return uses >= maxUses
                ? toEntry(GATEWAY, VALID, "used up", "JOIN_TOKEN_USED_UP", "It is used up")
                : toEntry(GATEWAY, VALID, "expired", "JOIN_TOKEN_EXPIRED", "It expired");
    }

    private MissingEntry toEntry(String actor, String from, String to, String code, String what) {
        String terms = "%s, %d uses, until %s".formatted(target, maxUses, expiresAt);
        return new MissingEntry(actor, from, to, new Cause(code, what + ": " + terms + "."));
    }
}
