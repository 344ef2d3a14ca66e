package drover.gateway.api;

import drover.kit.grpc.Refused;
import drover.model.MalformedValue;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.util.List;

/** Reads node ids at the door. */
final class NodeIdParser {
    private NodeIdParser() {}

    static NodeId parse(String text) {
        try {
            return new NodeId(text);
        } catch (MalformedValue e) {
            throw new Refused(RefusalCode.INVALID_FIELD, e.getMessage() + ".", "node_id");
        }
    }

    static List<NodeId> parse(List<String> texts) {
        return texts.stream().map(NodeIdParser::parse).toList();
    }
}
