package drover.coordinator.store;

import drover.coordinator.plan.NodeState;
import drover.coordinator.plan.NodeTarget;
import drover.coordinator.plan.NodeUpgrade;
import drover.coordinator.plan.StaleDirectory.Proven;
import drover.coordinator.store.InMemoryTables.AttemptRow;
import drover.coordinator.store.InMemoryTables.RolloutRow;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What {@link ProvenSql} finds, in memory. */
final class InMemoryProven {
    private static final Set<String> NEVER_BEGUN =
            Set.of(AttemptOutcome.REFUSED.name(), AttemptOutcome.WITHDRAWN.name());

    private static final Set<String> BACK =
            Set.of(AttemptOutcome.FAILED.name(), AttemptOutcome.RESTORED.name());

    private final InMemoryTables tables;
    private final BinaryName program;

    InMemoryProven(InMemoryTables tables, BinaryName program) {
        this.tables = tables;
        this.program = program;
    }

    Map<NodeId, Proven> of(Collection<NodeId> nodes) {
        Map<NodeId, Proven> proven = new HashMap<>();
        nodes.forEach(node -> of(node).ifPresent(found -> proven.put(node, found)));
        return proven;
    }

    private Optional<Proven> of(NodeId node) {
        return tables
                .attempts
                .getOrDefault(node, new TreeMap<>())
                .descendingMap()
                .entrySet()
                .stream()
                .filter(entry -> isOfTheProgram(entry.getValue()))
                .filter(entry -> !NEVER_BEGUN.contains(entry.getValue().outcome))
                .findFirst()
                .flatMap(entry -> proven(node, entry.getKey(), entry.getValue()));
    }

    private boolean isOfTheProgram(AttemptRow row) {
        RolloutId rollout = row.rollout; // a clear changes no program
        return rollout != null && tables.program(rollout).equals(program);
    }

    private Optional<Proven> proven(NodeId node, long attempt, AttemptRow row) {
        boolean upgraded = row.outcome.equals(AttemptOutcome.SUCCEEDED.name());
        RolloutRow rollout = Objects.requireNonNull(tables.rollouts.get(row.rollout));
        NodeUpgrade upgrade = Objects.requireNonNull(rollout.rollout.nodes().get(node));
        if (!(upgraded ? !upgrade.running().isEmpty() : BACK.contains(row.outcome))
                || row.lastEndedAt == null
                || upgrade.attempt() != attempt
                || upgrade.state() instanceof NodeState.FailedRollback) {
            return Optional.empty();
        }
        NodeTarget target = upgrade.target();
        return Optional.of(
                new Proven(
                        upgraded ? upgrade.running() : target.sourceDigest().value(),
                        (upgraded ? target.targetConfig() : target.sourceConfig()).value(),
                        row.lastEndedAt));
    }
}
