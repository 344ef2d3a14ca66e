package drover.coordinator.store.memory;

import drover.coordinator.plan.group.GroupStateNames;
import drover.coordinator.plan.group.RequestToComponent;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.Commit.Outcome;
import drover.coordinator.store.group.LeaderGroupStore.GroupCommit;
import drover.coordinator.store.memory.InMemoryTables.GroupRequestRow;
import drover.coordinator.store.memory.InMemoryTables.GroupRow;
import drover.coordinator.store.request.RolloutRequestStore.RequestStatus;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.ChainProfileId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * One step of a group in memory, as {@link drover.coordinator.store.group.GroupCommitSql} writes
 * it.
 */
final class InMemoryGroupCommitWriter {
    /** The moves of V8__rollout_groups.sql (A17). */
    private static final Map<String, Set<String>> MOVES =
            Map.of(
                    "pending", Set.of("running", "cancelling"),
                    "running",
                            Set.of(
                                    "paused",
                                    "cancelling",
                                    "rolling_back",
                                    "completed",
                                    "partial",
                                    "failed"),
                    "paused", Set.of("running", "rolling_back", "cancelling"),
                    "cancelling", Set.of("cancelled", "partial", "failed", "rolling_back"),
                    "rolling_back", Set.of("paused", "rolled_back", "failed"),
                    "completed", Set.of("rolling_back"),
                    "partial", Set.of("rolling_back"),
                    "failed", Set.of("rolling_back"),
                    "cancelled", Set.of("rolling_back"));

    private final InMemoryTables tables;
    private final GroupCommit commit;
    private final Instant at;

    InMemoryGroupCommitWriter(InMemoryTables tables, GroupCommit commit, Instant at) {
        this.tables = tables;
        this.commit = commit;
        this.at = at;
    }

    Outcome run() {
        GroupRow row = tables.groups.get(commit.after().id());
        ChainProfileId chain = commit.after().spec().chain();
        boolean wasFinal = commit.before().state().isFinal();
        boolean isFinal = commit.after().state().isFinal();
        boolean reopens = wasFinal && !isFinal;
        if (reopens && tables.chains.containsKey(chain)) {
            return new Outcome.ChainBusy();
        }
        if (row == null || row.group.revision() != commit.before().revision()) {
            return new Outcome.Conflict();
        }
        requireLegal(row);
        RolloutId owner = new RolloutId(commit.after().id().value());
        if (reopens) {
            tables.chains.put(chain, owner);
        } else if (!wasFinal && isFinal) {
            tables.chains.remove(chain, owner);
        }
        write(row);
        return new Outcome.Committed(row.head());
    }

    private void requireLegal(GroupRow row) {
        String was = GroupStateNames.of(row.group.state());
        String becomes = GroupStateNames.of(commit.after().state());
        boolean legal = was.equals(becomes) || MOVES.getOrDefault(was, Set.of()).contains(becomes);
        if (!legal) {
            throw commitRejected("a rollout group does not move from " + was + " to " + becomes);
        }
        if (commit.epoch() < row.epoch) {
            throw commitRejected("epoch " + commit.epoch() + " may not write after " + row.epoch);
        }
    }

    private void write(GroupRow row) {
        commit.history().forEach(row::append);
        row.group = commit.after();
        row.epoch = commit.epoch();
        String actor = RequestToComponent.groupActor(row.group.id());
        for (RequestToComponent steering : commit.componentRequests()) {
            if (tables.findRequest(actor, steering.idempotencyKey()) == null) {
                tables.insertRequest(
                        row.group.component(steering.component()).rollout(),
                        steering.idempotencyKey(),
                        actor,
                        commit.reason(),
                        steering.request(),
                        at);
            }
        }
        commit.requests().forEach(this::applyDecision);
    }

    private void applyDecision(Commit.DecidedRequest decided) {
        GroupRequestRow row =
                Objects.requireNonNull(tables.groupRequests.get(decided.id()), "no such request");
        if (row.isPending()) {
            row.status =
                    new RequestStatus(
                            decided.refusalCode().isEmpty() ? "applied" : "refused",
                            decided.refusalCode(),
                            decided.refusalSentence());
        }
    }

    private static StoreUnavailable commitRejected(String why) {
        return new StoreUnavailable("committing", new IllegalStateException(why));
    }
}
