package drover.coordinator.store.rollout;

import static drover.coordinator.plan.SampleRollout.node;
import static drover.coordinator.store.rollout.StoredRollout.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.CurrentDesiredProgram;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.ProgramKind;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.store.create.PostgresRolloutCreationStore;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Seed 003: what a node shall run, from its rollouts. */
class DesiredProgramsIT {
    private static final NodeId FIRST = node("demo", 1);

    @AutoClose private TestDatabase database;
    private LeaderStore leader;
    private RolloutViews views;
    private RolloutId rollout;
    private long epoch;

    @BeforeEach
    void createARunningRollout() {
        database = TestDatabase.open();
        leader = new PostgresLeaderStore(database.database());
        views = new PostgresRolloutViews(database.database());
        rollout = StoredRollout.create(database, Plan.rolling("demo", 3, 2));
        epoch = leader.takeOver("first");
        move(new RolloutState.Running(NOW));
    }

    private RolloutWithHistoryHead loaded() {
        return leader.load(rollout).orElseThrow();
    }

    private void move(RolloutState next) {
        leader.commit(StoredRollout.move(epoch, loaded(), next));
    }

    private void setState(NodeState state) {
        setState(FIRST, state);
    }

    private void setState(NodeId node, NodeState state) {
        leader.commit(
                StoredRollout.commit(
                        epoch,
                        loaded(),
                        StoredRollout.changing(loaded().rollout(), node, was -> in(was, state)),
                        List.of(),
                        List.of()));
    }

    private static NodeUpgrade in(NodeUpgrade was, NodeState state) {
        return new NodeUpgrade(
                was.target(), was.batch(), state, 1, 1, false, 1, 0, was.progress(), was.running());
    }

    private CurrentDesiredProgram desired() {
        List<CurrentDesiredProgram> found = views.findDesiredPrograms(FIRST);
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    @Test
    void theOldVersionThenTheTargetThenTheOldVersionAgain() {
        assertThat(desired().version().value()).isEqualTo("v1");
        assertThat(desired().exposed()).isFalse();

        setState(new NodeState.Assigned(1, false, NOW));
        assertThat(desired().version().value()).isEqualTo("v2");
        assertThat(desired().rollout()).isEqualTo(rollout);

        setState(new NodeState.RolledBack(2, NOW));
        assertThat(desired().version().value()).isEqualTo("v1");
    }

    @Test
    void rolloutThatEndedBeforeItsTurnReportsNothing() {
        move(new RolloutState.Cancelling(NOW));
        move(new RolloutState.Cancelled(NOW));

        assertThat(views.findDesiredPrograms(FIRST)).isEmpty();
        assertThat(views.findDesiredPrograms(node("demo", 9))).isEmpty();
    }

    @Test
    @DisplayName("001: of agents themselves, the latest of their own rollouts alone decides")
    void latestAgentRolloutDefinesTheDesiredAgent() {
        String agents = ProgramKind.AGENTS.value();
        NodeId one = node(agents, 1);
        NodeId two = node(agents, 2);
        assertThat(agents(FIRST, one)).isEmpty();

        rollout = created(Plan.rolling(agents, 2, 1));
        move(new RolloutState.Running(NOW));
        assertThat(agents(FIRST, one, two))
                .isEqualTo(Map.of(one, new Version("v1"), two, new Version("v1")));

        setState(one, new NodeState.Assigned(1, false, NOW));
        assertThat(agents(one, two))
                .isEqualTo(Map.of(one, new Version("v2"), two, new Version("v1")));
        assertThat(agents(two)).containsOnlyKeys(two);

        move(new RolloutState.Cancelling(NOW));
        move(new RolloutState.Cancelled(NOW));
        assertThat(agents(one, two)).containsOnlyKeys(one);
    }

    private Map<NodeId, Version> agents(NodeId... nodes) {
        return views.findDesiredAgents(List.of(nodes)).versions();
    }

    private RolloutId created(Plan plan) {
        RolloutCreationStore.NewRollout fresh = StoredRollout.fresh(plan, BinaryName.AGENT);
        new PostgresRolloutCreationStore(database.database()).create(fresh);
        return fresh.rollout().id();
    }
}
