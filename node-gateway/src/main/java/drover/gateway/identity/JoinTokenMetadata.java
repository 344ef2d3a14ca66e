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
public record JoinTokenMetadata(
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
    public JoinTokenMetadata {
        labels = Map.copyOf(labels);
    }

    /** What a token is worth to whoever has its secret. */
    public sealed interface Validity {
        /** It makes a machine a node. */
        record Valid() implements Validity {}

        /**
         * It makes none.
         *
         * @param sentence why, and what to do
         */
        record Unusable(String sentence) implements Validity {}
    }

    /** What it is worth now. */
    public Validity validityAt(Instant now) {
        if (revokedAt.isPresent()) {
            return unusable("was revoked");
        }
        if (!now.isBefore(expiresAt)) {
            return unusable("has expired");
        }
        return uses < maxUses ? new Validity.Valid() : unusable("is used up");
    }

    private static Validity unusable(String how) {
        return new Validity.Unusable("The join token " + how + "; get a new one for this machine.");
    }
}
