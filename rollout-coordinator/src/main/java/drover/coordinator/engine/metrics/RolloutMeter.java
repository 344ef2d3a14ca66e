package drover.coordinator.engine.metrics;

import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.metrics.FinishedWork;
import drover.coordinator.metrics.HistoryEntryForMetrics;
import drover.coordinator.metrics.RolloutAndNodeDurationTracker;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.RolloutId;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures one rollout: every move once, when its commit is known to be written. */
final class RolloutMeter implements LoopMeter.RolloutCommitMeter {
    private static final Logger LOG = LoggerFactory.getLogger(RolloutMeter.class);

    private final RolloutId id;
    private final CoordinatorMetrics metrics;
    private final RolloutAndNodeDurationTracker times = new RolloutAndNodeDurationTracker();
    private volatile @Nullable Rollout rollout; // null before it was read
    private @Nullable Commit unsure; // was it written? null when that is known

    RolloutMeter(RolloutId id, CoordinatorMetrics metrics) {
        this.id = id;
        this.metrics = metrics;
    }

    /** As it was last read or written. */
    Optional<Rollout> latestRollout() {
        return Optional.ofNullable(rollout);
    }

    @Override
    public void recordLoaded(RolloutWithHistoryHead loaded) {
        resolveAmbiguousCommit(loaded.historyHead());
        if (rollout == null) {
            loadHistory();
        }
        rollout = loaded.rollout();
        metrics.addRollout(id, this, loaded.rollout());
    }

    /** The rollout read anew shows whether an ambiguous commit was written (invariant B8). */
    private void resolveAmbiguousCommit(String head) {
        Commit commit = unsure;
        unsure = null;
        if (commit != null
                && !commit.history().isEmpty()
                && head.equals(historyHeadAfter(commit))) {
            count(commit);
        }
    }

    private static String historyHeadAfter(Commit commit) {
        String head = commit.historyHead();
        for (HistoryEntry row : commit.history()) {
            head = row.hashAfter(head);
        }
        return head;
    }

    private void loadHistory() {
        times.clear();
        try {
            times.replay(metrics.history.findEntries(id));
        } catch (StoreUnavailable e) { // then some durations are not known: no matter
            LOG.warn(
                    "Durations will be missing from metrics rolloutId={} reason={}",
                    id,
                    e.getMessage());
        }
    }

    @Override
    public Commit.Outcome measureCommit(Commit commit, Function<Commit, Commit.Outcome> write) {
        unsure = commit;
        long started = metrics.nanos();
        Commit.Outcome outcome;
        try {
            outcome = write.apply(commit);
        } catch (RuntimeException e) {
            metrics.recordCommit(started, "failed");
            throw e;
        }
        unsure = null;
        metrics.recordCommit(started, CoordinatorMetrics.outcomeLabel(outcome));
        if (outcome instanceof Commit.Outcome.Committed) {
            rollout = commit.after();
            count(commit);
        }
        return outcome;
    }

    private void count(Commit commit) {
        List<HistoryEntryForMetrics> moves =
                commit.history().stream().map(RolloutMeter::toMeasuredEntry).toList();
        String chain = CoordinatorMetrics.chainLabel(commit.after());
        String strategy = strategyLabel(commit.after().spec().strategy());
        for (FinishedWork ended : times.applyCommitted(moves)) {
            switch (ended) {
                case FinishedWork.FinishedRollout(String status, var took) -> {
                    metrics.rollouts.increment(chain, strategy, status);
                    if (took != null) {
                        metrics.rolloutTimes.record(took, chain, strategy, status);
                    }
                }
                case FinishedWork.FinishedNode(String status, var took) -> {
                    metrics.nodes.increment(chain, status);
                    if (took != null) {
                        metrics.nodeTimes.record(took, chain, status);
                    }
                }
            }
        }
    }

    private static HistoryEntryForMetrics toMeasuredEntry(HistoryEntry row) {
        return new HistoryEntryForMetrics(
                row.at(), row.subject(), row.node(), row.from(), row.to());
    }

    static String strategyLabel(Strategy strategy) {
        return switch (strategy) {
            case Strategy.Rolling rolling -> "rolling";
            case Strategy.Canary canary -> "canary";
            case Strategy.Progressive progressive -> "progressive";
            case Strategy.AllAtOnce all -> "all_at_once";
        };
    }

    @Override
    public void recordEnd() {
        metrics.removeRollout(id, this);
    }
}
