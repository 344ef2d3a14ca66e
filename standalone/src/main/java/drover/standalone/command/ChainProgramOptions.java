package drover.standalone.command;

import drover.localenv.UserFacingError;
import drover.model.MalformedValue;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.program.BinaryName;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.ProgramProfile;
import drover.standalone.fleet.AdoptedProgramRenderer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** Names a program of a chain profile, and the node that it is meant for. */
final class ChainProgramOptions {
    @Option(
            names = "--profile",
            paramLabel = "FILE",
            required = true,
            description = "The chain profile: DIR/chains/CHAIN.yaml of a configuration directory.")
    private Path profile = Path.of("");

    @Option(
            names = "--program",
            paramLabel = "NAME",
            required = true,
            description = "The program's name in the chain profile.")
    private String program = "";

    @Option(
            names = "--node",
            paramLabel = "NAME",
            required = true,
            description = "The node's name, as DIR/nodes.yaml has it.")
    private String node = "";

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "Type of a node that is not listed (default: node).")
    private String type = "node";

    @Option(
            names = "--label",
            paramLabel = "NAME=VALUE",
            description = "A label of the node that is not listed; var.NAME is for templates.")
    private Map<String, String> labels = new TreeMap<>();

    /**
     * What was named.
     *
     * @param known what the chain's manifests call the digests that they install
     */
    record SelectedProgram(ProgramProfile program, List<KnownVersion> known) {
        SelectedProgram {
            known = List.copyOf(known);
        }
    }

    /**
     * The program as it is rendered for the node.
     *
     * @throws UserFacingError when it cannot be
     */
    SelectedProgram readProgram() {
        try (AdoptedProgramRenderer chain = AdoptedProgramRenderer.open(profile)) {
            BinaryName name = new BinaryName(program);
            return new SelectedProgram(
                    chain.renderProgram(name, new NodeId(node), new NodeType(type), labels),
                    chain.listKnownVersions(name));
        } catch (MalformedValue e) {
            throw new UserFacingError(String.valueOf(e.getMessage()), e);
        }
    }
}
