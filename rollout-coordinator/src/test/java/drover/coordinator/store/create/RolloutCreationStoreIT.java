package drover.coordinator.store.create;

import static drover.coordinator.store.rollout.StoredRollout.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.create.RolloutCreationStore.CreationResult;
import drover.coordinator.store.create.RolloutCreationStore.NewRollout;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.request.PostgresRolloutRequestStore;
import drover.coordinator.store.request.RolloutRequestStore;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.coordinator.store.rollout.StoredHashChain;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RolloutCreationStoreIT {
    private static final Plan CANARY =
            new Plan(
                    "demo",
                    5,
                    new Strategy.Canary(1, 2),
                    new Threshold.Percent(20),
                    1,
                    MigrationType.BREAKING,
                    7);

    @AutoClose private TestDatabase database;
    private RolloutCreationStore store;
    private LeaderStore leader;
    private RolloutRequestStore requests;

    @BeforeEach
    void openTheDatabase() {
        database = TestDatabase.open();
        store = new PostgresRolloutCreationStore(database.database());
        leader = new PostgresLeaderStore(database.database());
        requests = new PostgresRolloutRequestStore(database.database());
    }

    @Test
    @DisplayName("A19: what is created is read back equal, payloads and contents included")
    void aCreatedRolloutIsReadBackEqual() {
        NewRollout fresh = StoredRollout.fresh(CANARY, "key-1");
        assertThat(store.create(fresh)).isInstanceOf(CreationResult.Written.class);

        RolloutId id = fresh.rollout().id();
        assertThat(leader.load(id).orElseThrow().rollout()).isEqualTo(fresh.rollout());
        assertThat(leader.load(id).orElseThrow().traceId()).isEqualTo(fresh.traceId());
        NodeId node = SampleRollout.node("demo", 3);
        assertThat(leader.loadPayloads(id, List.of(node)).get(node))
                .isEqualTo(fresh.payloads().get(node));
        fresh.contents()
                .forEach(
                        (digest, data) ->
                                assertThat(leader.loadContents(List.of(digest)).get(digest))
                                        .isEqualTo(data));
        assertThat(store.findByIdempotencyKey("alice", "key-1").orElseThrow().id()).isEqualTo(id);
        assertThat(leader.findActiveOrRequested()).containsExactly(id);
        assertThat(StoredHashChain.breaks(database, id)).isEmpty();
    }

    @Test
    @DisplayName("A2: a second rollout of a chain is refused and leaves no row")
    void aSecondRolloutOfAChainIsRefused() {
        RolloutId owner = StoredRollout.create(database, CANARY);

        assertThat(store.create(StoredRollout.fresh(CANARY, "")))
                .isEqualTo(new CreationResult.ChainBusy(owner));

        assertThat(database.count("SELECT count(*) FROM rollout")).isEqualTo(1);
    }

    @Test
    void repeatedKeyReturnsItsRolloutAlthoughTheChainIsBusy() {
        NewRollout first = StoredRollout.fresh(CANARY, "key-1");
        store.create(first);

        CreationResult again = store.create(StoredRollout.fresh(CANARY, "key-1"));

        assertThat(again)
                .isEqualTo(
                        new CreationResult.Repeated(
                                new RolloutCreationStore.ExistingRollout(
                                        first.rollout().id(), first.requestDigest())));
        assertThat(database.count("SELECT count(*) FROM rollout")).isEqualTo(1);
    }

    @Test
    @DisplayName("G2: every edit of the history is refused, and found where it was forced")
    void historyIsAppendOnlyAndItsChainRevealsEdits() {
        RolloutId id = StoredRollout.create(database, CANARY);
        long epoch = leader.takeOver("test");
        leader.commit(
                StoredRollout.move(
                        epoch, leader.load(id).orElseThrow(), new RolloutState.Running(NOW)));

        assertThatThrownBy(() -> database.run("UPDATE history SET actor = 'mallory'"))
                .hasStackTraceContaining("append-only");
        assertThatThrownBy(() -> database.run("DELETE FROM history"))
                .hasStackTraceContaining("append-only");
        assertThat(StoredHashChain.breaks(database, id)).isEmpty();
        database.run("ALTER TABLE history DISABLE TRIGGER history_append_only");
        database.run("UPDATE history SET actor = 'mallory' WHERE to_status = 'pending'");
        assertThat(StoredHashChain.breaks(database, id)).hasSize(1);
    }

    @Test
    @DisplayName("A17: the database refuses a move that the state machine does not have")
    void anIllegalMoveIsRefusedByTheDatabase() {
        RolloutId id = StoredRollout.create(database, CANARY);
        long epoch = leader.takeOver("test");

        assertThatThrownBy(
                        () ->
                                leader.commit(
                                        StoredRollout.move(
                                                epoch,
                                                leader.load(id).orElseThrow(),
                                                new RolloutState.Completed(NOW))))
                .isInstanceOf(StoreUnavailable.class)
                .hasStackTraceContaining("does not move from pending to completed");
    }

    @Test
    @DisplayName("B1: the database refuses an epoch lower than the row's")
    void anEpochNeverDecreases() {
        StoredRollout.create(database, CANARY);
        database.run("UPDATE rollout SET epoch = 5");

        assertThatThrownBy(() -> database.run("UPDATE rollout SET epoch = 4"))
                .hasStackTraceContaining("may not write after epoch");
    }

    @Test
    void requestIsStoredOncePerKeyAndReadByItsRollout() {
        RolloutId id = StoredRollout.create(database, CANARY);
        OperatorRequest resume = new OperatorRequest.Resume(2);

        SubmitResult first = requests.submitRequest(id, resume, "alice", "key", "looked at it");
        SubmitResult again = requests.submitRequest(id, resume, "alice", "key", "looked at it");

        assertThat(again).isEqualTo(first).isInstanceOf(SubmitResult.WrittenNowOrEarlier.class);
        assertThat(leader.pendingRequests(id))
                .singleElement()
                .satisfies(
                        request -> {
                            assertThat(request.request()).isEqualTo(resume);
                            assertThat(request.reason()).isEqualTo("looked at it");
                        });
    }

    @Test
    void aKeyIsNotUsedForAnotherRequestNorSharedBetweenPeople() {
        RolloutId id = StoredRollout.create(database, CANARY);
        requests.submitRequest(id, new OperatorRequest.Resume(2), "alice", "key", "");

        assertThat(requests.submitRequest(id, new OperatorRequest.Resume(3), "alice", "key", ""))
                .isInstanceOf(SubmitResult.KeyReused.class);
        assertThat(requests.submitRequest(id, new OperatorRequest.Cancel(), "alice", "key", ""))
                .isInstanceOf(SubmitResult.KeyReused.class);
        assertThat(requests.submitRequest(id, new OperatorRequest.Cancel(), "bob", "key", ""))
                .isInstanceOf(SubmitResult.WrittenNowOrEarlier.class);
    }

    @Test
    void aRequestToARolloutThatIsNotThereIsNotWritten() {
        RolloutId nowhere = new RolloutId(UUID.randomUUID().toString());

        assertThat(requests.submitRequest(nowhere, new OperatorRequest.Start(), "alice", "k", ""))
                .isInstanceOf(SubmitResult.NoRollout.class);
    }
}
