package drover.coordinator.store.incident;

import static drover.coordinator.plan.SampleRollout.node;
import static drover.coordinator.store.rollout.StoredRollout.NOW;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.incident.IncidentSeverity;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.ProgramKind;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.incident.IncidentViews.Incident;
import drover.coordinator.store.incident.IncidentViews.Query;
import drover.coordinator.store.incident.IncidentViews.State;
import drover.coordinator.store.incident.OperatorIncidentStore.UpdateResult;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore;
import drover.coordinator.store.node.OperatorNodeRequestStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every store of incidents keeps. */
public abstract class OperatorIncidentStoreContract {
    private static final NodeId FIRST = node("demo", 1);
    private static final NodeId SECOND = node("demo", 2);
    private static final Cause CRITICAL = new Cause("CRITICAL", "Probe 'ready' saw status 503.");
    private static final Cause BROKEN = new Cause("BACKUP_DAMAGED", "Its backup is damaged.");

    private LeaderStore leader;
    private OperatorIncidentStore store;
    private RolloutId rollout;
    private long epoch;

    public abstract LeaderStore leader();

    public abstract OperatorIncidentStore store();

    public abstract RolloutCreationStore creation();

    public abstract OperatorNodeRequestStore nodeRequests();

    @BeforeEach
    void createARunningRollout() {
        leader = leader();
        store = store();
        RolloutCreationStore.NewRollout fresh = StoredRollout.fresh(Plan.rolling("demo", 3, 2), "");
        creation().create(fresh);
        rollout = fresh.rollout().id();
        epoch = leader.takeOver("first");
        leader.commit(StoredRollout.move(epoch, loaded(), new RolloutState.Running(NOW)));
    }

    private RolloutWithHistoryHead loaded() {
        return leader.load(rollout).orElseThrow();
    }

    private Commit.Outcome commit(NodeId node, NodeState state, long withEpoch) {
        return leader.commit(
                StoredRollout.commit(
                        withEpoch,
                        loaded(),
                        StoredRollout.changing(loaded().rollout(), node, was -> with(was, state)),
                        List.of(),
                        List.of()));
    }

    private static NodeUpgrade with(NodeUpgrade was, NodeState state) {
        return new NodeUpgrade(
                was.target(), was.batch(), state, 1, 1, false, 1, 0, was.progress(), was.running());
    }

    private void breaks(NodeId node) {
        commit(node, new NodeState.FailedRollback(1, BROKEN, NOW), epoch);
    }

    private void succeeds(NodeId node) {
        commit(node, new NodeState.Succeeded(1, "run", NOW), epoch);
    }

    private List<Incident> all() {
        return store.list(new Query(null, null, "", null, null, 100));
    }

    private IncidentChange.Open drift() {
        return new IncidentChange.Open(
                IncidentCategory.DRIFT,
                IncidentSeverity.WARNING,
                FIRST,
                null,
                new Cause("DRIFT", "The file changed."),
                "");
    }

    private void recordIncident(IncidentChange change) {
        assertThat(leader.incidents().write(epoch, List.of(change), NOW.plusSeconds(9))).isTrue();
    }

    private void driftIsResolved() {
        recordIncident(
                new IncidentChange.CloseMatching(
                        Set.of(IncidentCategory.DRIFT),
                        FIRST,
                        null,
                        new Cause("GONE", "It is gone.")));
    }

    @Test
    void opensInTheTransactionOfTheStepAndNotWithoutIt() {
        assertThat(commit(FIRST, new NodeState.FailedRollback(1, BROKEN, NOW), epoch - 1))
                .isInstanceOf(Commit.Outcome.StaleEpoch.class);
        assertThat(all()).isEmpty();

        breaks(FIRST);

        assertThat(all())
                .singleElement()
                .satisfies(
                        incident -> {
                            assertThat(incident.category())
                                    .isEqualTo(IncidentCategory.UPGRADE_FAILED);
                            assertThat(incident.state()).isEqualTo(State.OPEN);
                            assertThat(incident.rollout()).isEqualTo(rollout);
                            assertThat(incident.openedAt()).isEqualTo(NOW);
                            assertThat(incident.because()).isEqualTo(BROKEN);
                        });
        assertThat(store.countUnresolved(rollout)).isEqualTo(1);
        assertThat(store.countUnresolvedByNode(List.of(FIRST, SECOND)))
                .containsOnlyKeys(FIRST)
                .containsValue(new IncidentViews.UnresolvedAndDegradingCounts(1, 1));
    }

    @Test
    void opensOneIncidentPerCategory() {
        recordIncident(drift());
        recordIncident(drift());

        assertThat(all()).hasSize(1);
    }

    @Test
    void closesWhatASuccessResolvesAndOpensAgainWhatRecurs() {
        breaks(FIRST);
        succeeds(FIRST);

        assertThat(all())
                .singleElement()
                .satisfies(
                        incident -> {
                            assertThat(incident.state()).isEqualTo(State.RESOLVED);
                            assertThat(requireNonNull(incident.resolved()).by())
                                    .isEqualTo("drover");
                        });
        breaks(FIRST);

        assertThat(all()).extracting(Incident::state).contains(State.OPEN, State.RESOLVED);
    }

