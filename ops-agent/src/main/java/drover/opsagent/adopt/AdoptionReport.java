package drover.opsagent.adopt;

import drover.model.NodePath;
import drover.opsagent.runtime.DiscoveredProgram;
import drover.opsagent.store.ProgramProfile;
import java.nio.file.Path;
import java.util.List;

/** What was found of a program on a node, and what is to become of it. */
public record AdoptionReport(
        ProgramProfile program,
        DiscoveredProgram discovered,
        List<FoundFile> files,
        AdoptionDecision adoption) {
    public AdoptionReport {
        files = List.copyOf(files);
    }

    /** What people are shown of it, line by line. */
    public List<String> lines() {
        return AdoptionReportFormatter.lines(this);
    }

    /**
     * A file of the program.
     *
     * @param place where it is on this machine
     * @param digest empty when it is not there
     * @param mode owner, group and permissions; empty when it is not there
     */
    public record FoundFile(NodePath path, Path place, String digest, String mode) {}
}
