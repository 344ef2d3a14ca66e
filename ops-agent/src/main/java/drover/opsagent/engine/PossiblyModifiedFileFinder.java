package drover.opsagent.engine;

import drover.model.NodePath;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.PreUpgradeState;
import java.util.List;

/** The files that an attempt may have written. */
final class PossiblyModifiedFileFinder {
    private PossiblyModifiedFileFinder() {}

    static List<NodePath> possiblyModifiedBy(Journal journal) {
        return switch (journal.before()) {
            case PreUpgradeState.NotNeeded() -> List.of();
            case PreUpgradeState.Recorded taken ->
                    taken.files().stream().map(PreUpgradeState.FileState::path).toList();
        };
    }
}
