package drover.opsagent.engine;

import drover.model.NodePath;
import drover.opsagent.script.Before;
import drover.opsagent.script.Journal;
import java.util.List;

/** The files that an attempt may have written. */
final class Paths {
    private Paths() {}

    static List<NodePath> touched(Journal journal) {
        return switch (journal.before()) {
            case Before.NotTaken() -> List.of();
            case Before.Taken taken -> taken.files().stream().map(Before.FileState::path).toList();
        };
    }
}
