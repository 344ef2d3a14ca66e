package drover.coordinator.store;

import static drover.coordinator.plan.SampleRollout.NEW;
import static drover.coordinator.plan.SampleRollout.NEW_CONFIG;
import static drover.coordinator.plan.SampleRollout.OLD;
import static drover.coordinator.plan.SampleRollout.OLD_CONFIG;
import static drover.coordinator.plan.SampleRollout.node;
import static drover.coordinator.store.StoredRollout.NOW;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.NodeUpgrade;
import drover.coordinator.plan.Rollout;
import drover.coordinator.plan.RolloutState;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.StaleDirectory.Proven;
import drover.coordinator.store.LeaderStore.Loaded;
import drover.model.BinaryName;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What every store must tell of what nodes were last proven to run. One node, whose attempts are
 * numbered as they come.
 */
@DisplayName("D-159: what nodes were last proven to run is in the records")
abstract class LastProvenContract {
    private static final Plan PLAN = Plan.rolling("demo", 1, 1);
    private static final NodeId NODE = node("demo", 1);
    private static final BinaryName WEB = new BinaryName("web");
    private static final BinaryName CACHE = new BinaryName("cache");

    private LeaderStore leader;
    private CreationStore creation;
    private long epoch;

    abstract LeaderStore leader();

    abstract CreationStore creation();

    @BeforeEach
    void lead() {
        leader = leader();
        creation = creation();
        epoch = leader.takeOver("test");
    }

    @Test
    void aNodeThatNeverHadWorkIsMissing() {
        assertThat(creation.lastProven(WEB, List.of(NODE))).isEmpty();
        assertThat(creation.lastProven(WEB, List.of())).isEmpty();
    }

    @Test
    void anUpgradeThatSucceededProvesItsDigestAndItsConfiguration() {
        installed(WEB, 1);

        Proven proven = proven(WEB);

        assertThat(proven.digest()).isEqualTo(NEW.value());
        assertThat(proven.config()).isEqualTo(NEW_CONFIG.value());
        assertThat(proven.closedAt()).isAfterOrEqualTo(NOW);
        assertThat(creation.lastProven(WEB, List.of(node("demo", 2)))).isEmpty();
    }

    @Test
    void anAttemptThatIsOpenProvesNothingAndHidesWhatWasProven() {
        installed(WEB, 1);
        RolloutId second = running(WEB);

        assign(second, 2, 0);

        assertThat(creation.lastProven(WEB, List.of(NODE))).isEmpty();
    }

    @Test
    void anAttemptThatLeftTheNodeAsItWasChangesNothing() {
        installed(WEB, 1);
        Proven before = proven(WEB);
        RolloutId second = running(WEB);
        assign(second, 2, 0);

        hear(second, 2, "FAILED", NEW, 0);

        assertThat(proven(WEB)).isEqualTo(before);
    }

    @Test
    void aWayBackThatFailedLeavesNothingProven() {
        installed(WEB, 1);
        RolloutId second = running(WEB);
        assign(second, 2, 0);

        hear(second, 2, "FAILED_ROLLBACK", OLD, 0);

        assertThat(creation.lastProven(WEB, List.of(NODE))).isEmpty();
    }

    @Test
    void aRestoreProvesWhatRanBefore() {
        RolloutId first = installed(WEB, 1);
        move(first, new RolloutState.RollingBack(NOW));
        assign(first, 2, 1);

        hear(first, 2, "RESTORED", OLD, 0);

        assertThat(proven(WEB).digest()).isEqualTo(OLD.value());
        assertThat(proven(WEB).config()).isEqualTo(OLD_CONFIG.value());
    }

    @Test
    void anUpgradeOfAnotherProgramHidesNothing() {
        installed(WEB, 1);
        Proven before = proven(WEB);

        installed(CACHE, 2);

        assertThat(proven(WEB)).isEqualTo(before);
        assertThat(creation.lastProven(CACHE, List.of(NODE))).containsOnlyKeys(NODE);
    }

    private Proven proven(BinaryName program) {
        return requireNonNull(creation.lastProven(program, List.of(NODE)).get(NODE));
    }

    private RolloutId installed(BinaryName program, long attempt) {
        RolloutId id = running(program);
        assign(id, attempt, 0);
        hear(id, attempt, "SUCCEEDED", NEW, attempt);
        move(id, new RolloutState.Completed(NOW));
        return id;
    }

    private RolloutId running(BinaryName program) {
        CreationStore.NewRollout fresh = StoredRollout.fresh(PLAN, program);
        assertThat(creation.create(fresh)).isInstanceOf(CreationStore.Created.Written.class);
        move(fresh.rollout().id(), new RolloutState.Running(NOW));
        return fresh.rollout().id();
    }

    private Loaded loaded(RolloutId id) {
        return leader.load(id).orElseThrow();
    }

    private NodeUpgrade upgrade(RolloutId id) {
        return requireNonNull(loaded(id).rollout().nodes().get(NODE));
    }

    private void move(RolloutId id, RolloutState next) {
        written(StoredRollout.move(epoch, loaded(id), next));
    }

    private void assign(RolloutId id, long attempt, long restoreOf) {
        NodeUpgrade was = upgrade(id);
        step(
                id,
                StoredRollout.inAttempt(was, attempt, true, 0, was.installedBy()),
                List.of(StoredRollout.attempt(NODE, attempt, restoreOf)),
                List.of());
    }

    private void hear(
            RolloutId id, long attempt, String outcome, Digest running, long installedBy) {
        NodeUpgrade was = upgrade(id);
        step(
                id,
                StoredRollout.inAttempt(was, attempt, false, 1, installedBy, running.value()),
                List.of(),
                List.of(StoredRollout.report(NODE, attempt, 1, outcome)));
    }

    private void step(
            RolloutId id,
            NodeUpgrade node,
            List<Commit.NewAttempt> attempts,
            List<Commit.Report> reports) {
        Rollout after = StoredRollout.changing(loaded(id).rollout(), NODE, was -> node);
        written(StoredRollout.commit(epoch, loaded(id), after, attempts, reports));
    }

    private void written(Commit commit) {
        assertThat(leader.commit(commit)).isInstanceOf(Commit.Outcome.Committed.class);
    }
}
