package drover.coordinator.store.memory;

import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.store.commit.SupersededNodesSql;
import drover.coordinator.store.memory.InMemoryTables.AttemptRow;
import drover.coordinator.store.memory.InMemoryTables.RolloutRow;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What {@link SupersededNodesSql} finds, in memory. */
final class InMemorySupersededNodeFinder {
    private final InMemoryTables tables;
    private final RolloutId id;

    InMemorySupersededNodeFinder(InMemoryTables tables, RolloutId id) {
        this.tables = tables;
        this.id = id;
    }

    Set<NodeId> findSupersededNodes() {
        RolloutRow row = tables.rollouts.get(id);
        return row == null
                ? Set.of()
                : row.rollout.nodes().values().stream()
                        .filter(node -> node.installedBy() != 0 && isSuperseded(node))
                        .map(NodeUpgrade::id)
                        .collect(Collectors.toSet());
    }

    private boolean isSuperseded(NodeUpgrade node) {
        long installedBy = node.installedBy();
        if (installedBy <= tables.retiredAttempts.getOrDefault(node.id(), 0L)) {
            return false;
        }
        SortedMap<Long, AttemptRow> later =
                tables.attempts
                        .getOrDefault(node.id(), new TreeMap<>())
                        .tailMap(installedBy, false);
        return later.entrySet().stream()
                .filter(entry -> !id.equals(entry.getValue().rollout))
                .filter(entry -> isOfTheProgram(entry.getValue()))
                .anyMatch(
                        entry ->
                                isRestoreOfEarlier(entry.getValue(), installedBy)
                                        || isInstalledAndNotUndone(entry, installedBy, later));
    }

    private boolean isOfTheProgram(AttemptRow row) {
        RolloutId rollout = row.rollout; // a clear changes no program
        return rollout != null && tables.programOf(rollout).equals(tables.programOf(id));
    }

    private static boolean isRestoreOfEarlier(AttemptRow row, long installedBy) {
        return isRestored(row) && row.restoreOf < installedBy;
    }

    private boolean isInstalledAndNotUndone(
            Map.Entry<Long, AttemptRow> change,
            long installedBy,
            SortedMap<Long, AttemptRow> later) {
        boolean installed =
                change.getValue().restoreOf == 0
                        && change.getValue().outcome.equals(AttemptOutcome.SUCCEEDED.name());
        return installed
                && later.tailMap(change.getKey() + 1).values().stream()
                        .noneMatch(
                                undo ->
                                        isRestored(undo)
                                                && isOfTheProgram(undo)
                                                && undo.restoreOf > installedBy
                                                && undo.restoreOf <= change.getKey());
    }

    private static boolean isRestored(AttemptRow row) {
        return row.restoreOf != 0 && row.outcome.equals(AttemptOutcome.RESTORED.name());
    }
}
