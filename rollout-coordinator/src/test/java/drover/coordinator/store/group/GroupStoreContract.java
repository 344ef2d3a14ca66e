package drover.coordinator.store.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.group.ComponentRolloutSummary;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.group.RequestToComponent;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.group.RunningGroupStage;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.group.GroupStore.CreationResult;
import drover.coordinator.store.group.GroupStore.NewGroup;
import drover.coordinator.store.group.LeaderGroupStore.GroupCommit;
import drover.coordinator.store.group.LeaderGroupStore.LoadedGroup;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.GroupId;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every store of groups keeps. */
public abstract class GroupStoreContract {
    private static final Instant NOW = StoredRollout.NOW;
    private static final SampleRollout.Plan PLAN =
            new SampleRollout.Plan(
                    "demo",
                    2,
                    new Strategy.Rolling(1),
                    new Threshold.Count(0),
                    0,
                    MigrationType.NONE,
                    7);

    private GroupStore store;
    private LeaderStore leader;
    private LeaderGroupStore ledger;

    public abstract GroupStore store();

    public abstract LeaderStore leader();

    public abstract RolloutCreationStore creation();

    @BeforeEach
    void openTheStore() {
        store = store();
        leader = leader();
        ledger = leader.groups();
    }

    private static NewGroup fresh(String key, String digest) {
        return StoredGroup.fresh(PLAN, key, digest);
    }

    GroupId create() {
        NewGroup fresh = fresh("", "");
        assertThat(store.create(fresh)).isInstanceOf(CreationResult.Written.class);
        return fresh.group().id();
    }

    private LoadedGroup load(GroupId id) {
        return ledger.load(id).orElseThrow();
    }

    /** A step to this state that asks the first component to start. */
    private static GroupCommit step(long epoch, LoadedGroup loaded, GroupState next) {
        RolloutGroup before = loaded.group();
        RolloutGroup after =
                new RolloutGroup(
                        before.id(),
                        before.revision(),
                        before.spec(),
                        next,
                        before.step() + 1,
                        before.skipped());
        HistoryEntry row =
                new HistoryEntry(
                        NOW,
                        epoch,
                        "drover",
                        "group",
                        "",
                        "here",
                        "there",
                        new Cause("MOVED", "A test moved it."));
        return new GroupCommit(
                epoch,
                before,
                after.withNextRevision(),
                List.of(row),
                loaded.historyHead(),
                List.of(new RequestToComponent(0, 1, new OperatorRequest.Start(), 0)),
                List.of());
    }

    private static GroupState running() {
        return new GroupState.Running(0, RunningGroupStage.COMPONENT, NOW);
    }

    @Test
    @DisplayName("A19: what is created is read back equal, with a pending rollout a component")
    void aCreatedGroupIsReadBackEqual() {
        NewGroup fresh = fresh("key", "digest");
        store.create(fresh);
        GroupId id = fresh.group().id();

        LoadedGroup loaded = load(id);
        assertThat(loaded.group()).isEqualTo(fresh.group());
        assertThat(loaded.components())
                .hasSize(2)
                .allMatch(one -> one.state() instanceof RolloutState.Pending && !one.started());
        assertThat(ledger.findActiveOrRequested()).containsExactly(id);
        assertThat(leader.findActiveOrRequested())
                .as("the rollouts of its components have loops")
                .containsExactlyInAnyOrderElementsOf(
                        fresh.components().stream().map(one -> one.rollout().id()).toList());
        assertThat(store.findByIdempotencyKey("alice", "key").orElseThrow().id()).isEqualTo(id);
    }

    @Test
    @DisplayName(
            "A2: a group and a rollout never have one chain, and a refused group leaves no row")
    void aGroupClaimsTheChainOnceForAllItsComponents() {
        GroupId owner = create();
        NewGroup late = fresh("", "");
        assertThat(store.create(late))
                .isEqualTo(new CreationResult.ChainBusy(new RolloutId(owner.value())));
        assertThat(creation().create(StoredRollout.fresh(PLAN, "")))
                .isInstanceOf(RolloutCreationStore.CreationResult.ChainBusy.class);
        assertThat(ledger.load(late.group().id())).isEmpty();
        assertThat(late.components()).allMatch(one -> leader.load(one.rollout().id()).isEmpty());
        assertThat(ledger.findActiveOrRequested()).containsExactly(owner);
        assertThat(leader.findActiveOrRequested()).hasSize(2);
    }

