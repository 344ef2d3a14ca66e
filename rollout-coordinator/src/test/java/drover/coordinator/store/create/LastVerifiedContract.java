package drover.coordinator.store.create;

import static drover.coordinator.plan.SampleRollout.NEW;
import static drover.coordinator.plan.SampleRollout.NEW_CONFIG;
import static drover.coordinator.plan.SampleRollout.OLD;
import static drover.coordinator.plan.SampleRollout.OLD_CONFIG;
import static drover.coordinator.plan.SampleRollout.node;
import static drover.coordinator.store.rollout.StoredRollout.NOW;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.create.InventoryBehindAttemptsCheck;
import drover.coordinator.plan.create.InventoryBehindAttemptsCheck.InventoryEntry;
import drover.coordinator.plan.create.InventoryBehindAttemptsCheck.VerifiedProgram;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
import drover.coordinator.store.rollout.StoredRollout;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every store must tell of what nodes were last proven to run. One node, whose attempts are
 * numbered as they come.
 */
@DisplayName("D-159: what nodes were last proven to run is in the records")
public abstract class LastVerifiedContract {
    private static final Plan PLAN = Plan.rolling("demo", 1, 1);
    private static final NodeId NODE = node("demo", 1);
    private static final BinaryName WEB = new BinaryName("web");
    private static final BinaryName CACHE = new BinaryName("cache");

    private LeaderStore leader;
    private RolloutCreationStore creation;
    private long epoch;

    public abstract LeaderStore leader();

    public abstract RolloutCreationStore creation();

    @BeforeEach
    void lead() {
        leader = leader();
        creation = creation();
        epoch = leader.takeOver("test");
    }

    @Test
    void aNodeThatNeverHadWorkIsMissing() {
        assertThat(creation.findVerifiedByLastAttempt(WEB, List.of(NODE))).isEmpty();
        assertThat(creation.findVerifiedByLastAttempt(WEB, List.of())).isEmpty();
    }

    @Test
    void succeededUpgradeVerifiesDigestAndConfiguration() {
        installed(WEB, 1);

        VerifiedProgram verified = verified(WEB);

        assertThat(verified.digest()).isEqualTo(NEW.value());
        assertThat(verified.config()).isEqualTo(NEW_CONFIG.value());
        assertThat(verified.verifiedAt()).isAfterOrEqualTo(NOW);
        assertThat(creation.findVerifiedByLastAttempt(WEB, List.of(node("demo", 2)))).isEmpty();
    }

    @Test
    void openAttemptHidesTheVerifiedProgram() {
        installed(WEB, 1);
        RolloutId second = running(WEB);

        assign(second, 2, 0);

        assertThat(creation.findVerifiedByLastAttempt(WEB, List.of(NODE))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"REFUSED", "WITHDRAWN"})
    void anAttemptThatNeverStartedChangesNothing(String outcome) {
        installed(WEB, 1);
        VerifiedProgram before = verified(WEB);
        RolloutId second = running(WEB);
        assign(second, 2, 0);

        receive(second, 2, outcome, NEW, 0);

        assertThat(verified(WEB)).isEqualTo(before);
    }

    @Test
    void failedAttemptVerifiesThePreviousProgram() {
        RolloutId first = running(WEB);
        assign(first, 1, 0);

        receive(first, 1, "FAILED", OLD, 0);

        assertThat(verified(WEB).digest()).isEqualTo(OLD.value());
        assertThat(verified(WEB).config()).isEqualTo(OLD_CONFIG.value());
    }

