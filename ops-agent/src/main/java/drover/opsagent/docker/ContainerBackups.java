package drover.opsagent.docker;

import drover.model.program.BinaryName;
import drover.opsagent.disk.Disk;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.Before;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import java.nio.file.Path;

/** The container's part of a backup: how the engine described it before anything was changed. */
final class ContainerBackups {
    private static final String FILE = "container.json";

    private final StateDirectory state;
    private final Programs programs;
    private final Containers containers;
    private final SavedContainers saved;
    private final EngineWork work;

    ContainerBackups(
            StateDirectory state,
            Programs programs,
            Containers containers,
            SavedContainers saved,
            EngineWork work) {
        this.state = state;
        this.programs = programs;
        this.containers = containers;
        this.saved = saved;
        this.work = work;
    }

    /** Where it is in a backup. */
    static Path file(Path backup) {
        return backup.resolve(FILE);
    }

    /** Saves how the engine describes the program's container. */
    void take(Path backup, BinaryName program, Deadline deadline) {
        state.save(file(backup), work.answer(deadline, () -> described(program)));
    }

    private SavedContainer described(BinaryName program) {
        programs.giveBackWhatIsOwed(program);
        Container now = programs.require(program);
        return SavedContainer.of(now, programs.digest(program, now));
    }

    /** Fails with BACKUP_MISMATCH unless the container of the backup can be brought back. */
    void verify(Path backup, String name, Before.Taken before) {
        SavedContainer then = then(backup);
        work.within(work.soon(), () -> saved.requireReturnable(name, then, before.digest()));
    }

    /** Gives the container of the backup its place back. */
    void bringBack(Path backup, BinaryName program, String name, Before.Taken before) {
        SavedContainer then = then(backup);
        work.changing(
                programs.managed(program),
                work.soon(),
                managed -> {
                    saved.bringBack(managed, name, then);
                    if (!before.wanted()) {
                        // No start follows that would give it back.
                        containers.giveBack(managed, managed.known().container());
                    }
                });
    }

    private SavedContainer then(Path backup) {
        if (state.files().disk().kind(file(backup)) != Disk.Kind.FILE) {
            throw new ActionFailed(
                    ReasonCode.BACKUP_MISMATCH,
                    "The backup has no container: nothing was written; repair the node by hand,"
                            + " then clear it.");
        }
        return state.load(file(backup), SavedContainer.class);
    }
}
