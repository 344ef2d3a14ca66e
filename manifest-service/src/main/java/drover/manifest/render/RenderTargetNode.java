package drover.manifest.render;

import drover.model.NodeId;
import drover.model.NodeType;
import java.util.Map;

/**
 * A node to render for.
 *
 * @param labels those that begin with {@code var.} are variables
 */
public record RenderTargetNode(NodeId id, NodeType type, Map<String, String> labels) {
    /** What the labels of variables begin with. */
    public static final String VARIABLE_LABEL = "var.";

    public RenderTargetNode {
        labels = Map.copyOf(labels);
    }
}
