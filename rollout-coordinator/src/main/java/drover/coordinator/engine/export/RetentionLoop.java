package drover.coordinator.engine.export;

import drover.coordinator.engine.loop.WakeupSignal;
import drover.coordinator.plan.RetentionRules;
import drover.coordinator.store.retention.RetentionStore;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's loop that takes away what is long past, once an hour: decide of each ended rollout,
 * commit that, and only then take its rows away, a thousand in a transaction. What a round leaves
 * the next one finds, of this leader or of another.
 */
public final class RetentionLoop {
    private static final Logger LOG = LoggerFactory.getLogger(RetentionLoop.class);

    private static final Duration ROUND = Duration.ofHours(1); // of a time that counts in days

    /** The first round: when a new leader has had time for what matters more. */
    private static final Duration INITIAL_DELAY = Duration.ofMinutes(5);

    /** Between two transactions, so that rollouts under way hardly notice. */
    private static final Duration PAUSE_BETWEEN_TRANSACTIONS = Duration.ofMillis(50);

    /** Rows in one transaction: some 10 ms, and as long do others wait for a row. */
    static final int MAX_ROWS = 1_000;

    private static final int PAGE = 100; // of rollouts, to keep little in memory

    private final long epoch;
    private final StoreAndRetention ends;
    private final Supplier<Instant> clock;
    private final WakeupSignal pause = new WakeupSignal();
    private final Thread thread;
    private volatile boolean ended;

    /**
     * Where it takes from.
     *
     * @param retention how long ended rollouts stay whole; zero for good
     */
    public record StoreAndRetention(RetentionStore store, Duration retention) {
        /** Everything stays. */
        public static StoreAndRetention retainAll() {
            return new StoreAndRetention(RetentionStore.retainAll(), Duration.ZERO);
        }
    }

    /**
     * @param clock the database's time
     */
    public RetentionLoop(long epoch, StoreAndRetention ends, Supplier<Instant> clock) {
        this.epoch = epoch;
        this.ends = ends;
        this.clock = clock;
        this.thread = Thread.ofVirtual().name("retention-" + epoch).unstarted(this::run);
    }

    public void start() {
        if (ends.retention().isPositive()) {
            thread.start();
        }
    }

    public void stop() {
        ended = true;
        thread.interrupt();
    }

    private void run() {
        try {
            pause.sleep(INITIAL_DELAY);
            while (!ended && runGuardedRoundUnlessStale()) {
                pause.sleep(ROUND);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the term has ended
        }
    }

    private boolean runGuardedRoundUnlessStale() throws InterruptedException {
        try {
            return runRoundUnlessStale();
        } catch (StoreUnavailable e) {
            LOG.debug("What is past stays reason={}", e.getMessage()); // the term tells of it
        } catch (RuntimeException e) {
            if (!ended) {
                LOG.error("What is past could not be taken away by a bug; rollouts go on", e);
            }
        }
        return true;
    }

    /** One round; false when another leader has taken over. */
    boolean runRoundUnlessStale() throws InterruptedException {
        Instant now = clock.get();
        Instant before = now.minus(ends.retention());
        return markForPruningUnlessStale(now)
                && pruneMarkedRolloutsUnlessStale()
                && deleteRowsOutsideRolloutsUnlessStale(before)
                && deleteUntilEmptyUnlessStale(
                        rows -> ends.store().deleteGroupsAndIncidents(epoch, before, rows));
    }

    /** Ends: the pages go through what has ended, the oldest first. */
    private boolean markForPruningUnlessStale(Instant now) {
        List<RetentionRules.EndedRollout> page =
                ends.store().findEndedUnpruned(now.minus(ends.retention()), null, PAGE);
        while (!page.isEmpty()) {
            for (RetentionRules.EndedRollout rollout : page) {
                if (RetentionRules.decide(rollout, now, ends.retention())
                                == RetentionRules.RetentionDecision.EXPIRED
                        && !markForPruningUnlessStale(rollout, now)) {
                    return false;
                }
            }
            page =
                    ends.store()
                            .findEndedUnpruned(
                                    now.minus(ends.retention()), page.getLast().id(), PAGE);
        }
        return true;
    }

    private boolean markForPruningUnlessStale(RetentionRules.EndedRollout rollout, Instant now) {
        return switch (ends.store()
                .markForPruningIfExpired(epoch, rollout.id(), now, ends.retention())) {
            case GOES -> {
                LOG.info(
                        "The history of a rollout is pruned rolloutId={} endedAt={}",
                        rollout.id(),
                        rollout.endedAt());
                yield true;
            }
            case STAYS -> true;
            case STALE_EPOCH -> false;
        };
    }

    /** What a receiver of events has not been told of yet waits for a later round. */
    private boolean pruneMarkedRolloutsUnlessStale() throws InterruptedException {
        for (RolloutId id : ends.store().findMarkedForPruning(PAGE)) {
            if (!deleteUntilEmptyUnlessStale(
                    rows -> ends.store().deleteRolloutRows(epoch, id, rows))) {
                return false;
            }
        }
        return true;
    }

    private boolean deleteRowsOutsideRolloutsUnlessStale(Instant before)
            throws InterruptedException {
        return deleteUntilEmptyUnlessStale(
                rows -> ends.store().deleteRowsOutsideRollouts(epoch, before, rows));
    }

    /** Ends: every transaction but the last takes rows away, and nobody adds to what is past. */
    private boolean deleteUntilEmptyUnlessStale(Function<Integer, Optional<Integer>> transaction)
            throws InterruptedException {
        while (!ended) {
            Optional<Integer> removed = transaction.apply(MAX_ROWS);
            if (removed.isEmpty()) {
                return false;
            }
            if (removed.get() == 0) {
                return true;
            }
            pause.sleep(PAUSE_BETWEEN_TRANSACTIONS);
        }
        return true;
    }
}
