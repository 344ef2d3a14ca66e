package drover.opsagent.adopt;

import drover.model.NodePath;
import drover.model.program.PinnedImage;
import drover.opsagent.adopt.Survey.FoundFile;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileMode;
import drover.opsagent.runtime.Discovered;
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
    public Survey survey(AdoptionRequest request) {
        List<NodePath> managed = request.program().managedFiles();
        Discovered found = runtime.discover(request.program().spec(), managed);
        // An image says itself where it can be got again.
        boolean image = request.url().isEmpty() && PinnedImage.isPinned(found.executed());
        AdoptionRequest asked =
                image
                        ? new AdoptionRequest(
                                request.program(),
                                request.version(),
                                found.executed(),
                                request.known())
                        : request;
        Map<NodePath, Path> places = new TreeMap<>(found.places());
        return new Survey(
                request.program(),
                found,
                places.entrySet().stream()
                        .map(place -> file(place.getKey(), place.getValue()))
                        .toList(),
                AdoptionRules.decide(state.profile(), asked, found.digest()));
    }

    private FoundFile file(NodePath path, Path place) {
        Disk disk = state.files().disk();
        if (disk.kind(place) != Disk.Kind.FILE) {
            return new FoundFile(path, place, "", "");
        }
        FileMode mode = disk.mode(place);
        return new FoundFile(
                path,
                place,
                disk.digest(place).value(),
                mode.owner() + ":" + mode.group() + " " + mode.permissions());
    }

    /** Records what a survey decided; what was recorded before stays as it is. */
    public void record(Survey survey) {
        switch (survey.adoption()) {
            case Adoption.Taken taken -> {
                state.files().createDirectories(state.path());
                state.keep(taken.profile());
                runtime.adopt(survey.program().spec().name());
            }
            case Adoption.AlreadyTaken _ -> runtime.adopt(survey.program().spec().name());
            case Adoption.Refused _ -> throw new IllegalStateException("Refused: not recorded");
        }
    }
}
