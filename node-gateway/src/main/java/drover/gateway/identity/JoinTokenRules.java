package drover.gateway.identity;

import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** What a join token may be (SECURITY, enrolment 1). */
public final class JoinTokenRules {
    /** Long enough to carry it to a machine. */
    public static final Duration DEFAULT_LIFETIME = Duration.ofMinutes(30);

    static final Duration MAX_LIFETIME = Duration.ofHours(24);
    static final Duration MIN_LIFETIME = Duration.ofMinutes(1);
    static final int MAX_USES = 1_000;

    private static final String VARIABLE = "var."; // of templates

    private JoinTokenRules() {}

    /**
     * A wish for a token.
     *
     * @param node that it shall make; empty for ids that are made up
     * @param maxUses 0 is one
     */
    public record Request(
            Optional<NodeId> node,
            ChainProfileId chain,
            NodeType type,
            Map<String, String> labels,
            int maxUses,
            Duration lifetime,
            String createdBy) {
        public Request {
            labels = Map.copyOf(labels);
            maxUses = maxUses == 0 ? 1 : maxUses;
        }

        /** The token that this becomes. */
        public JoinTokenMetadata toIssuedJoinToken(String id, Instant now) {
            return new JoinTokenMetadata(
                    id,
                    node,
                    chain,
                    type,
                    labels,
                    maxUses,
                    0,
                    createdBy,
                    now,
                    now.plus(lifetime),
                    Optional.empty(),
                    "");
        }
    }

    /**
     * What is wrong with a wish.
     *
     * @param field the field concerned
     */
    public record CreationRefusal(String sentence, String field) {}

    /** What keeps this token from being made; nothing when it may be. */
    public static Optional<CreationRefusal> findRefusal(Request wish) {
        if (wish.lifetime().compareTo(MIN_LIFETIME) < 0
                || wish.lifetime().compareTo(MAX_LIFETIME) > 0) {
            return newRefusal("A join token is good for a minute to 24 hours.", "lifetime");
        }
        if (wish.maxUses() < 1 || wish.maxUses() > MAX_USES) {
            return newRefusal("A join token is good for 1 to 1000 machines.", "max_uses");
        }
        if (wish.node().isPresent() && wish.maxUses() > 1) {
            return newRefusal(
                    "A token for one node is good once: leave max_uses out, or node_id.",
                    "max_uses");
        }
        if (wish.labels().keySet().stream().anyMatch(label -> label.startsWith(VARIABLE))) {
            return newRefusal(
                    "A join token cannot set labels that begin with var., because they change"
                            + " rendered configuration: set them in nodes.yaml.",
                    "labels");
        }
        return Optional.empty();
    }

    private static Optional<CreationRefusal> newRefusal(String sentence, String field) {
        return Optional.of(new CreationRefusal(sentence, field));
    }
}
