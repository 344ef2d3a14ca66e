package drover.coordinator.api.rollout;

import static drover.coordinator.api.ApiFixture.assertRefused;
import static drover.coordinator.api.ApiFixture.byHand;
import static drover.coordinator.api.ApiFixture.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import drover.coordinator.api.ApiFixture;
import drover.coordinator.api.node.NodeQueries;
import drover.coordinator.engine.fleet.NoDataFleetView;
import drover.coordinator.engine.request.OperatorNodeRequestSubmitter;
import drover.coordinator.store.incident.PostgresOperatorIncidentStore;
import drover.coordinator.store.node.PostgresOperatorNodeRequestStore;
import drover.coordinator.store.query.PostgresPreviewInputViews;
import drover.coordinator.store.rollout.PostgresRolloutViews;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.node.v1.ExplainNodeRequest;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeAttempt;
import drover.node.v1.NodeReason;
import drover.node.v1.NodeRequest;
import drover.rollout.v1.Batch;
import drover.rollout.v1.BatchPhase;
import drover.rollout.v1.ExplainRolloutRequest;
import drover.rollout.v1.ExplainRolloutResponse;
import drover.rollout.v1.FailureReason;
import drover.rollout.v1.PauseReason;
import drover.rollout.v1.Reason;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutStatus;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What was true at a past moment: a story of a minute, told into the history an hour ago. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RolloutAsOfIT {
    private static final String CHAIN = "past";

    private ApiFixture rig;
    private Rollout rollout;
    private Instant created;

    @BeforeAll
    void writeHistory() {
        rig = new ApiFixture();
        rig.chain(CHAIN, 3);
        rollout = rig.create(byHand(CHAIN));
        rig.database.run("ALTER TABLE history DISABLE TRIGGER history_append_only");
        rig.database.run("UPDATE history SET at = at - interval '1 hour'");
        rig.database.run("UPDATE rollout SET created_at = created_at - interval '1 hour'");
        created =
                Instant.ofEpochSecond(
                        rig.database.count(
                                "SELECT ceil(extract(epoch FROM min(at))) FROM history"));
        moved(1, "rollout", "", "pending", "running", "START");
        moved(1, "batch 1", "", "pending", "dispatching", "DISPATCHING");
        moved(1, "node", id(CHAIN, 1).value(), "pending", "assigned", "DISPATCHED");
        moved(1, "node", id(CHAIN, 2).value(), "pending", "assigned", "DISPATCHED");
        moved(5, "node", id(CHAIN, 1).value(), "assigned", "settling", "SETTLING");
        moved(20, "node", id(CHAIN, 1).value(), "settling", "succeeded", "WELL");
        moved(30, "node", id(CHAIN, 2).value(), "assigned", "failed", "CRASH_LOOP");
        moved(30, "rollout", "", "running", "paused", "FAILURE_THRESHOLD");
        rig.database.run(
                "INSERT INTO node_attempt (node_id, attempt, rollout_id, restore_of, body,"
                        + " body_digest, open, outcome, epoch, assigned_at, closed_at)"
                        + " VALUES (?, 1, ?::uuid, 0, '', '', false, 'FAILED', 1,"
                        + " to_timestamp(?), to_timestamp(?))",
                id(CHAIN, 2).value(),
                rollout.getId(),
                created.getEpochSecond() + 1,
                created.getEpochSecond() + 30);
        rig.database.run(
                "INSERT INTO operator_request (id, rollout_id, actor, idempotency_key, kind,"
                        + " node_id, reason, created_at, state, decided_at)"
                        + " VALUES (gen_random_uuid(), ?::uuid, 'alice', 'k', 'retry_node', ?,"
                        + " 'disk replaced', to_timestamp(?), 'applied', to_timestamp(?))",
                rollout.getId(),
                id(CHAIN, 2).value(),
                created.getEpochSecond() + 40,
                created.getEpochSecond() + 50);
    }

    private void moved(
            int second, String subject, String node, String from, String to, String code) {
        rig.database.run(
                "INSERT INTO history (rollout_id, at, epoch, actor, subject, node_id, from_status,"
                        + " to_status, code, sentence, prev_hash, hash) VALUES (?::uuid,"
                        + " to_timestamp(?), 1, 'drover', ?, ?, ?, ?, ?, 'Because.', '', '')",
                rollout.getId(),
                created.getEpochSecond() + second,
                subject,
                node,
                from,
                to,
                code);
    }

    @AfterAll
    void close() {
        if (rig != null) {
            rig.close();
        }
    }

    private Timestamp second(int second) {
        return Timestamps.fromSeconds(created.getEpochSecond() + second);
    }

    private ExplainRolloutResponse at(Timestamp moment) {
        return rig.operator()
                .explainRollout(
                        ExplainRolloutRequest.newBuilder()
                                .setRolloutId(rollout.getId())
                                .setAsOf(moment)
                                .build());
    }

    @Test
    void whileItRanItIsShownRunningWithWhatWasAtWork() {
        ExplainRolloutResponse then = at(second(10));

        assertThat(then.getRollout().getStatus()).isEqualTo(RolloutStatus.ROLLOUT_STATUS_RUNNING);
        assertThat(then.getRollout().getPendingNodes()).isEqualTo(3);
        assertThat(then.getRollout().getPauseReason())
                .isEqualTo(PauseReason.PAUSE_REASON_UNSPECIFIED);
        assertThat(then.getRollout().getBatchesList())
                .extracting(Batch::getPhase)
                .containsExactly(
                        BatchPhase.BATCH_PHASE_DISPATCHING, BatchPhase.BATCH_PHASE_PENDING);
        assertThat(then.getCurrentList())
                .extracting(Reason::getCode, Reason::getNodeId)
                .containsExactly(
                        tuple("START", ""),
                        tuple("DISPATCHED", id(CHAIN, 2).value()),
                        tuple("SETTLING", id(CHAIN, 1).value()));
        assertThat(then.getHistoryList()).hasSize(6);
    }

    @Test
    void afterItsPauseTheReasonAndTheCountersAreThere() {
        ExplainRolloutResponse then = at(second(30));

        assertThat(then.getRollout().getStatus()).isEqualTo(RolloutStatus.ROLLOUT_STATUS_PAUSED);
        assertThat(then.getRollout().getPauseReason())
                .isEqualTo(PauseReason.PAUSE_REASON_FAILURE_THRESHOLD);
        assertThat(then.getRollout().getPausedFrom())
                .isEqualTo(RolloutStatus.ROLLOUT_STATUS_RUNNING);
        assertThat(then.getRollout().getSucceededNodes()).isEqualTo(1);
        assertThat(then.getRollout().getFailedNodes()).isEqualTo(1);
        assertThat(then.getRollout().getPendingNodes()).isEqualTo(1);
        assertThat(then.getCurrentList())
                .extracting(Reason::getCode)
                .containsExactly("FAILURE_THRESHOLD", "CRASH_LOOP");
    }

    @Test
    void atItsCreationItWaitedToBeStarted() {
        ExplainRolloutResponse then = at(second(0));

        assertThat(then.getRollout().getStatus()).isEqualTo(RolloutStatus.ROLLOUT_STATUS_PENDING);
        assertThat(then.getCurrentList()).extracting(Reason::getCode).containsExactly("CREATED");
    }

    @Test
    void refusesTimesBeforeTheCreationAndInTheFuture() {
        assertRefused(() -> at(second(-60)), RefusalCode.INVALID_FIELD, "as_of");
        assertRefused(
                () -> at(Timestamps.fromSeconds(Instant.now().getEpochSecond() + 3_600)),
                RefusalCode.INVALID_FIELD,
                "as_of");
        assertRefused(
                () -> at(Timestamp.newBuilder().setSeconds(Long.MAX_VALUE).build()),
                RefusalCode.INVALID_FIELD,
                "as_of");
    }

    @Test
    @DisplayName("C15: words that a later version wrote then hide nothing else of that moment")
    void wordsOfALaterVersionHideNothingElse() {
        moved(100, "batch 1", "", "dispatching", "thawing", "THAWING");
        moved(100, "rollout", "", "paused", "frozen", "TOO_WARM");
        moved(200, "rollout", "", "frozen", "failed", "MELTED");

        ExplainRolloutResponse frozen = at(second(100));
        assertThat(frozen.getRollout().getStatus())
                .isEqualTo(RolloutStatus.ROLLOUT_STATUS_UNSPECIFIED);
        assertThat(frozen.getRollout().getExplanation()).isEqualTo("Because.");
        assertThat(frozen.getRollout().getBatchesList())
                .extracting(Batch::getPhase)
                .containsExactly(
                        BatchPhase.BATCH_PHASE_UNSPECIFIED, BatchPhase.BATCH_PHASE_PENDING);
        assertThat(frozen.getRollout().getCurrentBatch()).as("not over, as far as known").isZero();
        assertThat(frozen.getRollout().getFailedNodes()).isEqualTo(1);
        assertThat(frozen.getHistoryList()).first().matches(it -> it.getCode().equals("TOO_WARM"));
        ExplainRolloutResponse failed = at(second(200));
        assertThat(failed.getRollout().getStatus()).isEqualTo(RolloutStatus.ROLLOUT_STATUS_FAILED);
        assertThat(failed.getRollout().getFailureReason())
                .isEqualTo(FailureReason.FAILURE_REASON_UNSPECIFIED);
    }

    private ExplainNodeResponse node(ExplainNodeRequest.Builder request) {
        NodeId node = id(CHAIN, 2);
        return new NodeQueries(
                        new PostgresRolloutViews(rig.database.database()),
                        new PostgresPreviewInputViews(rig.database.database()),
                        NoDataFleetView::new,
                        Instant::now,
                        new OperatorNodeRequestSubmitter(
                                new PostgresOperatorNodeRequestStore(rig.database.database())),
                        new PostgresOperatorIncidentStore(rig.database.database()))
                .explain(
                        Node.newBuilder().setId(node.value()).setOnline(true).build(),
                        request.setNodeId(node.value()).build());
    }

    @Test
    void oneCallReturnsTheWholeNode() {
        rig.database.run(
                "INSERT INTO node_guard VALUES (?, 1, true) ON CONFLICT DO NOTHING",
                id(CHAIN, 2).value());

        ExplainNodeResponse now = node(ExplainNodeRequest.newBuilder());

        assertThat(now.getCurrentList())
                .extracting(NodeReason::getCode, NodeReason::getRolloutId)
                .containsExactly(
                        tuple("ONLINE", ""),
                        tuple("FAILED_ROLLBACK", ""),
                        tuple("PENDING", rollout.getId()));
        assertThat(now.getAttemptsList())
                .singleElement()
                .satisfies(attempt -> assertThat(attempt.getOutcome()).isEqualTo("FAILED"))
                .satisfies(attempt -> assertThat(attempt.getClosedAt()).isEqualTo(second(30)));
        assertThat(now.getRequestsList())
                .singleElement()
                .extracting(NodeRequest::getActor, NodeRequest::getKind, NodeRequest::getState)
                .containsExactly("alice", "retry_node", "applied");
        assertThat(now.getReasonsList())
                .extracting(NodeReason::getCode)
                .containsExactly("CRASH_LOOP", "DISPATCHED");
    }

    @Test
    void showsANodeAsOfATime() {
        ExplainNodeResponse then = node(ExplainNodeRequest.newBuilder().setAsOf(second(10)));

        assertThat(then.getCurrentList())
                .extracting(NodeReason::getCode)
                .containsExactly("DISPATCHED");
        assertThat(then.getAttemptsList())
                .singleElement()
                .satisfies(attempt -> assertThat(attempt.getOutcome()).isEmpty())
                .satisfies(attempt -> assertThat(attempt.hasClosedAt()).isFalse());
        assertThat(then.getRequestsList()).isEmpty();
        assertThat(node(ExplainNodeRequest.newBuilder().setAsOf(second(45))).getRequestsList())
                .extracting(NodeRequest::getState)
                .containsExactly("pending");
        assertThat(node(ExplainNodeRequest.newBuilder().setAsOf(second(-9))).getAttemptsList())
                .extracting(NodeAttempt::getAttempt)
                .isEmpty();
    }
}