    @Test
    @DisplayName("A18: the end of a pause closes what the pause opened, and nothing else")
    void theEndOfAPauseClosesWhatItOpenedAndNothingElse() {
        pauses(List.of(stalled(FIRST, "NOT_WELL_IN_TIME"), stalled(SECOND, "UNHEARD")));
        assertThat(all()).extracting(Incident::state).containsOnly(State.OPEN);

        leader.commit(StoredRollout.move(epoch, loaded(), new RolloutState.Running(NOW)));

        assertThat(all())
                .filteredOn(one -> one.state() == State.OPEN)
                .extracting(one -> one.because().code())
                .containsExactly("NOT_WELL_IN_TIME");
    }

    @Test
    void incidentThatIsOpenedTwiceIsOpenOnce() {
        pauses(List.of(stalled(FIRST, "UNHEARD"), stalled(FIRST, "UNHEARD")));

        assertThat(all()).hasSize(1);
    }

    private void pauses(List<IncidentChange.Open> stalls) {
        RolloutState paused =
                new RolloutState.Running(NOW).pause(PauseReason.HEALTH_UNAVAILABLE, NOW);
        Commit step = StoredRollout.move(epoch, loaded(), paused);
        assertThat(leader.commit(StoredRollout.opening(step, stalls)))
                .isInstanceOf(Commit.Outcome.Committed.class);
    }

    private IncidentChange.Open stalled(NodeId node, String code) {
        return new IncidentChange.Open(
                IncidentCategory.UPGRADE_STALLED,
                IncidentSeverity.MAJOR,
                node,
                rollout,
                new Cause(code, "It stands still."),
                "");
    }

    @Test
    void aFailureAfterAPersonResolvedTheFirstIsANewIncident() {
        breaks(FIRST);
        store.resolve(all().getFirst().id(), "alice", "put right by hand");
        commit(FIRST, new NodeState.Pending(NOW), epoch);
        breaks(FIRST);

        assertThat(all()).hasSize(2);
    }

    @Test
    void acceptedDriftIsNotOpenedAgainUntilItEnded() {
        recordIncident(drift());
        store.resolve(all().getFirst().id(), "alice", "I changed it myself");
        recordIncident(drift());
        assertThat(all()).hasSize(1);

        driftIsResolved();
        recordIncident(drift());

        assertThat(all()).hasSize(2);
        assertThat(all()).filteredOn(one -> one.state() == State.OPEN).hasSize(1);
    }

    @Test
    void aPersonsWordIsNotOverwritten() {
        recordIncident(drift());
        UUID id = all().getFirst().id();
        store.acknowledge(id, "alice", "I look at it");
        store.resolve(id, "alice", "done");
        driftIsResolved();

        Incident now = store.find(id).orElseThrow();
        assertThat(requireNonNull(now.resolved()).by()).isEqualTo("alice");
        assertThat(store.acknowledge(id, "bob", ""))
                .isInstanceOf(UpdateResult.AlreadyResolved.class);
        assertThat(store.resolve(UUID.randomUUID(), "bob", "x"))
                .isInstanceOf(UpdateResult.NotFound.class);
    }

    @Test
    void filtersAndPages() {
        breaks(FIRST);
        breaks(SECOND);
        recordIncident(drift());

        assertThat(store.list(new Query(null, IncidentCategory.DRIFT, "", null, null, 9)))
                .hasSize(1);
        assertThat(store.list(new Query(null, null, SECOND.value(), null, null, 9))).hasSize(1);
        assertThat(store.list(new Query(null, null, "", rollout, null, 9))).hasSize(2);
        assertThat(store.list(new Query(State.RESOLVED, null, "", null, null, 9))).isEmpty();
        Incident newest = store.list(new Query(null, null, "", null, null, 1)).getFirst();
        assertThat(newest.category()).isEqualTo(IncidentCategory.DRIFT);
        assertThat(store.list(new Query(null, null, "", null, newest.id(), 9)))
                .hasSize(2)
                .doesNotContain(newest);
    }

    @Test
    @DisplayName("An open incident states what the agent reports now, not what it reported first")
    void replacesTheCauseOfAReportedIncident() {
        recordIncident(drift());
        Incident first = all().getFirst();
        recordIncident(
                new IncidentChange.Open(
                        IncidentCategory.DRIFT,
                        IncidentSeverity.WARNING,
                        FIRST,
                        null,
                        new Cause("DRIFT", "Another file changed."),
                        ""));

        assertThat(all())
                .singleElement()
                .satisfies(
                        one -> {
                            assertThat(one.id()).isEqualTo(first.id());
                            assertThat(one.openedAt()).isEqualTo(first.openedAt());
                            assertThat(one.because().sentence()).isEqualTo("Another file changed.");
                        });
        assertThat(leader.incidents().findOpenWhileReported())
                .containsOnlyKeys(
                        new LeaderIncidentStore.OpenIncident(IncidentCategory.DRIFT, FIRST, null))
                .containsValue("Another file changed.");
    }

