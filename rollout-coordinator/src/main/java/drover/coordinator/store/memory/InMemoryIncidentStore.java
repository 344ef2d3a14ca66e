package drover.coordinator.store.memory;

import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules.LastProgramWork;
import drover.coordinator.plan.incident.IncidentRules.UnhealthyAfterEnd;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.store.incident.LeaderIncidentStore;
import drover.coordinator.store.incident.OperatorIncidentStore;
import drover.coordinator.store.incident.PostgresLeaderIncidentStore;
import drover.coordinator.store.incident.PostgresOperatorIncidentStore;
import drover.coordinator.store.memory.InMemoryIncidentRows.Row;
import drover.coordinator.store.memory.InMemoryTables.RolloutRow;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Incidents in memory, as {@link PostgresLeaderIncidentStore} and {@link
 * PostgresOperatorIncidentStore} keep them. Under the lock of the store that it belongs to.
 */
public final class InMemoryIncidentStore implements LeaderIncidentStore, OperatorIncidentStore {
    private final Object lock;
    private final InMemoryTables tables;
    private final LongPredicate leads;
    private final Supplier<Instant> clock;

    /**
     * @param lock the store's
     * @param leads whether an epoch is the latest
     */
    InMemoryIncidentStore(
            Object lock, InMemoryTables tables, LongPredicate leads, Supplier<Instant> clock) {
        this.lock = lock;
        this.tables = tables;
        this.leads = leads;
        this.clock = clock;
    }

    @Override
    public Map<OpenIncident, String> findOpenWhileReported() {
        synchronized (lock) {
            return tables.incidents.rows.stream()
                    .filter(row -> row.open && row.incident.category().isOpenWhileReported())
                    .map(row -> row.incident)
                    .collect(
                            Collectors.toMap(
                                    InMemoryIncidentStore::toOpenIncident,
                                    one -> one.because().sentence()));
        }
    }

    @Override
    public List<UnhealthyAfterEnd> findUnhealthyAfterEnd() {
        synchronized (lock) {
            List<UnhealthyAfterEnd> found = new ArrayList<>();
            for (Row row : tables.incidents.rows) {
                RolloutId id = row.incident.rollout();
                RolloutRow owner = id == null ? null : tables.rollouts.get(id);
                boolean unhealthy = row.incident.category() == IncidentCategory.NODE_UNHEALTHY;
                if (row.open && unhealthy && owner != null && owner.rollout.state().isFinal()) {
                    Rollout rollout = owner.rollout;
                    found.add(
                            new UnhealthyAfterEnd(
                                    row.incident.node(),
                                    rollout.id(),
                                    rollout.spec().programKind(),
                                    rollout.spec().binary(),
                                    rollout.state().since(),
                                    rollout.spec().healthWait()));
                }
            }
            return found;
        }
    }

    /** Those of every kind whose cause goes on, whoever tells of it. */
    public List<OpenIncident> allOpenIncidents() {
        synchronized (lock) {
            return tables.incidents.rows.stream()
                    .filter(row -> row.open)
                    .map(row -> toOpenIncident(row.incident))
                    .toList();
        }
    }

    private static OpenIncident toOpenIncident(Incident one) {
        return new OpenIncident(one.category(), one.node(), one.rollout());
    }

    @Override
    public Map<ProgramOfNode, LastProgramWork> findLastWork(Collection<NodeId> nodes) {
        synchronized (lock) {
            Map<ProgramOfNode, LastProgramWork> found = new HashMap<>();
            Map<ProgramOfNode, Long> attempts = new HashMap<>();
            for (RolloutRow row : tables.rollouts.values()) {
                for (NodeId node : nodes) {
                    NodeUpgrade upgrade = row.rollout.nodes().get(node);
                    String program = row.rollout.spec().binary().value();
                    ProgramOfNode key = new ProgramOfNode(node, program);
                    boolean later =
                            upgrade != null && upgrade.attempt() > attempts.getOrDefault(key, 0L);
                    if (upgrade != null && later) {
                        attempts.put(key, upgrade.attempt());
                        found.put(key, toLastWork(row.rollout, upgrade));
                    }
                }
            }
            return found;
        }
    }

