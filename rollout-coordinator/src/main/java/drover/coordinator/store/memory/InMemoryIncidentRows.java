package drover.coordinator.store.memory;

import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.incident.IncidentChangeSql;
import drover.coordinator.store.incident.IncidentViews.Incident;
import drover.coordinator.store.incident.IncidentViews.Note;
import drover.coordinator.store.incident.IncidentViews.State;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rows of incidents in memory, opened and closed as {@link IncidentChangeSql} does. */
final class InMemoryIncidentRows {
    final List<Row> rows = new ArrayList<>();
    private final ProgramFilter programs;

    InMemoryIncidentRows(ProgramFilter programs) {
        this.programs = programs;
    }

    /** Whether a rollout upgrades a program. */
    interface ProgramFilter {
        boolean matches(@Nullable RolloutId rollout, BinaryName program);
    }

    /** An incident, and whether what caused it goes on as far as the leader knows. */
    static final class Row {
        Incident incident;
        boolean open = true;

        Row(Incident incident) {
            this.incident = incident;
        }

        boolean matches(
                IncidentCategory category, @Nullable NodeId node, @Nullable RolloutId rollout) {
            return incident.category() == category
                    && incident.node().equals(node)
                    && Objects.equals(incident.rollout(), rollout);
        }
    }

    void write(List<? extends IncidentChange> changes, Instant at) {
        for (IncidentChange change : changes) {
            switch (change) {
                case IncidentChange.Open open -> openIncidentUnlessOpen(open, at);
                case IncidentChange.CloseMatching close ->
                        closeMatching(
                                close.categories(),
                                close.codes(),
                                close.node(),
                                close.rollout(),
                                close.program(),
                                close.because().sentence(),
                                at);
            }
        }
    }

    /** Everything of a node that is out of service. */
    void closeAllOfNode(NodeId node, String sentence, Instant at) {
        closeMatching(Set.of(IncidentCategory.values()), Set.of(), node, null, null, sentence, at);
    }

    private void openIncidentUnlessOpen(IncidentChange.Open open, Instant at) {
        List<Row> same =
                rows.stream()
                        .filter(row -> row.open)
                        .filter(row -> row.matches(open.category(), open.node(), open.rollout()))
                        .toList();
        for (Row row : same) {
            boolean another =
                    !open.category().isOpenWhileReported()
                            && row.incident.state() == State.RESOLVED;
            row.open = !another; // a step happens once: what was resolved was another time
        }
        if (same.stream().noneMatch(row -> row.open)) {
            rows.add(new Row(newIncident(open, at)));
        } else if (open.category().isOpenWhileReported()) {
            same.forEach(row -> row.incident = withCause(row.incident, open.because()));
        }
    }

    private static Incident withCause(Incident was, Cause because) {
        return new Incident(
                was.id(),
                was.category(),
                was.severity(),
                was.state(),
                was.node(),
                was.rollout(),
                because,
                was.recoveryPlan(),
                was.openedAt(),
                was.acknowledged(),
                was.resolved());
    }

    private Incident newIncident(IncidentChange.Open open, Instant at) {
        return new Incident(
                new UUID(3, rows.size() + 1L),
                open.category(),
                open.severity(),
                State.OPEN,
                open.node(),
                open.rollout(),
                open.because(),
                open.recoveryPlan(),
                at,
                null,
                null);
    }

    private void closeMatching(
            Set<IncidentCategory> categories,
            Set<String> codes,
            @Nullable NodeId node,
            @Nullable RolloutId rollout,
            @Nullable BinaryName program,
            String sentence,
            Instant at) {
        rows.stream()
                .filter(row -> row.open && categories.contains(row.incident.category()))
                .filter(row -> codes.isEmpty() || codes.contains(row.incident.because().code()))
                .filter(row -> node == null || row.incident.node().equals(node))
                .filter(row -> rollout == null || rollout.equals(row.incident.rollout()))
                .filter(row -> program == null || programs.matches(row.incident.rollout(), program))
                .forEach(
                        row -> {
                            row.open = false;
                            if (row.incident.state() != State.RESOLVED) {
                                resolve(row, new Note("drover", at, sentence));
                            }
                        });
    }

    static void resolve(Row row, Note word) {
        Incident was = row.incident;
        row.incident = withState(was, State.RESOLVED, was.acknowledged(), word);
    }

    static void acknowledge(Row row, Note word) {
        row.incident = withState(row.incident, State.ACKNOWLEDGED, word, null);
    }

    private static Incident withState(
            Incident was, State state, @Nullable Note acknowledged, @Nullable Note resolved) {
        return new Incident(
                was.id(),
                was.category(),
                was.severity(),
                state,
                was.node(),
                was.rollout(),
                was.because(),
                was.recoveryPlan(),
                was.openedAt(),
                acknowledged,
                resolved);
    }
}
