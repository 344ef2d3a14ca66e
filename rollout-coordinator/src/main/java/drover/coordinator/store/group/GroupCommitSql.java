package drover.coordinator.store.group;

import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.group.RequestToComponent;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.Commit.Outcome;
import drover.coordinator.store.group.LeaderGroupStore.GroupCommit;
import drover.coordinator.store.request.RequestParameterColumns;
import drover.coordinator.store.sql.StateJson;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The statements of one step of a group, run inside a fenced transaction. */
final class GroupCommitSql {
    private final Handle handle;
    private final GroupCommit commit;
    private final UUID group;

    GroupCommitSql(Handle handle, GroupCommit commit) {
        this.handle = handle;
        this.commit = commit;
        this.group = GroupSql.toUuid(commit.after().id());
    }

    Outcome run() {
        if (!claimOrReleaseChain()) {
            return new Outcome.ChainBusy();
        }
        String head = GroupSql.appendHistory(handle, group, commit.historyHead(), commit.history());
        if (updateGroup(head) != 1) {
            handle.rollback();
            return new Outcome.Conflict();
        }
        insertComponentRequests();
        updateRequests();
        return new Outcome.Committed(head);
    }

    /**
     * Claims the chain again when an ended group is reopened; gives it back at the terminal commit
     * (A2).
     */
    private boolean claimOrReleaseChain() {
        boolean wasFinal = commit.before().state().isFinal();
        boolean isFinal = commit.after().state().isFinal();
        String chain = commit.after().spec().chain().value();
        if (wasFinal && !isFinal) {
            return handle.createUpdate(
                                    "INSERT INTO chain_claim (chain_profile_id, owner)"
                                            + " VALUES (:chain, :owner) ON CONFLICT DO NOTHING")
                            .bind("chain", chain)
                            .bind("owner", group)
                            .execute()
                    == 1;
        }
        if (!wasFinal && isFinal) {
            handle.createUpdate(
                            "DELETE FROM chain_claim WHERE chain_profile_id = :chain AND owner = :owner")
                    .bind("chain", chain)
                    .bind("owner", group)
                    .execute();
        }
        return true;
    }

    private int updateGroup(String head) {
        RolloutGroup after = commit.after();
        boolean starts =
                commit.before().state() instanceof GroupState.Pending
                        && after.state() instanceof GroupState.Running;
        return handle.createUpdate(
                        "UPDATE rollout_group SET state = :state::jsonb, step = :step,"
                                + " skipped = :skipped, revision = :revision, epoch = :epoch,"
                                + " history_head = :head,"
                                + " started_at = CASE WHEN :starts THEN :since ELSE started_at END,"
                                + " finished_at = CASE WHEN :final THEN :since END"
                                + " WHERE id = :id AND revision = :expected")
                .bind("state", StateJson.write(after.state()))
                .bind("step", after.step())
                .bindArray("skipped", Integer.class, after.skipped().stream().sorted().toList())
                .bind("revision", after.revision())
                .bind("epoch", commit.epoch())
                .bind("head", head)
                .bind("starts", starts)
                .bind("final", after.state().isFinal())
                .bind("since", after.state().since().atOffset(ZoneOffset.UTC))
                .bind("id", group)
                .bind("expected", commit.before().revision())
                .execute();
    }

    /** Written like any operator's request, and once, however often the step is repeated. */
    private void insertComponentRequests() {
        PreparedBatch sql =
                handle.prepareBatch(
                        "INSERT INTO operator_request (id, rollout_id, actor, idempotency_key, kind,"
                                + " acknowledged, reason) VALUES (:id, :rollout, :actor, :key, :kind,"
                                + " :acknowledged, :reason)"
                                + " ON CONFLICT (actor, idempotency_key) DO NOTHING");
        for (RequestToComponent steering : commit.componentRequests()) {
            sql.bind("id", UUID.randomUUID())
                    .bind(
                            "rollout",
                            UUID.fromString(
                                    commit.after()
                                            .component(steering.component())
                                            .rollout()
                                            .value()))
                    .bind("actor", RequestToComponent.groupActor(commit.after().id()))
                    .bind("key", steering.idempotencyKey())
                    .bind("kind", RequestParameterColumns.kind(steering.request()))
                    .bind(
                            "acknowledged",
                            RequestParameterColumns.acknowledgedFailures(steering.request()))
                    .bind("reason", commit.reason())
                    .add();
        }
        if (sql.size() > 0) {
            sql.execute();
        }
    }

    private void updateRequests() {
        PreparedBatch sql =
                handle.prepareBatch(
                        "UPDATE group_request SET state = :state, refusal_code = :code,"
                                + " refusal_sentence = :sentence, decided_at = now()"
                                + " WHERE id = :id AND state = 'pending'");
        for (Commit.DecidedRequest request : commit.requests()) {
            sql.bind("state", request.refusalCode().isEmpty() ? "applied" : "refused")
                    .bind("code", request.refusalCode())
                    .bind("sentence", request.refusalSentence())
                    .bind("id", request.id())
                    .add();
        }
        if (sql.size() > 0) {
            sql.execute();
        }
    }
}
