package drover.standalone.fleet;

import drover.localenv.NodeDirectory;
import drover.model.NodePath;
import drover.model.program.ProgramSpec;
import drover.standalone.fleet.PlannedNode.InitialProgram;
import java.util.List;
import java.util.Map;

/** Everything that a new node is given. */
public record NodeInstallation(PlannedNode node, NodeDirectory directory, List<Program> programs) {
    public NodeInstallation {
        programs = List.copyOf(programs);
    }

    /**
     * One of its programs.
     *
     * @param spec how it is launched and watched, rendered for this node
     * @param files its configuration, rendered for this node: text in UTF-8
     */
    public record Program(InitialProgram initial, ProgramSpec spec, Map<NodePath, String> files) {
        public Program {
            files = Map.copyOf(files);
        }
    }
}
