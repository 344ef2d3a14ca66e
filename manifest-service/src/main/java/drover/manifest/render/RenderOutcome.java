package drover.manifest.render;

import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.RefusalCode;
import drover.model.program.ProgramSpec;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** The outcome of rendering one program for many nodes. */
public sealed interface RenderOutcome {
    /**
     * It is rendered.
     *
     * @param nodes in the order asked
     * @param contents every content once, by its digest
     */
    record Rendered(List<RenderedNode> nodes, Map<Digest, byte[]> contents)
            implements RenderOutcome {
        public Rendered {
            nodes = List.copyOf(nodes);
            contents = Map.copyOf(contents);
        }
    }

    /** It cannot be rendered for some node; nothing is handed out then. */
    record Refusal(RefusalCode code, String sentence) implements RenderOutcome {}

    /**
     * What one node gets.
     *
     * @param files digest and size by path, in the order of paths
     */
    record RenderedNode(
            NodeId id, ProgramSpec program, SortedMap<NodePath, FileDigestAndSize> files) {
        /** A rendered file. */
        public record FileDigestAndSize(Digest digest, int size) {}
    }
}
