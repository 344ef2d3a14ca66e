package drover.opsagent.docker;

import drover.model.program.BinaryName;
import drover.opsagent.disk.Disk;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import java.nio.file.Path;

/** The container's part of a backup: how the engine described it before anything was changed. */
final class ContainerBackups {
    private static final String FILE = "container.json";

    private final StateDirectory state;
    private final ProgramContainerSupervisor programs;
    private final ContainerLifecycle containers;
    private final ContainerRestorer saved;
    private final EngineOperationRunner work;

    ContainerBackups(
            StateDirectory state,
            ProgramContainerSupervisor programs,
            ContainerLifecycle containers,
            ContainerRestorer saved,
            EngineOperationRunner work) {
        this.state = state;
        this.programs = programs;
        this.containers = containers;
        this.saved = saved;
        this.work = work;
    }

    /** Where it is in a backup. */
    static Path containerFile(Path backup) {
        return backup.resolve(FILE);
    }

    /** Saves how the engine describes the program's container. */
    void saveDescription(Path backup, BinaryName program, Deadline deadline) {
        state.save(
                containerFile(backup),
                work.callAction(deadline, () -> restorePolicyAndInspect(program)));
    }

    private SavedContainer restorePolicyAndInspect(BinaryName program) {
        programs.restorePolicyIfPending(program);
        Container now = programs.requireContainer(program);
        return SavedContainer.of(now, programs.runningDigest(program, now));
    }

    /** Fails with BACKUP_MISMATCH unless the container of the backup can be brought back. */
    void requireRestorable(Path backup, String name, PreUpgradeState.Recorded before) {
        SavedContainer then = loadSaved(backup);
        work.runAction(
                work.restartDeadline(), () -> saved.requireRestorable(name, then, before.digest()));
    }

    /** Gives the container of the backup its place back. */
    void restore(Path backup, BinaryName program, String name, PreUpgradeState.Recorded before) {
        SavedContainer then = loadSaved(backup);
        work.changeLocked(
                programs.getOrCreateManagedContainer(program),
                work.restartDeadline(),
                managed -> {
                    saved.restore(managed, name, then);
                    if (!before.wanted()) {
                        // No start follows that would give it back.
                        containers.restoreRestartPolicy(
                                managed, managed.requireRecord().container());
                    }
                });
    }

    private SavedContainer loadSaved(Path backup) {
        if (state.files().disk().kind(containerFile(backup)) != Disk.EntryKind.FILE) {
            throw new ActionFailed(
                    ReasonCode.BACKUP_MISMATCH,
                    "The backup has no container: nothing was written; repair the node by hand,"
                            + " then clear it.");
        }
        return state.load(containerFile(backup), SavedContainer.class);
    }
}
