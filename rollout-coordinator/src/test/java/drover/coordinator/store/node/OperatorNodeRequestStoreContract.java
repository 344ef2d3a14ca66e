package drover.coordinator.store.node;

import static drover.coordinator.plan.SampleRollout.node;
import static drover.coordinator.store.rollout.StoredRollout.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore.PendingNodeRequest;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore.RetireResult;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore.WriteResult;
import drover.coordinator.store.request.RolloutRequestStore.RequestStatus;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every store does with requests about nodes. */
public abstract class OperatorNodeRequestStoreContract {
    private static final NodeId NODE = node("demo", 1);
    private static final byte[] BODY = {1, 2, 3};

    private LeaderStore leader;
    private OperatorNodeRequestStore requests;
    private long epoch;

    public abstract LeaderStore leader();

    public abstract OperatorNodeRequestStore requests();

    @BeforeEach
    void aLeaderLeads() {
        leader = leader();
        requests = requests();
        epoch = leader.takeOver("test");
    }

    @Test
    @DisplayName("C1: the same key asks once, and no second thing")
    void sameKeyIsRequestedOnce() {
        UUID first = submit(OperatorNodeRequest.CLEAR, "key");

        assertThat(submit(OperatorNodeRequest.CLEAR, "key")).isEqualTo(first);
        assertThat(requests.submitRequest(NODE, OperatorNodeRequest.RETIRE, "alice", "key", "why"))
                .isEqualTo(new SubmitResult.KeyReused());
        assertThat(pending()).hasSize(1);
    }

    @Test
    @DisplayName("What is done already is written down once, and nobody is asked to do it")
    void whatIsDoneAlreadyIsWrittenDownOnce() {
        assertThat(
                        requests.recordCompletedRequest(
                                NODE, OperatorNodeRequest.REVOKE, "alice", "key", "stolen"))
                .isEqualTo(
                        requests.recordCompletedRequest(
                                NODE, OperatorNodeRequest.REVOKE, "alice", "key", "stolen"));

        assertThat(
                        requests.recordCompletedRequest(
                                NODE, OperatorNodeRequest.RETIRE, "alice", "key", "why"))
                .isEqualTo(new SubmitResult.KeyReused());
        assertThat(pending()).isEmpty();
        assertThat(requests.findByNode(NODE, 10))
                .singleElement()
                .satisfies(
                        requested -> {
                            assertThat(requested.request()).isEqualTo(OperatorNodeRequest.REVOKE);
                            assertThat(requested.actor()).isEqualTo("alice");
                            assertThat(requested.reason()).isEqualTo("stolen");
                            assertThat(requested.status().state()).isEqualTo("applied");
                        });
    }

    @Test
    @DisplayName("A4: while a clear is open its node is nobody else's, and a number is given once")
    void aClearHoldsItsNode() {
        submit(OperatorNodeRequest.CLEAR, "one");
        submit(OperatorNodeRequest.CLEAR, "two");
        List<PendingNodeRequest> requested = pending();

        assertThat(ledger().assignClear(epoch, requested.get(0), 1, BODY))
                .isEqualTo(WriteResult.DONE);
        assertThat(ledger().assignClear(epoch, requested.get(0), 2, BODY))
                .isEqualTo(WriteResult.CONFLICT);
        assertThat(ledger().assignClear(epoch, requested.get(1), 1, BODY))
                .isEqualTo(WriteResult.CONFLICT);
        assertThat(ledger().assignClear(epoch, requested.get(1), 2, BODY))
                .isEqualTo(WriteResult.CONFLICT);
        assertThat(guard().openFor()).isEqualTo(NodeAttemptsAndReservation.CLEARING);
        assertThat(guard().lastAttempt()).isEqualTo(1);
        assertThat(pending().getFirst().body()).isEqualTo(BODY);
    }

    @Test
    @DisplayName("D14, C10: the agent's word clears, once, and closes the request")
    void theAgentsWordClears() {
        UUID id = submit(OperatorNodeRequest.CLEAR, "key");
        ledger().assignClear(epoch, pending().getFirst(), 1, BODY);

        assertThat(receive("IN_PROGRESS", 1_000)).isEqualTo(LateStatusResult.WRITTEN);
        assertThat(state(id)).isEqualTo("pending");
        assertThat(receive("SUCCEEDED", 2_000)).isEqualTo(LateStatusResult.CLEARED);
        assertThat(receive("SUCCEEDED", 2_000)).isEqualTo(LateStatusResult.KNOWN);
        assertThat(state(id)).isEqualTo("applied");
        assertThat(guard().openFor()).isNull();
        assertThat(pending()).isEmpty();
    }

