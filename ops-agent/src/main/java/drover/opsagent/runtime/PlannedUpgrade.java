package drover.opsagent.runtime;

import drover.model.NodePath;
import drover.model.ProgramSpec;
import drover.opsagent.script.Artifact;
import drover.opsagent.script.Work;
import drover.opsagent.store.ProgramProfile;
import java.util.List;

/**
 * An upgrade that is only looked at.
 *
 * @param previous the program as the node has it
 * @param files the configuration files that are managed once it is done
 * @param installed whether its artifact is installed already, so that none has to be got
 */
public record PlannedUpgrade(
        Work.Upgrade work, ProgramProfile previous, List<NodePath> files, boolean installed) {
    public PlannedUpgrade {
        files = List.copyOf(files);
    }

    /** How the program would be laid out and launched. */
    public ProgramSpec spec() {
        return work.spec();
    }

    /** What would be installed. */
    public Artifact artifact() {
        return work.artifact();
    }
}
