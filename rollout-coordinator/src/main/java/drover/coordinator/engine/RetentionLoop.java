package drover.coordinator.engine;

import drover.coordinator.plan.Retention;
import drover.coordinator.store.RetentionStore;
import drover.coordinator.store.StoreUnavailable;
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
    private static final Duration FIRST = Duration.ofMinutes(5);

    /** Between two transactions, so that rollouts under way hardly notice. */
    private static final Duration BREATH = Duration.ofMillis(50);

    /** Rows in one transaction: some 10 ms, and as long do others wait for a row. */
    static final int ROWS = 1_000;

    private static final int PAGE = 100; // of rollouts, to keep little in memory

    private final long epoch;
    private final Ends ends;
    private final Supplier<Instant> clock;
    private final Nudge pause = new Nudge();
    private final Thread thread;
    private volatile boolean ended;

    /**
     * Where it takes from.
     *
     * @param keep how long ended rollouts stay whole; zero for good
     */
    public record Ends(RetentionStore store, Duration keep) {
        /** Everything stays. */
        public static Ends keepingAll() {
            return new Ends(RetentionStore.keepingAll(), Duration.ZERO);
        }
    }

    /**
     * @param clock the database's time
     */
    RetentionLoop(long epoch, Ends ends, Supplier<Instant> clock) {
        this.epoch = epoch;
        this.ends = ends;
        this.clock = clock;
        this.thread = Thread.ofVirtual().name("retention-" + epoch).unstarted(this::run);
    }

    void start() {
        if (ends.keep().isPositive()) {
            thread.start();
        }
    }

    void stop() {
        ended = true;
        thread.interrupt();
    }

    private void run() {
        try {
            pause.rest(FIRST);
            while (!ended && guardedRound()) {
                pause.rest(ROUND);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the term has ended
        }
    }

    private boolean guardedRound() throws InterruptedException {
        try {
            return round();
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
    boolean round() throws InterruptedException {
        Instant now = clock.get();
        Instant before = now.minus(ends.keep());
        return decide(now)
                && takeAway()
                && takeAwayOfNodes(before)
                && untilNothingGoes(rows -> ends.store().takeAwayOfGroups(epoch, before, rows));
    }

    /** Ends: the pages go through what has ended, the oldest first. */
    private boolean decide(Instant now) {
        List<Retention.Ended> page = ends.store().ended(now.minus(ends.keep()), null, PAGE);
        while (!page.isEmpty()) {
            for (Retention.Ended rollout : page) {
                if (Retention.judge(rollout, now, ends.keep()) == Retention.Judgement.GOES
                        && !decide(rollout, now)) {
                    return false;
                }
            }
            page = ends.store().ended(now.minus(ends.keep()), page.getLast().id(), PAGE);
        }
        return true;
    }

    private boolean decide(Retention.Ended rollout, Instant now) {
        return switch (ends.store().decide(epoch, rollout.id(), now, ends.keep())) {
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
    private boolean takeAway() throws InterruptedException {
        for (RolloutId id : ends.store().going(PAGE)) {
            if (!untilNothingGoes(rows -> ends.store().takeAway(epoch, id, rows))) {
                return false;
            }
        }
        return true;
    }

    private boolean takeAwayOfNodes(Instant before) throws InterruptedException {
        return untilNothingGoes(rows -> ends.store().takeAwayOfNodes(epoch, before, rows));
    }

    /** Ends: every transaction but the last takes rows away, and nobody adds to what is past. */
    private boolean untilNothingGoes(Function<Integer, Optional<Integer>> transaction)
            throws InterruptedException {
        while (!ended) {
            Optional<Integer> gone = transaction.apply(ROWS);
            if (gone.isEmpty()) {
                return false;
            }
            if (gone.get() == 0) {
                return true;
            }
            pause.rest(BREATH);
        }
        return true;
    }
}