    @Test
    void anAgentThatRefusesLeavesTheRequestRefused() {
        UUID id = submit(OperatorNodeRequest.CLEAR, "key");
        ledger().assignClear(epoch, pending().getFirst(), 1, BODY);

        assertThat(receive("REFUSED", 1_000)).isEqualTo(LateStatusResult.WRITTEN);
        assertThat(requests.requestStatus(id).orElseThrow().refusalCode())
                .isEqualTo(RefusalCode.CLEAR_REFUSED.name());
    }

    @Test
    @DisplayName("D14: if the program does not start, the request says why and the mark stays")
    void statesWhyANodeIsNotCleared() {
        UUID id = submit(OperatorNodeRequest.CLEAR, "key");
        ledger().assignClear(epoch, pending().getFirst(), 1, BODY);

        leader.applyLateStatus(
                epoch,
                new Commit.ReportedAttemptStatus(
                        NODE,
                        1,
                        1_000,
                        BODY,
                        "FAILED_ROLLBACK",
                        true,
                        true,
                        "app ended with exit code 3: correct the cause, then retry.",
                        "",
                        ""),
                NOW);

        assertThat(requests.requestStatus(id).orElseThrow().refusalSentence())
                .isEqualTo(
                        "Node "
                                + NODE
                                + " is not cleared: app ended with exit code 3: correct the cause,"
                                + " then retry.");
        assertThat(guard().failedRollback()).isTrue();
        assertThat(guard().openFor()).isNull();
    }

    @Test
    @DisplayName("R1: retiring closes what is open, and the clears that nobody can answer any more")
    void retiringClosesWhatIsOpen() {
        UUID clear = submit(OperatorNodeRequest.CLEAR, "clear");
        ledger().assignClear(epoch, pending().getFirst(), 1, BODY);
        UUID retire = submit(OperatorNodeRequest.RETIRE, "retire");

        assertThat(ledger().findRetiredSince(Instant.EPOCH)).as("nothing is done yet").isEmpty();
        assertThat(ledger().retireNode(epoch, pending().getLast(), NOW))
                .isEqualTo(new RetireResult.Done(1));
        assertThat(ledger().findRetiredSince(Instant.EPOCH)).containsOnlyKeys(NODE);
        assertThat(ledger().findRetiredSince(Instant.parse("2999-01-01T00:00:00Z"))).isEmpty();
        assertThat(state(retire)).isEqualTo("applied");
        assertThat(state(clear)).isEqualTo("refused");
        assertThat(guard().openFor()).isNull();
    }

    @Test
    @DisplayName("B1: who leads no longer writes nothing")
    void whoLeadsNoLongerWritesNothing() {
        UUID id = submit(OperatorNodeRequest.CLEAR, "key");
        PendingNodeRequest requested = pending().getFirst();
        leader.takeOver("another");

        assertThat(ledger().assignClear(epoch, requested, 1, BODY))
                .isEqualTo(WriteResult.STALE_EPOCH);
        assertThat(ledger().refuse(epoch, id, RefusalCode.NODE_OFFLINE, "It is away."))
                .isEqualTo(WriteResult.STALE_EPOCH);
        assertThat(ledger().retireNode(epoch, requested, NOW))
                .isEqualTo(new RetireResult.StaleEpoch());
        assertThat(state(id)).isEqualTo("pending");
    }

    @Test
    void refusalHasAReason() {
        UUID id = submit(OperatorNodeRequest.CLEAR, "key");

        ledger().refuse(epoch, id, RefusalCode.NODE_OFFLINE, "It is away.");

        assertThat(requests.requestStatus(id))
                .contains(new RequestStatus("refused", "NODE_OFFLINE", "It is away."));
        assertThat(requests.findByNode(NODE, 10))
                .singleElement()
                .satisfies(
                        requested -> assertThat(requested.status().state()).isEqualTo("refused"));
    }

    private UUID submit(OperatorNodeRequest request, String key) {
        return ((SubmitResult.WrittenNowOrEarlier)
                        requests.submitRequest(NODE, request, "alice", key, "why"))
                .id();
    }

    private LeaderOperatorNodeRequestStore ledger() {
        return leader.nodeRequests();
    }

    private List<PendingNodeRequest> pending() {
        return ledger().findPending();
    }

    private NodeAttemptsAndReservation guard() {
        return leader.findReservations(List.of(NODE))
                .getOrDefault(NODE, new NodeAttemptsAndReservation(0, null, false));
    }

    private String state(UUID id) {
        return requests.requestStatus(id).orElseThrow().state();
    }

    private LateStatusResult receive(String outcome, long sequence) {
        boolean terminal = !outcome.equals("IN_PROGRESS");
        return leader.applyLateStatus(
                epoch,
                new Commit.ReportedAttemptStatus(
                        NODE, 1, sequence, BODY, outcome, terminal, false, "", "", ""),
                NOW);
    }
}
