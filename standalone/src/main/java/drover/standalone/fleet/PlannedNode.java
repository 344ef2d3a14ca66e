package drover.standalone.fleet;

import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.util.List;
import java.util.Map;

/**
 * A node that the mesh shall have, with what is installed on it at first.
 *
 * @param labels shown to operators; those that begin with {@code var.} are variables of templates
 * @param externalAgent whether the operator runs its agent, as a process of its own
 */
public record PlannedNode(
        NodeId name,
        ChainProfileId chain,
        NodeType type,
        Map<String, String> labels,
        List<InitialProgram> programs,
        boolean externalAgent) {

    public PlannedNode {
        labels = Map.copyOf(labels);
        programs = List.copyOf(programs);
    }

    /**
     * What a program is at first.
     *
     * @param url where its file is: {@code file}, {@code http} or {@code https}
     */
    public record InitialProgram(BinaryName name, Version version, String url, Digest checksum) {}

    /** The same node with other labels. */
    PlannedNode withLabels(Map<String, String> other) {
        return new PlannedNode(name, chain, type, other, programs, externalAgent);
    }
}
