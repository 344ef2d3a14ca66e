package drover.opsagent.runtime;

import drover.model.NodePath;
import drover.model.program.ProgramSpec;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.Work;
import drover.opsagent.store.ProgramProfile;
import java.util.List;

/**
 * An upgrade that is only looked at.
 *
 * @param previous the program as the node has it
 * @param files the configuration files that are managed once it is done
 * @param toWrite those that the upgrade writes
 * @param installed whether its artifact is installed already, so that none has to be got
 * @param authorized whether the node's owner would have it: of what is not believed, nothing is got
 * @param spaceVerified whether all new files fit; if not, no trial reserves space
 */
public record UpgradePreflightInput(
        Work.Upgrade upgrade,
        ProgramProfile previous,
        List<NodePath> files,
        List<NodePath> toWrite,
        boolean installed,
        boolean authorized,
        boolean spaceVerified) {
    public UpgradePreflightInput {
        files = List.copyOf(files);
        toWrite = List.copyOf(toWrite);
    }

    /** How the program would be laid out and launched. */
    public ProgramSpec spec() {
        return upgrade.spec();
    }

    /** Whether its artifact may be asked for, and would have to be. */
    public boolean shouldDownload() {
        return authorized && !installed;
    }

    /** What would be installed. */
    public Artifact artifact() {
        return upgrade.artifact();
    }
}
