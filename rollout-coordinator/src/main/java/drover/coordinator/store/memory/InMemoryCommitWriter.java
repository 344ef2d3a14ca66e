package drover.coordinator.store.memory;

import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.Commit.Outcome;
import drover.coordinator.store.commit.CommitSql;
import drover.coordinator.store.memory.InMemoryTables.AttemptRow;
import drover.coordinator.store.memory.InMemoryTables.RolloutRow;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.coordinator.store.sql.UnwritableValue;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** One commit in memory: everything is looked at first, then everything is written. */
final class InMemoryCommitWriter {
    /** The moves of V2__legal_moves.sql (A17). */
    private static final Map<String, Set<String>> MOVES =
            Map.of(
                    "pending", Set.of("running", "cancelled", "failed"),
                    "running",
                            Set.of(
                                    "awaiting_approval",
                                    "paused",
                                    "cancelling",
                                    "rolling_back",
                                    "completed",
                                    "failed"),
                    "awaiting_approval", Set.of("running", "paused", "cancelling", "rolling_back"),
                    "paused", Set.of("running", "awaiting_approval", "rolling_back", "cancelling"),
                    "cancelling", Set.of("cancelled", "rolling_back"),
                    "rolling_back", Set.of("paused", "rolled_back", "failed"),
                    "completed", Set.of("rolling_back"),
                    "failed", Set.of("rolling_back"),
                    "cancelled", Set.of("rolling_back"));

    private final InMemoryTables tables;
    private final Commit commit;
    private final RolloutId id;
    private final Instant now;

    /** At a moment of the clock that stands for the database's. */
    InMemoryCommitWriter(InMemoryTables tables, Commit commit, Instant now) {
        this.tables = tables;
        this.commit = commit;
        this.now = now;
        this.id = commit.after().id();
    }

    Outcome run() {
        RolloutRow row = tables.rollouts.get(id);
        boolean reopens = commit.before().state().isFinal() && !commit.after().state().isFinal();
        if (reopens && !mayReopen()) {
            return new Outcome.ChainBusy();
        }
        boolean superseded =
                reopens
                        && !new InMemorySupersededNodeFinder(tables, id)
                                .findSupersededNodes()
                                .isEmpty();
        if (row == null || row.rollout.revision() != commit.before().revision() || superseded) {
            return new Outcome.Conflict();
        }
        requireLegal(row);
        requireNewAttempts();
        write(row, reopens);
        return new Outcome.Committed(row.head());
    }

    /** A component is reopened while its group has the chain, a rollout while nobody has (A2). */
    private boolean mayReopen() {
        RolloutSpec spec = commit.after().spec();
        RolloutId owner = tables.chains.get(spec.chain());
        return spec.isInGroup()
                ? owner != null && owner.value().equals(spec.membership().group())
                : owner == null;
    }

    private void requireLegal(RolloutRow row) {
        String was = StateNameFormatter.of(row.rollout.state());
        String becomes = StateNameFormatter.of(commit.after().state());
        boolean legal = was.equals(becomes) || MOVES.getOrDefault(was, Set.of()).contains(becomes);
        if (!legal) {
            throw commitRejected("a rollout does not move from " + was + " to " + becomes);
        }
        if (commit.epoch() < row.epoch) {
            throw commitRejected("epoch " + commit.epoch() + " may not write after " + row.epoch);
        }
    }

    /** Reports close attempts before new ones are opened: one open attempt a node (A4). */
    private void requireNewAttempts() {
        for (Commit.NewAttempt fresh : commit.attempts()) {
            if (tables.lastAttempts.getOrDefault(fresh.node(), 0L) >= fresh.attempt()) {
                throw new IllegalStateException("An attempt number was allotted twice (rule R1)");
            }
            AttemptRow open = tables.findOpenAttempt(fresh.node());
            if (open != null && !isClosedByThisCommit(fresh, open)) {
                throw new UnwritableValue(
                        "committing",
                        new IllegalStateException("node " + fresh.node() + " has an open attempt"));
            }
        }
    }

    private boolean isClosedByThisCommit(Commit.NewAttempt fresh, AttemptRow open) {
        return commit.statuses().stream()
                .filter(report -> report.node().equals(fresh.node()) && report.terminal())
                .filter(report -> report.sequence() > open.sequence)
                .anyMatch(report -> tables.findAttempt(report.node(), report.attempt()) == open);
    }

    private void write(RolloutRow row, boolean reopens) {
        boolean alone = !commit.after().spec().isInGroup();
        if (reopens && alone) {
            tables.chains.put(commit.after().spec().chain(), id);
        } else if (alone
                && !commit.before().state().isFinal()
                && commit.after().state().isFinal()) {
            tables.chains.remove(commit.after().spec().chain(), id);
        }
        commit.history().forEach(row::append);
        row.rollout = keepPromotedBatches(row.rollout, commit.after());
        row.epoch = commit.epoch();
        row.started |=
                commit.before().state() instanceof RolloutState.Pending
                        && commit.after().state() instanceof RolloutState.Running;
        tables.failedRollbacks.addAll(commit.newlyFailedRollbackNodes());
        commit.statuses().forEach(report -> tables.applyStatus(report, now));
        commit.attempts().forEach(this::insertAttempt);
        commit.requests().forEach(this::applyDecision);
        tables.incidents.write(commit.incidentChanges(), stepTime());
    }

    /** As {@link CommitSql}: the planner's moment. */
    private Instant stepTime() {
        return commit.history().isEmpty()
                ? commit.after().state().since()
                : commit.history().getFirst().at();
    }

    /** A promotion is never taken back, whatever the step says. */
    private static Rollout keepPromotedBatches(Rollout stored, Rollout after) {
        List<Batch> batches = new ArrayList<>(after.batches());
        for (Batch was : stored.batches()) {
            if (was.phase() == BatchPhase.PROMOTED) {
                batches.set(was.index(), was);
            }
        }
        return new Rollout(
                after.id(),
                after.revision(),
                after.spec(),
                after.state(),
                after.acknowledgedFailures(),
                after.acceptedOffline(),
                after.forced(),
                batches,
                after.nodes());
    }

    private void insertAttempt(Commit.NewAttempt fresh) {
        tables.lastAttempts.put(fresh.node(), fresh.attempt());
        tables.attempts
                .computeIfAbsent(fresh.node(), node -> new java.util.TreeMap<>())
                .put(fresh.attempt(), new AttemptRow(id, fresh.restoreOf(), fresh.body()));
    }

    private void applyDecision(Commit.DecidedRequest decided) {
        InMemoryTables.RequestRow row =
                Objects.requireNonNull(tables.requests.get(decided.id()), "no such request");
        if (row.state.equals("pending")) {
            row.state = decided.refusalCode().isEmpty() ? "applied" : "refused";
            row.refusalCode = decided.refusalCode();
            row.refusalSentence = decided.refusalSentence();
        }
    }

    private static StoreUnavailable commitRejected(String why) {
        return new StoreUnavailable("committing", new IllegalStateException(why));
    }
}
