package drover.coordinator.peers;

import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The gateways' directory of nodes. Throws {@link PeerUnavailable} when no gateway answers. */
public interface NodeDirectoryLink {
    /**
     * Every node of a chain, and of a type where one is given, ordered by id.
     *
     * @param chain empty for every chain
     */
    List<DirectoryNode> listNodes(String chain, String type);

    /** Those nodes of a chain that have no connected agent now. */
    default Set<NodeId> listOfflineNodes(String chain, String type) {
        return Set.of();
    }

    /**
     * Nodes of a chain on which a program is unhealthy by the latest heartbeat, or of which that
     * heartbeat does not say how healthy it is, ordered by id.
     *
     * @param chain empty for every chain
     */
    default List<UnhealthyNode> listUnhealthyNodes(String chain, BinaryName program) {
        return List.of();
    }

    /**
     * A node on which a program is unhealthy, or its health unknown.
     *
     * @param why one sentence
     */
    record UnhealthyNode(NodeId node, Level level, String why) {}

    /**
     * A node as last reported.
     *
     * @param platform operating system and architecture; empty when its agent never said
     * @param features what its agent says it can do
     * @param lastSeen when it was last heard of, by the database's clock and to within the 10 s in
     *     which gateways write that; null when nobody said
     * @param gateway that holds its session, or was the last to do so, whether or not that gateway
     *     was heard of since; empty when none is known
     */
    record DirectoryNode(
            NodeId id,
            String type,
            Map<String, String> labels,
            String runtime,
            Map<BinaryName, Program> programs,
            String platform,
            Set<String> features,
            @Nullable Instant lastSeen,
            String gateway) {
        public DirectoryNode {
            features = Set.copyOf(features);
        }
    }

    /**
     * A program as last reported.
     *
     * @param digest empty when nothing is installed
     * @param config configuration digest; empty when nothing is installed
     * @param files managed configuration files
     */
    record Program(
            String version,
            String digest,
            String config,
            String url,
            Map<NodePath, Digest> files) {}
}