    @ParameterizedTest
    @ValueSource(strings = {"FAILED", "RESTORED"})
    @DisplayName("D-173 D17: an upgrade that the node itself took back proves what ran before it")
    void anUpgradeThatWasTakenBackIsNoUpgradeFromThenOn(String outcome) {
        RolloutId first = running(WEB);
        assign(first, 1, 0);
        receive(first, 1, "SUCCEEDED", NEW, 1);
        VerifiedProgram upgraded = verified(WEB);
        assertThat(refused(upgraded.verifiedAt()))
                .as("what the directory says is proven")
                .isFalse();

        receive(first, 1, 2, outcome, OLD, 0);

        assertThat(verified(WEB).digest()).isEqualTo(OLD.value());
        assertThat(verified(WEB).config()).isEqualTo(OLD_CONFIG.value());
        assertThat(refused(upgraded.verifiedAt())).isTrue();
        assertThat(refused(verified(WEB).verifiedAt())).as("it was heard of since").isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"FAILED", "RESTORED"})
    @DisplayName("D-173 D17: so does one that is taken back when its rollout has ended")
    void anUpgradeThatWasTakenBackLateIsNoUpgradeFromThenOn(String outcome) {
        installed(WEB, 1);
        Instant upgraded = verified(WEB).verifiedAt();
        Instant later = upgraded.plusSeconds(60);

        assertThat(leader.applyLateStatus(epoch, StoredRollout.report(NODE, 1, 2, outcome), later))
                .isEqualTo(LateStatusResult.WRITTEN);

        assertThat(verified(WEB).digest()).isEqualTo(OLD.value());
        assertThat(verified(WEB).config()).isEqualTo(OLD_CONFIG.value());
        assertThat(refused(upgraded)).isTrue();
    }

    /** Whether a rollout is refused while the directory says that the upgrade is there still. */
    private boolean refused(Instant receivedAt) {
        InventoryEntry reported =
                new InventoryEntry(NODE, NEW.value(), NEW_CONFIG.value(), receivedAt, "g1");
        return InventoryBehindAttemptsCheck.findRefusal(
                        List.of(reported), creation.findVerifiedByLastAttempt(WEB, List.of(NODE)))
                .isPresent();
    }

    @Test
    void aWayBackThatFailedLeavesNothingVerified() {
        installed(WEB, 1);
        RolloutId second = running(WEB);
        assign(second, 2, 0);

        receive(second, 2, "FAILED_ROLLBACK", OLD, 0);

        assertThat(creation.findVerifiedByLastAttempt(WEB, List.of(NODE))).isEmpty();
    }

    @Test
    void restoreVerifiesThePreviousProgram() {
        RolloutId first = installed(WEB, 1);
        move(first, new RolloutState.RollingBack(NOW));
        assign(first, 2, 1);

        receive(first, 2, "RESTORED", OLD, 0);

        assertThat(verified(WEB).digest()).isEqualTo(OLD.value());
        assertThat(verified(WEB).config()).isEqualTo(OLD_CONFIG.value());
    }

    @Test
    void anUpgradeOfAnotherProgramHidesNothing() {
        installed(WEB, 1);
        VerifiedProgram before = verified(WEB);

        installed(CACHE, 2);

        assertThat(verified(WEB)).isEqualTo(before);
        assertThat(creation.findVerifiedByLastAttempt(CACHE, List.of(NODE))).containsOnlyKeys(NODE);
    }

    private VerifiedProgram verified(BinaryName program) {
        return requireNonNull(creation.findVerifiedByLastAttempt(program, List.of(NODE)).get(NODE));
    }

    private RolloutId installed(BinaryName program, long attempt) {
        RolloutId id = running(program);
        assign(id, attempt, 0);
        receive(id, attempt, "SUCCEEDED", NEW, attempt);
        move(id, new RolloutState.Completed(NOW));
        return id;
    }

    private RolloutId running(BinaryName program) {
        RolloutCreationStore.NewRollout fresh = StoredRollout.fresh(PLAN, program);
        assertThat(creation.create(fresh))
                .isInstanceOf(RolloutCreationStore.CreationResult.Written.class);
        move(fresh.rollout().id(), new RolloutState.Running(NOW));
        return fresh.rollout().id();
    }

    private RolloutWithHistoryHead loaded(RolloutId id) {
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

    private void receive(
            RolloutId id, long attempt, String outcome, Digest running, long installedBy) {
        receive(id, attempt, 1, outcome, running, installedBy);
    }

    private void receive(
            RolloutId id,
            long attempt,
            long sequence,
            String outcome,
            Digest running,
            long installedBy) {
        NodeUpgrade was = upgrade(id);
        String now = running.value();
        step(
                id,
                StoredRollout.inAttempt(was, attempt, false, sequence, installedBy, now),
                List.of(),
                List.of(StoredRollout.report(NODE, attempt, sequence, outcome)));
    }

    private void step(
            RolloutId id,
            NodeUpgrade node,
            List<Commit.NewAttempt> attempts,
            List<Commit.ReportedAttemptStatus> reports) {
        Rollout after = StoredRollout.changing(loaded(id).rollout(), NODE, was -> node);
        written(StoredRollout.commit(epoch, loaded(id), after, attempts, reports));
    }

    private void written(Commit commit) {
        assertThat(leader.commit(commit)).isInstanceOf(Commit.Outcome.Committed.class);
    }
}
