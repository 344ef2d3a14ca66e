package drover.trust.release;

import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.NodeType;
import drover.model.program.BinaryName;
import java.util.List;

/**
 * What a command asks a node to install. Chain, type and platform are what the node itself knows of
 * itself, never what the command says (E7).
 *
 * @param version as the command writes it
 * @param length as the command states it; 0 when it does not
 * @param configPaths files that the command writes
 */
public record InstallRequest(
        ChainProfileId chain,
        NodeType nodeType,
        String platform,
        BinaryName program,
        String version,
        Digest digest,
        long length,
        List<NodePath> configPaths) {
    public InstallRequest {
        configPaths = List.copyOf(configPaths);
    }
}
