package drover.opsagent.store;

import drover.model.NodePath;
import drover.model.program.ProgramSpec;
import java.util.List;

/** A program of this node, and the configuration files managed for it. */
public record ProgramProfile(ProgramSpec spec, List<NodePath> managedFiles) {
    public ProgramProfile {
        managedFiles = List.copyOf(managedFiles);
    }

    /** Its name. */
    public String name() {
        return spec.name().value();
    }
}
