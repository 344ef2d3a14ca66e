package drover.gateway.session;

import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import java.util.Map;

/**
 * Who a node is, fixed by its credential; nothing that an agent says overrides it (invariant H1).
 *
 * @param labels the credential's labels
 */
public record NodeIdentity(
        NodeId id, ChainProfileId chain, NodeType type, Map<String, String> labels) {
    public NodeIdentity {
        labels = Map.copyOf(labels);
    }
}
