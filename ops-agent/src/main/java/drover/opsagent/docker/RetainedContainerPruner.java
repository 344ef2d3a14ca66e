package drover.opsagent.docker;

import drover.opsagent.disk.Disk;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * Containers that were replaced: each is kept for as long as a backup goes back to it, for what was
 * written inside it is nowhere else.
 */
final class RetainedContainerPruner {
    private final ContainerEngine engine;
    private final ContainerLifecycle containers;
    private final StateDirectory state;

    RetainedContainerPruner(
            ContainerEngine engine, ContainerLifecycle containers, StateDirectory state) {
        this.engine = engine;
        this.containers = containers;
        this.state = state;
    }

    /** Removes those that no backup needs, after the end of each attempt. */
    void removeUnneeded() {
        Set<String> needed = neededContainerIds();
        for (ProgramProfile program : state.loadProfile().programs()) {
            String name = program.spec().launch().service();
            if (engine.findContainer(name).isEmpty()) {
                continue; // somebody has to look at this first
            }
            for (Container kept : containers.findRetainedAndStaged(name)) {
                boolean replaced = kept.name().equals(ContainerLifecycle.retainedName(name, kept));
                boolean left = kept.name().equals(ContainerLifecycle.stagedName(name));
                if (!kept.isRunningOrRestarting()
                        && (left || (replaced && !needed.contains(kept.id())))) {
                    engine.remove(kept.id());
                }
            }
        }
    }

    private Set<String> neededContainerIds() {
        Set<String> ids = new HashSet<>();
        Disk disk = state.files().disk();
        for (Path rollout : disk.list(state.backups())) {
            for (Path attempt : disk.list(rollout)) {
                Path file = ContainerBackups.containerFile(attempt);
                if (disk.kind(file) == Disk.EntryKind.FILE) {
                    ids.add(state.load(file, SavedContainer.class).container().id());
                }
            }
        }
        return ids;
    }
}
