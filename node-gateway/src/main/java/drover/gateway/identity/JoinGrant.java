package drover.gateway.identity;

import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A join token as it is kept: what it makes of a machine, how often and how long; never its secret.
 *
 * @param node that it makes; empty when each machine gets an id that is made up
 * @param createdBy a principal
 * @param revokedBy empty when nobody revoked it
 */
public record JoinGrant(
        String id,
        Optional<NodeId> node,
        ChainProfileId chain,
        NodeType type,
        Map<String, String> labels,
        int maxUses,
        int uses,
        String createdBy,
        Instant createdAt,
        Instant expiresAt,
        Optional<Instant> revokedAt,
        String revokedBy) {
    public JoinGrant {
        labels = Map.copyOf(labels);
    }

    /** What a token is worth to whoever has its secret. */
    public sealed interface Standing {
        /** It makes a machine a node. */
        record Good() implements Standing {}

        /**
         * It makes none.
         *
         * @param sentence why, and what to do
         */
        record Spent(String sentence) implements Standing {}
    }

    /** What it is worth now. */
    public Standing at(Instant now) {
        if (revokedAt.isPresent()) {
            return spent("was revoked");
        }
        if (!now.isBefore(expiresAt)) {
            return spent("has expired");
        }
        return uses < maxUses ? new Standing.Good() : spent("is used up");
    }

    private static Standing spent(String how) {
        return new Standing.Spent("The join token " + how + "; get a new one for this machine.");
    }
}
