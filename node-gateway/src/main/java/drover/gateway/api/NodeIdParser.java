package drover.gateway.api;

import drover.kit.grpc.Refused;
import drover.model.MalformedName;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.util.List;

/** Reads node ids at the door. */
final class NodeIdParser {
    private NodeIdParser() {}

    static NodeId of(String text) {
        try {
            return new NodeId(text);
        } catch (MalformedName e) {
            throw new Refused(RefusalCode.INVALID_FIELD, e.getMessage() + ".", "node_id");
        }
    }

    static List<NodeId> of(List<String> texts) {
        return texts.stream().map(NodeIdParser::of).toList();
    }
}
