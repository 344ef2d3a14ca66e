package drover.coordinator.engine;

import drover.coordinator.measure.Ended;
import drover.coordinator.measure.Move;
import drover.coordinator.measure.WorkTimes;
import drover.coordinator.plan.Rollout;
import drover.coordinator.plan.Strategy;
import drover.coordinator.store.Commit;
import drover.coordinator.store.HistoryRow;
import drover.coordinator.store.LeaderStore.Loaded;
import drover.coordinator.store.StoreUnavailable;
import drover.model.RolloutId;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures one rollout: every move once, when its commit is known to be written. */
final class RolloutGauge implements LoopMeter.OfRollout {
    private static final Logger LOG = LoggerFactory.getLogger(RolloutGauge.class);

    private final RolloutId id;
    private final RolloutMetrics metrics;
    private final WorkTimes times = new WorkTimes();
    private volatile @Nullable Rollout rollout; // null before it was read
    private @Nullable Commit unsure; // was it written? null when that is known

    RolloutGauge(RolloutId id, RolloutMetrics metrics) {
        this.id = id;
        this.metrics = metrics;
    }

    /** As it was last read or written. */
    Optional<Rollout> rollout() {
        return Optional.ofNullable(rollout);
    }

    @Override
    public void loaded(Loaded loaded) {
        settleTheUnsure(loaded.historyHead());
        if (rollout == null) {
            rememberThePast();
        }
        rollout = loaded.rollout();
        metrics.show(id, this, loaded.rollout());
    }

    /** The rollout read anew shows whether an ambiguous commit was written (invariant B8). */
    private void settleTheUnsure(String head) {
        Commit commit = unsure;
        unsure = null;
        if (commit != null && !commit.history().isEmpty() && head.equals(headAfter(commit))) {
            count(commit);
        }
    }

    private static String headAfter(Commit commit) {
        String head = commit.historyHead();
        for (HistoryRow row : commit.history()) {
            head = row.hashAfter(head);
        }
        return head;
    }

    private void rememberThePast() {
        times.forget();
        try {
            times.remember(metrics.past.of(id));
        } catch (StoreUnavailable e) { // then some durations are not known: no matter
            LOG.warn(
                    "Durations will be missing from metrics rolloutId={} reason={}",
                    id,
                    e.getMessage());
        }
    }

    @Override
    public Commit.Outcome commit(Commit commit, Function<Commit, Commit.Outcome> write) {
        unsure = commit;
        long began = metrics.nanos();
        Commit.Outcome outcome;
        try {
            outcome = write.apply(commit);
        } catch (RuntimeException e) {
            metrics.committed(began, "failed");
            throw e;
        }
        unsure = null;
        metrics.committed(began, RolloutMetrics.word(outcome));
        if (outcome instanceof Commit.Outcome.Committed) {
            rollout = commit.after();
            count(commit);
        }
        return outcome;
    }

    private void count(Commit commit) {
        List<Move> moves = commit.history().stream().map(RolloutGauge::move).toList();
        String chain = RolloutMetrics.chain(commit.after());
        String strategy = word(commit.after().spec().strategy());
        for (Ended ended : times.after(moves)) {
            switch (ended) {
                case Ended.OfRollout(String status, var took) -> {
                    metrics.rollouts.increment(chain, strategy, status);
                    if (took != null) {
                        metrics.rolloutTimes.record(took, chain, strategy, status);
                    }
                }
                case Ended.OfNode(String status, var took) -> {
                    metrics.nodes.increment(chain, status);
                    if (took != null) {
                        metrics.nodeTimes.record(took, chain, status);
                    }
                }
            }
        }
    }

    private static Move move(HistoryRow row) {
        return new Move(row.at(), row.subject(), row.node(), row.from(), row.to());
    }

    static String word(Strategy strategy) {
        return switch (strategy) {
            case Strategy.Rolling rolling -> "rolling";
            case Strategy.Canary canary -> "canary";
            case Strategy.Progressive progressive -> "progressive";
            case Strategy.AllAtOnce all -> "all_at_once";
        };
    }

    @Override
    public void over() {
        metrics.hide(id, this);
    }
}