    private void becomesUnhealthy(NodeId node) {
        commit(node, new NodeState.Unhealthy(1, "run", CRITICAL, NOW), epoch);
    }

    private List<Incident> unresolved() {
        return all().stream().filter(one -> one.state() != State.RESOLVED).toList();
    }

    private RolloutId anotherRollout(BinaryName program) {
        RolloutCreationStore.NewRollout fresh =
                StoredRollout.fresh(
                        new Plan(
                                "other",
                                1,
                                new Strategy.Rolling(1),
                                new Threshold.Count(0),
                                0,
                                MigrationType.NONE,
                                7),
                        program);
        creation().create(fresh);
        return fresh.rollout().id();
    }

    @Test
    @DisplayName(
            "A22: what an earlier rollout of the program opened ends when a later one succeeds")
    void closesWhatRolloutsOfAProgramOpened() {
        becomesUnhealthy(FIRST);
        recordIncident(
                IncidentRules.unhealthyIncident(
                        FIRST, anotherRollout(new BinaryName("sidecar")), CRITICAL));

        recordIncident(
                new IncidentChange.CloseMatching(
                        Set.of(IncidentCategory.NODE_UNHEALTHY),
                        Set.of(),
                        FIRST,
                        null,
                        new BinaryName("web"),
                        new Cause("SUCCEEDED", "It is verified.")));

        assertThat(unresolved())
                .as("only that of the other program")
                .singleElement()
                .satisfies(one -> assertThat(one.rollout()).isNotEqualTo(rollout));
    }

    @Test
    @DisplayName("A22: incidents of unhealthy nodes are found once their rollout has ended")
    void findsUnhealthyNodesOfEndedRollouts() {
        becomesUnhealthy(FIRST);
        breaks(SECOND);
        assertThat(leader.incidents().findUnhealthyAfterEnd()).isEmpty();

        Rollout running = loaded().rollout();
        RolloutState.Cancelling cancelling = new RolloutState.Running(NOW).cancel(NOW);
        leader.commit(StoredRollout.move(epoch, loaded(), cancelling));
        leader.commit(StoredRollout.move(epoch, loaded(), cancelling.finishCancelling(NOW)));

        assertThat(leader.incidents().findUnhealthyAfterEnd())
                .singleElement()
                .satisfies(
                        one -> {
                            assertThat(one.node()).isEqualTo(FIRST);
                            assertThat(one.rollout()).isEqualTo(rollout);
                            assertThat(one.program()).isEqualTo(running.spec().binary());
                            assertThat(one.kind()).isEqualTo(ProgramKind.CARED_FOR);
                            assertThat(one.healthWait()).isEqualTo(running.spec().healthWait());
                        });
    }

    @Test
    @DisplayName("D14: a cleared node needs no attention, also if it was unhealthy")
    void aClearClosesTheIncidentOfAnUnhealthyNode() {
        becomesUnhealthy(FIRST);
        nodeRequests().submitRequest(FIRST, OperatorNodeRequest.CLEAR, "alice", "k", "repaired");
        leader.nodeRequests()
                .assignClear(
                        epoch, leader.nodeRequests().findPending().getFirst(), 1, new byte[] {1});

        leader.applyLateStatus(
                epoch,
                new Commit.ReportedAttemptStatus(
                        FIRST, 1, 1_000, new byte[] {1}, "SUCCEEDED", true, false, "", "", ""),
                NOW);

        assertThat(unresolved()).isEmpty();
    }

    @Test
    void knowsTheLastWorkOnAProgram() {
        succeeds(FIRST);

        IncidentRules.LastProgramWork last =
                requireNonNull(
                        leader.incidents()
                                .findLastWork(List.of(FIRST, SECOND))
                                .get(new LeaderIncidentStore.ProgramOfNode(FIRST, "web")));

        assertThat(last.rollout()).isEqualTo(rollout);
        assertThat(last.state()).isInstanceOf(NodeState.Succeeded.class);
        assertThat(last.rolloutEnded()).isFalse();
        assertThat(leader.incidents().findOpenWhileReported()).isEmpty();
    }

    @Test
    void retiredNodeNeedsNoAttention() {
        breaks(FIRST);
        nodeRequests()
                .submitRequest(
                        FIRST,
                        drover.coordinator.plan.request.OperatorNodeRequest.RETIRE,
                        "alice",
                        "k",
                        "scrapped");
        LeaderOperatorNodeRequestStore.PendingNodeRequest request =
                leader.nodeRequests().findPending().getFirst();
        leader.nodeRequests().retireNode(epoch, request, NOW.plus(Duration.ofHours(1)));

        assertThat(all()).extracting(Incident::state).containsOnly(State.RESOLVED);
    }
}
