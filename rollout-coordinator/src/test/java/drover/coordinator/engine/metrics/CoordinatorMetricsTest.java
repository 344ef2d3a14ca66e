package drover.coordinator.engine.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.metrics.HistoryEntryForMetrics;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.model.AttemptProgress;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
import drover.coordinator.store.query.AttentionCountViews.AttentionCounts;
import drover.coordinator.store.query.HistoryForMetricsViews;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.kit.telemetry.Metrics;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.UpgradePhase;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class CoordinatorMetricsTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final RolloutId ID = new RolloutId(new UUID(0, 7).toString());

    @AutoClose private final Metrics scraped = Metrics.open();
    private final Rollout created =
            SampleRollout.of(ID, SampleRollout.Plan.rolling("harbour", 4, 2), START);
    private final Rollout running = in(created, new RolloutState.Running(START));
    private String head = HistoryEntry.GENESIS;

    @Test
    void countsARolloutOnceWhenItsEndIsCommitted() {
        LoopMeter.RolloutCommitMeter loop = metrics(HistoryForMetricsViews.NONE).rolloutMeter(ID);
        loop.recordLoaded(loaded(created));
        loop.measureCommit(commit(created, running, START), this::written);
        assertThat(scraped.toPrometheusText())
                .contains("drover_rollout_active{chain=\"harbour\"} 1.0")
                .contains(
                        "drover_rollout_progress{chain=\"harbour\",rollout_id=\"" + ID + "\"} 0.0")
                .contains("phase=\"STOPPED\",rollout_id=\"" + ID + "\"} 0.0")
                .contains("status=\"completed\",strategy=\"rolling\"} 0.0")
                .contains(
                        "drover_rollout_node_upgrades_total{chain=\"harbour\",status=\"failed_rollback\"} 0.0");

        loop.measureCommit(completed(Duration.ofMinutes(90)), this::written);
        loop.recordEnd();

        assertThat(scraped.toPrometheusText())
                .contains(
                        "drover_rollout_total{chain=\"harbour\",status=\"completed\",strategy=\"rolling\"} 1.0")
                .contains(
                        "drover_rollout_duration_seconds_sum{chain=\"harbour\",status=\"completed\",strategy=\"rolling\"} 5400.0")
                .contains("drover_commit_seconds_count{outcome=\"committed\"} 2");
    }

    @Test
    void showsWhatWaitsForOperators() {
        CoordinatorMetrics metrics = metrics(HistoryForMetricsViews.NONE);
        assertThat(scraped.toPrometheusText())
                .contains("drover_open_incidents{category=\"crash_loop\"} 0.0")
                .contains("drover_pending_approvals 0.0")
                .contains("drover_pending_approval_age_seconds 0.0");

        metrics.recordAttention(
                new AttentionCounts(Map.of("crash_loop", 2L), 1, Duration.ofSeconds(90), 3));

        assertThat(scraped.toPrometheusText())
                .contains("drover_open_incidents{category=\"crash_loop\"} 2.0")
                .contains("drover_open_incidents{category=\"drift\"} 0.0")
                .contains("drover_pending_approvals 1.0")
                .containsPattern("drover_pending_approval_age_seconds 9[0-9]\\.")
                .contains("drover_dead_letters 3.0");
    }

    @Test
    void endedRolloutLeavesNoSeriesAndItsChainIsZero() {
        LoopMeter.RolloutCommitMeter loop = metrics(HistoryForMetricsViews.NONE).rolloutMeter(ID);
        loop.recordLoaded(loaded(running));
        loop.measureCommit(completed(Duration.ofMinutes(1)), this::written);
        assertThat(scraped.toPrometheusText())
                .contains("drover_rollout_active{chain=\"harbour\"} 0.0")
                .doesNotContain(ID.toString());
    }

    @Test
    void whatWasNotWrittenIsNotCounted() {
        LoopMeter.RolloutCommitMeter loop = metrics(HistoryForMetricsViews.NONE).rolloutMeter(ID);
        loop.recordLoaded(loaded(running));
        loop.measureCommit(
                completed(Duration.ofMinutes(1)), commit -> new Commit.Outcome.StaleEpoch());
        loop.measureCommit(
                completed(Duration.ofMinutes(1)), commit -> new Commit.Outcome.Conflict());
        assertThat(scraped.toPrometheusText())
                .contains("status=\"completed\",strategy=\"rolling\"} 0.0")
                .contains("drover_commit_seconds_count{outcome=\"stale_epoch\"} 1")
                .contains("drover_commit_seconds_count{outcome=\"conflict\"} 1");
    }

    /** B8: only reading again shows whether it was written. */
    @Test
    void anAmbiguousCommitIsCountedOnceItIsSeenToBeWritten() {
        LoopMeter.RolloutCommitMeter loop = metrics(HistoryForMetricsViews.NONE).rolloutMeter(ID);
        loop.recordLoaded(loaded(running));
        Commit commit = completed(Duration.ofMinutes(1));
        assertThatThrownBy(() -> loop.measureCommit(commit, CoordinatorMetricsTest::unclear))
                .isInstanceOf(StoreUnavailable.class);
        loop.recordLoaded(loaded(running)); // it was not: the history is as before
        assertThat(scraped.toPrometheusText())
                .contains("status=\"completed\",strategy=\"rolling\"} 0.0");

        assertThatThrownBy(() -> loop.measureCommit(commit, CoordinatorMetricsTest::unclear))
                .isInstanceOf(StoreUnavailable.class);
        written(commit);
        loop.recordLoaded(loaded(commit.after())); // it was
        loop.recordLoaded(loaded(commit.after()));
        assertThat(scraped.toPrometheusText())
                .contains("status=\"completed\",strategy=\"rolling\"} 1.0")
                .contains("drover_commit_seconds_count{outcome=\"failed\"} 2");
    }

    @Test
    void theNextLeaderCountsNothingAgainAndKnowsSinceWhen() {
        HistoryForMetricsViews past =
                rollout ->
                        List.of(
                                new HistoryEntryForMetrics(
                                        START, "rollout", "", "pending", "running"),
                                new HistoryEntryForMetrics(
                                        START.plusSeconds(60), "node", "a", "pending", "assigned"),
                                new HistoryEntryForMetrics(
                                        START.plusSeconds(90),
                                        "node",
                                        "a",
                                        "settling",
                                        "succeeded"),
                                new HistoryEntryForMetrics(
                                        START.plusSeconds(60), "node", "b", "pending", "assigned"));
        LoopMeter.RolloutCommitMeter loop = metrics(past).rolloutMeter(ID);
        loop.recordLoaded(loaded(running));
        assertThat(scraped.toPrometheusText())
                .contains("drover_rollout_active{chain=\"harbour\"} 1.0")
                .contains(
                        "drover_rollout_node_upgrades_total{chain=\"harbour\",status=\"succeeded\"} 0.0");

        HistoryEntry failed = row(START.plusSeconds(100), "node", "b", "upgrading", "failed");
        loop.measureCommit(commit(running, running, List.of(failed)), this::written);
        loop.measureCommit(completed(Duration.ofMinutes(10)), this::written);
        assertThat(scraped.toPrometheusText())
                .contains(
                        "drover_rollout_node_upgrades_total{chain=\"harbour\",status=\"failed\"} 1.0")
                .contains(
                        "drover_rollout_node_upgrade_duration_seconds_sum{chain=\"harbour\",status=\"failed\"} 40.0")
                .contains(
                        "drover_rollout_duration_seconds_sum{chain=\"harbour\",status=\"completed\",strategy=\"rolling\"} 600.0");
    }

    @Test
    void aPausedRolloutShowsItsReason() {
        LoopMeter.RolloutCommitMeter loop = metrics(HistoryForMetricsViews.NONE).rolloutMeter(ID);
        RolloutState.Running state = new RolloutState.Running(START);
        loop.recordLoaded(loaded(in(created, state.pause(PauseReason.CANARY_FAILED, START))));
        assertThat(scraped.toPrometheusText())
                .contains("drover_rollout_paused{chain=\"harbour\",reason=\"CANARY_FAILED\"} 1.0");
    }

    @Test
    void theShareOfDecidedNodesAndThePhasesOfTheOthersAreShown() {
        LoopMeter.RolloutCommitMeter loop = metrics(HistoryForMetricsViews.NONE).rolloutMeter(ID);
        List<NodeUpgrade> nodes = List.copyOf(running.nodes().values());
        NodeState.Assigned given = new NodeState.Pending(START).assign(1, START);
        Map<NodeId, NodeUpgrade> moved = new LinkedHashMap<>(running.nodes());
        put(moved, nodes.get(0), given.start().startSettling("run", START).succeed(START), null);
        put(moved, nodes.get(1), given.start(), UpgradePhase.STOPPED);
        put(moved, nodes.get(2), given.start().startSettling("run", START), UpgradePhase.STARTING);
        loop.recordLoaded(
                loaded(
                        new Rollout(
                                ID,
                                running.revision(),
                                running.spec(),
                                running.state(),
                                0,
                                0,
                                running.batches(),
                                moved)));
        assertThat(scraped.toPrometheusText())
                .contains(
                        "drover_rollout_progress{chain=\"harbour\",rollout_id=\"" + ID + "\"} 0.25")
                .contains("phase=\"STOPPED\",rollout_id=\"" + ID + "\"} 1.0")
                .contains("phase=\"VERIFYING\",rollout_id=\"" + ID + "\"} 1.0")
                .contains("phase=\"STARTING\",rollout_id=\"" + ID + "\"} 0.0");
    }

    private static void put(
            Map<NodeId, NodeUpgrade> nodes,
            NodeUpgrade node,
            NodeState state,
            @Nullable UpgradePhase phase) {
        nodes.put(
                node.id(),
                new NodeUpgrade(
                        node.target(),
                        0,
                        state,
                        1,
                        1,
                        true,
                        1,
                        0,
                        new AttemptProgress(phase, "", 0),
                        ""));
    }

    /** Two terms of one process may overlap for a moment. */
    @Test
    void theEndOfAnOldTermHidesNothingOfTheNext() {
        CoordinatorMetrics metrics = metrics(HistoryForMetricsViews.NONE);
        LoopMeter.RolloutCommitMeter old = metrics.rolloutMeter(ID);
        LoopMeter.RolloutCommitMeter next = metrics.rolloutMeter(ID);
        old.recordLoaded(loaded(running));
        next.recordLoaded(loaded(running));
        old.recordEnd();
        assertThat(scraped.toPrometheusText())
                .contains("drover_rollout_active{chain=\"harbour\"} 1.0");
        next.recordEnd();
        assertThat(scraped.toPrometheusText())
                .contains("drover_rollout_active{chain=\"harbour\"} 0.0");
    }

    private CoordinatorMetrics metrics(HistoryForMetricsViews past) {
        return new CoordinatorMetrics(scraped, past, () -> 0);
    }

    private RolloutWithHistoryHead loaded(Rollout rollout) {
        return new RolloutWithHistoryHead(rollout, head, "trace");
    }

    private Commit completed(Duration after) {
        Instant end = START.plus(after);
        return commit(running, in(running, new RolloutState.Completed(end)), end);
    }

    private Commit commit(Rollout before, Rollout after, Instant at) {
        HistoryEntry moved =
                row(
                        at,
                        "rollout",
                        "",
                        StateNameFormatter.of(before.state()),
                        StateNameFormatter.of(after.state()));
        return commit(before, after, List.of(moved));
    }

    private Commit commit(Rollout before, Rollout after, List<HistoryEntry> rows) {
        return new Commit(1, before, after, rows, head, List.of(), List.of(), List.of());
    }

    private Commit.Outcome written(Commit commit) {
        for (HistoryEntry row : commit.history()) {
            head = row.hashAfter(head);
        }
        return new Commit.Outcome.Committed(head);
    }

    private static Commit.Outcome unclear(Commit commit) {
        throw new StoreUnavailable("committing", new IllegalStateException("the line is cut"));
    }

    private static HistoryEntry row(
            Instant at, String subject, String node, String from, String to) {
        return new HistoryEntry(at, 1, "drover", subject, node, from, to, new Cause("CODE", "So."));
    }

    private static Rollout in(Rollout rollout, RolloutState state) {
        return new Rollout(
                rollout.id(),
                rollout.revision(),
                rollout.spec(),
                state,
                0,
                0,
                rollout.batches(),
                rollout.nodes());
    }
}
