package drover.manifest.parse;

import drover.model.Digest;
import drover.model.NodeType;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.util.List;
import java.util.Map;

/**
 * How standalone makes nodes of a profile.
 *
 * @param namePrefix names are this, a hyphen and a number
 * @param labels of every node; {@code {n}} stands for the node's number, {@code {port}} for a free
 *     port
 */
public record StandaloneNodeTemplate(
        String namePrefix,
        NodeType nodeType,
        Map<String, String> labels,
        List<InitialProgram> programs) {
    public StandaloneNodeTemplate {
        labels = Map.copyOf(labels);
        programs = List.copyOf(programs);
    }

    /** What is installed at first. */
    public record InitialProgram(BinaryName name, Version version, String url, Digest checksum) {}
}
