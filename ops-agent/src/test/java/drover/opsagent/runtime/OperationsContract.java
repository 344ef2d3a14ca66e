package drover.opsagent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ActionName;
import drover.model.ConfigDigest;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.ProgramSpec;
import drover.opsagent.script.Artifact;
import drover.opsagent.script.Before;
import drover.opsagent.script.UndoStep;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What every runtime owes, generated from the list of actions: an action done twice is done once, a
 * step back taken twice is taken once, and what was done and undone leaves the node as it was
 * (D19).
 */
public abstract class OperationsContract {
    /** The others are of agents, which no runtime runs. */
    private static final Set<UndoStep> OF_PROGRAMS =
            EnumSet.complementOf(EnumSet.of(UndoStep.CURRENT, UndoStep.SUCCESSOR));

    /**
     * A node on which the program of before runs.
     *
     * @param config a file that is managed for it
     */
    public record Node(
            NodeRuntime runtime,
            StateDirectory state,
            Ticker ticker,
            ProgramSpec before,
            ProgramSpec after,
            Artifact artifact,
            NodePath config,
            String newConfig) {}

    private Node node;
    private Path backup;
    private Path staged;
    private Before.Taken taken;

    /** Makes the node. */
    protected abstract Node node();

    /**
     * What can be seen of the node from outside: every file of it but the agent's own, with its
     * mode, and whatever runs, with its configuration. Names of single runs are left out.
     */
    protected abstract SortedMap<String, String> observable();

    @BeforeEach
    void lookAtTheNode() {
        node = node();
        backup = node.state().backups().resolve("r").resolve("1");
        staged = node.state().staging().resolve("artifact");
        ProgramSpec spec = node.before();
        List<Before.FileState> files = new ArrayList<>();
        List<NodePath> paths = new ArrayList<>(node.runtime().programFiles(spec));
        paths.add(node.config());
        paths.forEach(path -> files.add(new Before.FileState(path, node.runtime().digestOf(path))));
        taken =
                new Before.Taken(
                        node.runtime().installed(spec), configDigest(spec), files, true, true);
        node.runtime().preflight(node.after(), List.of(node.config()));
    }

    @ParameterizedTest
    @EnumSource(ActionName.class)
    @DisplayName("D19: an action done twice leaves the node as done once")
    void doneTwiceIsDoneOnce(ActionName last) {
        doThrough(last);
        SortedMap<String, String> once = observable();
        perform(last);
        assertThat(observable()).isEqualTo(once);
    }

    @ParameterizedTest
    @EnumSource(ActionName.class)
    @DisplayName("D6 D19: done and undone, the node is as it was; undone twice, too")
    void undoneIsAsBefore(ActionName last) {
        SortedMap<String, String> before = observable();
        perform(ActionName.BACKUP_STATE);
        doThrough(last);
        for (UndoStep step : OF_PROGRAMS) {
            undo(step);
            SortedMap<String, String> once = observable();
            undo(step);
            assertThat(observable()).as("%s twice", step).isEqualTo(once);
        }
        node.runtime().sweep(List.of(node.config()));
        assertThat(observable()).isEqualTo(before);
        assertThat(node.runtime().installed(node.before())).isEqualTo(taken.digest());
    }

    private void doThrough(ActionName last) {
        for (ActionName action : ActionName.values()) {
            if (action.compareTo(last) <= 0) {
                perform(action);
            }
        }
    }

    /** As the engine does it, without its looks whether it is done already. */
    private void perform(ActionName action) {
        NodeRuntime runtime = node.runtime();
        var deadline = node.ticker().in(Duration.ofSeconds(60));
        switch (action) {
            case BACKUP_STATE -> runtime.backup(backup, profile(node.before()), taken, deadline);
            case ACQUIRE_ARTIFACT -> runtime.acquire(node.artifact(), staged, deadline, _ -> {});
            case VERIFY_ARTIFACT -> runtime.verify(node.artifact(), staged);
            case STOP_NODE -> runtime.stop(node.after().name(), deadline);
            case INSTALL_ARTIFACT -> runtime.install(node.after(), node.artifact(), staged);
            case WRITE_CONFIGS -> {
                runtime.writeConfig(
                        node.config(), node.newConfig().getBytes(StandardCharsets.UTF_8));
                node.state().keep(node.state().profile().with(profile(node.after())));
            }
            case RELOAD_DAEMON -> runtime.reload();
            case START_NODE -> {
                runtime.stop(node.after().name(), deadline);
                runtime.start(
                        node.after(),
                        node.artifact().digest(),
                        configDigest(node.after()),
                        deadline);
            }
        }
    }

    private void undo(UndoStep step) {
        NodeRuntime runtime = node.runtime();
        var deadline = node.ticker().in(Duration.ofSeconds(60));
        switch (step) {
            case STOP -> runtime.stop(node.before().name(), deadline);
            case FILES ->
                    node.state().keep(node.state().profile().with(runtime.restore(backup, taken)));
            case RELOAD -> runtime.reload();
            case START -> {
                runtime.stop(node.before().name(), deadline);
                runtime.start(
                        node.before(), new Digest(taken.digest()), taken.configDigest(), deadline);
            }
            case CURRENT, SUCCESSOR ->
                    throw new IllegalStateException("No runtime runs an agent: " + step);
        }
    }

    private ProgramProfile profile(ProgramSpec spec) {
        return new ProgramProfile(spec, List.of(node.config()));
    }

    private Digest configDigest(ProgramSpec spec) {
        Digest config = new Digest(node.runtime().digestOf(node.config()));
        return ConfigDigest.of(Map.of(node.config(), config), spec.launch().digest());
    }
}
