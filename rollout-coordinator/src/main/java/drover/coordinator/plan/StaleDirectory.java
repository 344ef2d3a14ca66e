package drover.coordinator.plan;

import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the gateways' directory is older than what this fleet's own records prove of a
 * node. A gateway that has lost its way to PostgreSQL still passes statuses on to the leader, so a
 * rollout can end while the directory says what ran before it. Whatever is frozen from such a row
 * is wrong: a node that has to be upgraded would be left alone as one that runs the target already.
 * Pure.
 */
public final class StaleDirectory {
    private StaleDirectory() {}

    /**
     * What a node's last attempt on a program proved to run there.
     *
     * @param digest of the artifact
     * @param config configuration digest
     * @param closedAt when the attempt was closed, by the database's clock
     */
    public record Proven(String digest, String config, Instant closedAt) {}

    /**
     * What the directory says of the same program.
     *
     * @param digest of the artifact; empty when nothing is installed
     * @param config configuration digest; empty when nothing is installed
     * @param heard when the node was last heard of, by the database's clock; null when nobody said
     */
    public record Said(NodeId node, String digest, String config, @Nullable Instant heard) {}

    /**
     * Refuses to choose by rows that are too old. Names the first of those nodes.
     *
     * @param proven a node that is missing was never upgraded, or nothing is proven of it
     */
    public static Optional<CreationRules.Refusal> refusal(
            List<Said> directory, Map<NodeId, Proven> proven) {
        List<NodeId> stale =
                directory.stream()
                        .filter(said -> isStale(said, proven.get(said.node())))
                        .map(Said::node)
                        .toList();
        return stale.isEmpty()
                ? Optional.empty()
                : Optional.of(naming(stale.getFirst(), stale.size(), proven));
    }

    /**
     * Equal digests are never stale, so that the next rollout can be created at once. A node that
     * was changed by hand since was heard of since, within the 10 s in which gateways write that.
     */
    private static boolean isStale(Said said, @Nullable Proven proven) {
        return proven != null
                && said.heard() != null
                && said.heard().isBefore(proven.closedAt())
                && !(said.digest().equals(proven.digest())
                        && said.config().equals(proven.config()));
    }

    private static CreationRules.Refusal naming(
            NodeId first, int count, Map<NodeId, Proven> proven) {
        String nodes = count == 1 ? "1 node runs" : count + " nodes run";
        return new CreationRules.Refusal(
                RefusalCode.NODES_NOT_HEARD_SINCE,
                "",
                "What "
                        + nodes
                        + " is not known, for example "
                        + first
                        + ": its gateway has not written that down since the node's last upgrade ended at "
                        + Objects.requireNonNull(proven.get(first)).closedAt()
                        + "; look at that gateway's way to PostgreSQL, then create the rollout again.");
    }
}
