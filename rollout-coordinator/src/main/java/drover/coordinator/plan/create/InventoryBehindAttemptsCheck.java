package drover.coordinator.plan.create;

import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the gateways' directory is older than what this fleet's own records prove of a
 * node. A gateway that has lost its way to PostgreSQL still passes statuses on to the leader, so a
 * rollout can end while the directory says what ran before it. Whatever is frozen from such a row
 * is wrong: a node that has to be upgraded would be left alone as one that runs the target already.
 * Pure.
 */
public final class InventoryBehindAttemptsCheck {
    private static final int MOST_GATEWAYS =
            3; // that a sentence names; a person looks at one first

    private InventoryBehindAttemptsCheck() {}

    /**
     * What a node's last attempt on a program proved to run there.
     *
     * @param digest of the artifact
     * @param config configuration digest
     * @param verifiedAt when the latest status that says so was written, by the database's clock:
     *     an upgrade that succeeded may have been taken back on the node since (invariant D17)
     */
    public record VerifiedProgram(String digest, String config, Instant verifiedAt) {}

    /**
     * What the directory says of the same program.
     *
     * @param digest of the artifact; empty when nothing is installed
     * @param config configuration digest; empty when nothing is installed
     * @param reportedAt when the node was last heard of, by the database's clock; null when nobody
     *     said, which is before any upgrade: whatever was upgraded has been heard of
     * @param gateway that holds its session or was the last to do so; empty when none is known
     */
    public record InventoryEntry(
            NodeId node,
            String digest,
            String config,
            @Nullable Instant reportedAt,
            String gateway) {}

    /**
     * Refuses to choose by rows that are too old. Names one of those nodes, and their gateways.
     *
     * @param verified a node that is missing was never upgraded, or nothing is proven of it
     */
    public static Optional<CreationFieldRules.Refusal> findRefusal(
            List<InventoryEntry> directory, Map<NodeId, VerifiedProgram> verified) {
        List<InventoryEntry> stale =
                directory.stream()
                        .filter(reported -> isStale(reported, verified.get(reported.node())))
                        .toList();
        return stale.isEmpty() ? Optional.empty() : Optional.of(staleRefusal(stale, verified));
    }

    /**
     * Equal digests are never stale, so that the next rollout can be created at once. A node that
     * was changed by hand since was heard of since, within the 10 s in which gateways write that.
     */
    private static boolean isStale(InventoryEntry reported, @Nullable VerifiedProgram verified) {
        return verified != null
                && !(reported.digest().equals(verified.digest())
                        && reported.config().equals(verified.config()))
                && (reported.reportedAt() == null
                        || reported.reportedAt().isBefore(verified.verifiedAt()));
    }

    /** A node whose gateway is known is the better example: there is a place to look at. */
    private static CreationFieldRules.Refusal staleRefusal(
            List<InventoryEntry> stale, Map<NodeId, VerifiedProgram> verified) {
        InventoryEntry example =
                stale.stream()
                        .filter(reported -> !reported.gateway().isEmpty())
                        .findFirst()
                        .orElse(stale.getFirst());
        String nodes = stale.size() == 1 ? "1 node runs" : stale.size() + " nodes run";
        return new CreationFieldRules.Refusal(
                RefusalCode.INVENTORY_STALE,
                "",
                "What "
                        + nodes
                        + " is not known, for example "
                        + example.node()
                        + ": "
                        + (example.gateway().isEmpty()
                                ? "no gateway has"
                                : "gateway " + example.gateway() + " has not")
                        + " written that down since the node's last upgrade ended at "
                        + Objects.requireNonNull(verified.get(example.node())).verifiedAt()
                        + "; "
                        + gatewaysToCheck(stale)
                        + ", then try again, or leave out (--exclude) or retire what is gone for"
                        + " good.");
    }

    private static String gatewaysToCheck(List<InventoryEntry> stale) {
        List<String> gateways =
                stale.stream()
                        .map(InventoryEntry::gateway)
                        .filter(gateway -> !gateway.isEmpty())
                        .distinct()
                        .sorted()
                        .toList();
        if (gateways.isEmpty()) {
            return "see that agents run there and reach a gateway";
        }
        String named =
                gateways.stream().limit(MOST_GATEWAYS).collect(Collectors.joining(" and of "));
        int others = gateways.size() - MOST_GATEWAYS;
        return "look at the way to PostgreSQL of "
                + named
                + (others > 0 ? " and of " + others + " more" : "");
    }
}