    private static LastProgramWork toLastWork(Rollout rollout, NodeUpgrade node) {
        return new LastProgramWork(
                rollout.id(),
                node.state(),
                rollout.state().isFinal(),
                rollout.spec().migration(),
                rollout.spec().recoveryPlan());
    }

    @Override
    public boolean write(long epoch, List<IncidentChange> changes, Instant at) {
        synchronized (lock) {
            boolean mine = leads.test(epoch);
            if (mine) {
                tables.incidents.write(changes, at);
            }
            return mine;
        }
    }

    @Override
    public List<Incident> list(Query query) {
        synchronized (lock) {
            List<Incident> newest = new ArrayList<>();
            tables.incidents.rows.reversed().forEach(row -> newest.add(row.incident));
            newest.sort(Comparator.comparing(Incident::openedAt).reversed());
            UUID after = query.after();
            return newest.stream()
                    .dropWhile(one -> after != null && !one.id().equals(after))
                    .skip(after == null ? 0 : 1)
                    .filter(one -> isNullOrEqual(query.state(), one.state()))
                    .filter(one -> isNullOrEqual(query.category(), one.category()))
                    .filter(one -> query.node().isEmpty() || isOnNode(one, query.node()))
                    .filter(one -> isNullOrEqual(query.rollout(), one.rollout()))
                    .limit(query.limit())
                    .toList();
        }
    }

    private static boolean isNullOrEqual(@Nullable Object wanted, @Nullable Object has) {
        return wanted == null || wanted.equals(has);
    }

    private static boolean isOnNode(Incident incident, String node) {
        return incident.node().value().equals(node);
    }

    @Override
    public Optional<Incident> find(UUID id) {
        synchronized (lock) {
            return findRow(id).map(row -> row.incident);
        }
    }

    private Optional<Row> findRow(UUID id) {
        return tables.incidents.rows.stream()
                .filter(row -> row.incident.id().equals(id))
                .findFirst();
    }

    @Override
    public UpdateResult acknowledge(UUID id, String actor, String note) {
        return updateUnresolved(
                id, new Note(actor, clock.get(), note), InMemoryIncidentRows::acknowledge);
    }

    @Override
    public UpdateResult resolve(UUID id, String actor, String note) {
        return updateUnresolved(
                id, new Note(actor, clock.get(), note), InMemoryIncidentRows::resolve);
    }

    private UpdateResult updateUnresolved(UUID id, Note word, BiConsumer<Row, Note> how) {
        synchronized (lock) {
            Optional<Row> found = findRow(id);
            if (found.isEmpty()) {
                return new UpdateResult.NotFound();
            }
            Row row = found.get();
            if (row.incident.state() == State.RESOLVED) {
                return new UpdateResult.AlreadyResolved(row.incident);
            }
            how.accept(row, word);
            return new UpdateResult.Done(row.incident);
        }
    }

    @Override
    public Map<NodeId, UnresolvedAndDegradingCounts> countUnresolvedByNode(
            Collection<NodeId> nodes) {
        synchronized (lock) {
            Map<NodeId, UnresolvedAndDegradingCounts> found = new HashMap<>();
            for (Row row : tables.incidents.rows) {
                Incident one = row.incident;
                if (one.state() != State.RESOLVED && nodes.contains(one.node())) {
                    int degrading = one.category().degradesNode() ? 1 : 0;
                    found.merge(
                            one.node(),
                            new UnresolvedAndDegradingCounts(1, degrading),
                            (a, b) ->
                                    new UnresolvedAndDegradingCounts(
                                            a.all() + b.all(), a.degrading() + b.degrading()));
                }
            }
            return found;
        }
    }

    @Override
    public int countUnresolved(RolloutId rollout) {
        synchronized (lock) {
            return (int)
                    tables.incidents.rows.stream()
                            .map(row -> row.incident)
                            .filter(one -> one.state() != State.RESOLVED)
                            .filter(one -> rollout.equals(one.rollout()))
                            .count();
        }
    }
}
