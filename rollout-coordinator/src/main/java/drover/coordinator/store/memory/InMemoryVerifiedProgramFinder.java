package drover.coordinator.store.memory;

import drover.coordinator.plan.create.InventoryBehindAttemptsCheck.VerifiedProgram;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.store.memory.InMemoryTables.AttemptRow;
import drover.coordinator.store.memory.InMemoryTables.RolloutRow;
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

/** What {@link drover.coordinator.store.create.LastVerifiedProgramSql} finds, in memory. */
final class InMemoryVerifiedProgramFinder {
    private static final Set<String> NEVER_STARTED =
            Set.of(AttemptOutcome.REFUSED.name(), AttemptOutcome.WITHDRAWN.name());

    private static final Set<String> BACK =
            Set.of(AttemptOutcome.FAILED.name(), AttemptOutcome.RESTORED.name());

    private final InMemoryTables tables;
    private final BinaryName program;

    InMemoryVerifiedProgramFinder(InMemoryTables tables, BinaryName program) {
        this.tables = tables;
        this.program = program;
    }

    Map<NodeId, VerifiedProgram> findVerifiedByLastAttempt(Collection<NodeId> nodes) {
        Map<NodeId, VerifiedProgram> verified = new HashMap<>();
        nodes.forEach(
                node ->
                        findVerifiedByLastAttempt(node)
                                .ifPresent(found -> verified.put(node, found)));
        return verified;
    }

    private Optional<VerifiedProgram> findVerifiedByLastAttempt(NodeId node) {
        return tables
                .attempts
                .getOrDefault(node, new TreeMap<>())
                .descendingMap()
                .entrySet()
                .stream()
                .filter(entry -> isOfTheProgram(entry.getValue()))
                .filter(entry -> !NEVER_STARTED.contains(entry.getValue().outcome))
                .findFirst()
                .flatMap(entry -> toVerifiedProgram(node, entry.getKey(), entry.getValue()));
    }

    private boolean isOfTheProgram(AttemptRow row) {
        RolloutId rollout = row.rollout; // a clear changes no program
        return rollout != null && tables.programOf(rollout).equals(program);
    }

    private Optional<VerifiedProgram> toVerifiedProgram(NodeId node, long attempt, AttemptRow row) {
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
                new VerifiedProgram(
                        upgraded ? upgrade.running() : target.sourceDigest().value(),
                        (upgraded ? target.targetConfig() : target.sourceConfig()).value(),
                        row.lastEndedAt));
    }
}
