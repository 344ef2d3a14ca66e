package drover.opsagent.adopt;

import drover.model.NodePath;
import drover.model.program.PinnedImageRule;
import drover.opsagent.adopt.AdoptionReport.FoundFile;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.runtime.DiscoveredProgram;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.store.StateDirectory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Takes in a program that runs on a node already. Nothing is touched but the agent's own directory;
 * the profile is written first, and an agent that finds it alone takes the program over by itself.
 */
public final class ProgramAdopter {
    private final StateDirectory state;
    private final NodeRuntime runtime;

    /** Takes programs of this runtime into this directory. */
    public ProgramAdopter(StateDirectory state, NodeRuntime runtime) {
        this.state = state;
        this.runtime = runtime;
    }

    /**
     * Looks at the program and says what would become of it; changes nothing.
     *
     * @throws drover.opsagent.runtime.ActionFailed when an agent cannot care for it
     */
    public AdoptionReport inspect(AdoptionRequest request) {
        List<NodePath> managed = request.program().managedFiles();
        DiscoveredProgram found = runtime.discover(request.program().spec(), managed);
        // An image says itself where it can be got again.
        boolean image = request.url().isEmpty() && PinnedImageRule.isPinned(found.executable());
        AdoptionRequest requested =
                image
                        ? new AdoptionRequest(
                                request.program(),
                                request.version(),
                                found.executable(),
                                request.knownVersions())
                        : request;
        Map<NodePath, Path> places = new TreeMap<>(found.paths());
        return new AdoptionReport(
                request.program(),
                found,
                places.entrySet().stream()
                        .map(place -> toFoundFile(place.getKey(), place.getValue()))
                        .toList(),
                AdoptionRules.decide(state.loadProfile(), requested, found.digest()));
    }

    private FoundFile toFoundFile(NodePath path, Path place) {
        Disk disk = state.files().disk();
        if (disk.kind(place) != Disk.EntryKind.FILE) {
            return new FoundFile(path, place, "", "");
        }
        FileAttributes mode = disk.attributes(place);
        return new FoundFile(
                path,
                place,
                disk.digest(place).value(),
                mode.owner() + ":" + mode.group() + " " + mode.permissions());
    }

    /** Records what a survey decided; what was recorded before stays as it is. */
    public void recordAndAdopt(AdoptionReport survey) {
        switch (survey.adoption()) {
            case AdoptionDecision.Adopted taken -> {
                state.files().createDirectories(state.path());
                state.saveRecord(taken.profile());
                runtime.adopt(survey.program().spec().name());
            }
            case AdoptionDecision.AlreadyAdopted _ -> runtime.adopt(survey.program().spec().name());
            case AdoptionDecision.Refused _ ->
                    throw new IllegalStateException("Refused: not recorded");
        }
    }
}