    @Test
    void aKeyThatHasMadeAGroupMakesNoOther() {
        NewGroup first = fresh("key", "digest");
        store.create(first);
        assertThat(store.create(fresh("key", "digest")))
                .isEqualTo(
                        new CreationResult.Repeated(
                                new GroupStore.ExistingGroup(first.group().id(), "digest")));
    }

    @Test
    @DisplayName("R4: what a step asks is written with it, once, whoever repeats the step")
    void repeatedStepRequestsOnce() {
        GroupId id = create();
        LoadedGroup loaded = load(id);
        long first = leader.takeOver("first");
        assertThat(ledger.commit(step(first, loaded, running())))
                .isInstanceOf(Commit.Outcome.Committed.class);
        assertThat(ledger.commit(step(first, loaded, running())))
                .as("from what was loaded before")
                .isInstanceOf(Commit.Outcome.Conflict.class);

        long second = leader.takeOver("second");
        LoadedGroup now = load(id);
        assertThat(now.requestStatuses())
                .containsEntry("0/1/Start", new RequestToComponent.Status.Pending())
                .hasSize(1);
        assertThat(ledger.commit(step(second, now, running())))
                .isInstanceOf(Commit.Outcome.Committed.class);
        assertThat(load(id).requestStatuses()).hasSize(1);
        RolloutId component = now.group().component(0).rollout();
        assertThat(leader.pendingRequests(component))
                .singleElement()
                .satisfies(
                        request -> {
                            assertThat(request.actor())
                                    .isEqualTo(RequestToComponent.groupActor(id));
                            assertThat(request.request()).isEqualTo(new OperatorRequest.Start());
                        });
    }

    @Test
    @DisplayName("B2: a leader that was deposed writes nothing, and asks nothing of a component")
    void aStaleLeaderWritesNothing() {
        GroupId id = create();
        long stale = leader.takeOver("first");
        LoadedGroup loaded = load(id);
        leader.takeOver("second");
        assertThat(ledger.commit(step(stale, loaded, running())))
                .isInstanceOf(Commit.Outcome.StaleEpoch.class);
        assertThat(load(id)).isEqualTo(loaded);
        assertThat(leader.pendingRequests(loaded.group().component(0).rollout())).isEmpty();
    }

    @Test
    @DisplayName("A2: the claim ends with the group, and an ended group claims the chain again")
    void theClaimFollowsTheGroup() {
        GroupId id = create();
        long epoch = leader.takeOver("test");
        ledger.commit(step(epoch, load(id), running()));
        ledger.commit(step(epoch, load(id), new GroupState.Completed(NOW)));
        assertThat(ledger.findActiveOrRequested()).isEmpty();

        ledger.commit(step(epoch, load(id), new GroupState.RollingBack(NOW)));
        assertThat(ledger.findActiveOrRequested()).containsExactly(id);
        ledger.commit(step(epoch, load(id), new GroupState.RolledBack(NOW)));
        GroupId other = create();
        assertThat(ledger.findActiveOrRequested()).containsExactly(other);
    }

    @Test
    void endedGroupIsNotReopenedWhileTheChainIsBusy() {
        GroupId id = create();
        long epoch = leader.takeOver("test");
        ledger.commit(step(epoch, load(id), running()));
        ledger.commit(step(epoch, load(id), new GroupState.Completed(NOW)));
        create();
        assertThat(ledger.commit(step(epoch, load(id), new GroupState.RollingBack(NOW))))
                .isInstanceOf(Commit.Outcome.ChainBusy.class);
    }

    @Test
    @DisplayName("A2: a component is reopened only while its group has the chain")
    void aComponentIsReopenedWithinItsGroupAlone() {
        GroupId id = create();
        long epoch = leader.takeOver("test");
        RolloutId component = load(id).group().component(0).rollout();
        end(epoch, component);
        assertThat(ledger.findActiveOrRequested())
                .as("the end of a component is not the end of the group")
                .containsExactly(id);
        ledger.commit(step(epoch, load(id), running()));
        ledger.commit(step(epoch, load(id), new GroupState.Completed(NOW)));
        assertThat(reopen(epoch, component)).isInstanceOf(Commit.Outcome.ChainBusy.class);
        ledger.commit(step(epoch, load(id), new GroupState.RollingBack(NOW)));
        assertThat(reopen(epoch, component)).isInstanceOf(Commit.Outcome.Committed.class);
    }

