package drover.manifest.check;

import drover.model.NodeId;
import drover.model.NodeType;
import java.util.Map;
import java.util.Set;

/**
 * A node to render for.
 *
 * @param labels those that begin with {@code var.} are variables
 */
public record RenderNode(NodeId id, NodeType type, Map<String, String> labels) {
    /** What the labels of variables begin with. */
    public static final String VARIABLE_LABEL = "var.";

    /** Variables that Drover gives their values itself; nothing overrides them. */
    public static final Set<String> BUILT_IN =
            Set.of("node_id", "node_type", "chain_profile_id", "binary_name", "target_version");

    public RenderNode {
        labels = Map.copyOf(labels);
    }
}