    private void end(long epoch, RolloutId id) {
        leader.commit(
                StoredRollout.move(
                        epoch, leader.load(id).orElseThrow(), new RolloutState.Running(NOW)));
        leader.commit(
                StoredRollout.move(
                        epoch, leader.load(id).orElseThrow(), new RolloutState.Completed(NOW)));
    }

    private Commit.Outcome reopen(long epoch, RolloutId id) {
        return leader.commit(
                StoredRollout.move(
                        epoch, leader.load(id).orElseThrow(), new RolloutState.RollingBack(NOW)));
    }

    @Test
    @DisplayName("The tables refuse a move that the state machine of groups does not have")
    void anIllegalMoveIsRefusedByTheTables() {
        GroupId id = create();
        long epoch = leader.takeOver("test");
        assertThatThrownBy(
                        () -> ledger.commit(step(epoch, load(id), new GroupState.Completed(NOW))))
                .isInstanceOf(StoreUnavailable.class)
                .hasStackTraceContaining("does not move from pending to completed");
    }

    @Test
    void aRequestIsWrittenOncePerKeyAndDecidedOnce() {
        GroupId id = create();
        GroupRequest resume = new GroupRequest.Resume(2);
        SubmitResult first = store.submitRequest(id, resume, "alice", "key", "looked at it");
        assertThat(store.submitRequest(id, resume, "alice", "key", "looked at it"))
                .isEqualTo(first)
                .isInstanceOf(SubmitResult.WrittenNowOrEarlier.class);
        assertThat(store.submitRequest(id, new GroupRequest.Cancel(), "alice", "key", ""))
                .isInstanceOf(SubmitResult.KeyReused.class);
        assertThat(
                        store.submitRequest(
                                new GroupId(UUID.randomUUID().toString()),
                                resume,
                                "alice",
                                "k",
                                ""))
                .isInstanceOf(SubmitResult.NoRollout.class);
        assertThat(ledger.pendingRequests(id))
                .singleElement()
                .satisfies(request -> assertThat(request.request()).isEqualTo(resume));
    }

    @Test
    @DisplayName("A component that ran has begun, whatever became of it")
    void knowsWhichComponentsHaveStarted() {
        GroupId id = create();
        long epoch = leader.takeOver("test");
        end(epoch, load(id).group().component(0).rollout());
        assertThat(load(id).components())
                .extracting(ComponentRolloutSummary::started)
                .containsExactly(true, false);
        assertThat(load(id).components().getFirst().createdBy()).isEqualTo("alice");
    }

    @Test
    @DisplayName("A gate looks at all nodes of a group but those that were left out up to it")
    void aGateChecksTheNodesThatWereNotLeftOut() {
        GroupId id = create();
        long epoch = leader.takeOver("test");
        assertThat(ledger.findGateNodes(id, 0)).hasSize(2);
        skip(epoch, load(id).group().component(1).rollout(), SampleRollout.node("demo", 1));
        assertThat(ledger.findGateNodes(id, 0))
                .as("what comes later leaves nothing out")
                .hasSize(2);
        assertThat(ledger.findGateNodes(id, 1)).containsExactly(SampleRollout.node("demo", 2));
    }

    private void skip(long epoch, RolloutId id, NodeId node) {
        LeaderStore.RolloutWithHistoryHead loaded = leader.load(id).orElseThrow();
        Rollout after =
                StoredRollout.changing(
                        loaded.rollout(),
                        node,
                        was ->
                                new NodeUpgrade(
                                        was.target(),
                                        was.batch(),
                                        new NodeState.Skipped(SkipReason.OPERATOR, "", NOW),
                                        0,
                                        0,
                                        false,
                                        0,
                                        0,
                                        was.progress(),
                                        was.running()));
        leader.commit(StoredRollout.commit(epoch, loaded, after, List.of(), List.of()));
    }
}
