package drover.coordinator.engine.leader;

import drover.coordinator.election.LeaderElector;
import drover.coordinator.engine.loop.LoopScheduler;
import drover.coordinator.engine.loop.ThreadLoopScheduler;
import drover.coordinator.engine.loop.WakeupSignal;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.store.request.RequestNotificationReader;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the elector's proposals into terms: a term begins when elected and able to take over, and
 * ends when the election or the fence is lost. Fails closed: while the database is away nothing
 * leads.
 */
public final class Leadership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration ABORT_TIMEOUT =
            Duration.ofSeconds(6); // longer than a term takes that must end as it begins
    private static final Duration LISTEN = Duration.ofSeconds(1);

    private final String candidate;
    private final LeaderElector elector;
    private final LeaderDependencies neighbours;
    private final Database database;
    private final LoopScheduler pacer; // of its terms
    private final WakeupSignal wakeup = new WakeupSignal();
    private final FollowerWarmup warmup;
    private final LostTermBackoff takeoverBackoff =
            new LostTermBackoff(); // under this object's lock
    private final Thread keeper = Thread.ofVirtual().name("leadership").unstarted(this::run);
    private volatile boolean closed;
    private @Nullable LeaderTerm term;
    private @Nullable LeaderTerm finishing; // does not lead any more, and may still write

    /** Leadership of this candidate. */
    public Leadership(
            String candidate,
            LeaderElector elector,
            LeaderDependencies neighbours,
            Database database) {
        this(candidate, elector, neighbours, database, new ThreadLoopScheduler());
    }

    /** Leadership whose terms run on this pacer. */
    Leadership(
            String candidate,
            LeaderElector elector,
            LeaderDependencies neighbours,
            Database database,
            LoopScheduler pacer) {
        this.candidate = candidate;
        this.elector = elector;
        this.neighbours = neighbours;
        this.database = database;
        this.pacer = pacer;
        this.warmup = new FollowerWarmup(candidate, neighbours, this::isLeader);
    }

    /** Begins to campaign. */
    public void start() {
        keeper.start();
        Thread.ofVirtual().name("request-listener").start(this::listenForRequests);
        warmup.start();
        elector.campaign(
                candidate,
                new LeaderElector.Listener() {
                    @Override
                    public void onElected() {
                        resetBackoff();
                        wakeup.signal();
                    }

                    @Override
                    public void onLost() {
                        LOG.warn(
                                "This coordinator is not elected any more coordinatorId={}",
                                candidate);
                        endTerm();
                        wakeup.signal();
                    }
                });
    }

    /** The fleet as the leader sees it; empty when this replica does not lead. */
    public synchronized Optional<FleetView> fleetView() {
        return Optional.ofNullable(term).map(LeaderTerm::fleetView);
    }

    /** Whether this replica leads. */
    public synchronized boolean isLeader() {
        return term != null;
    }

    private void run() {
        try {
            while (!closed) {
                Duration left = remainingBackoff();
                if (left.isZero() && elector.isElected() && !isLeader()) {
                    recordTermStart();
                    tryStartTerm();
                }
                wakeup.await(left.isPositive() && left.compareTo(RETRY) < 0 ? left : RETRY);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tryStartTerm() {
        try {
            LeaderTerm started = LeaderTerm.start(candidate, neighbours, pacer, this::endLostTerm);
            boolean wanted;
            synchronized (this) {
                wanted =
                        !closed
                                && !started.hasEnded()
                                && elector.isElected(); // re-checked after the fence was taken
                term = wanted ? started : null;
            }
            if (!wanted) {
                closeUninterruptibly(started);
            }
        } catch (StoreUnavailable e) {
            if (!closed) {
                LOG.warn("Cannot take over yet; trying again reason={}", e.getMessage());
            }
        }
    }

    /** Waits for its loops also where this thread was told to end. */
    private static void closeUninterruptibly(LeaderTerm started) {
        boolean interrupted = Thread.interrupted();
        started.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends at once what leads, or what still finishes its rounds: the lease is gone. */
    private void endTerm() {
        LeaderTerm ending;
        synchronized (this) {
            ending = term == null ? finishing : term;
            term = null;
        }
        if (ending != null) {
            ending.close();
        }
    }

    private void finishTerm() {
        LeaderTerm ending;
        synchronized (this) {
            ending = term;
            finishing = term;
            term = null;
        }
        if (ending != null) {
            ending.finish();
        }
    }

    /**
     * The term itself has found that it must end: another leader has taken over. Still elected,
     * this one tries again after a rest from here on, so that two who are told to lead leave time
     * for work.
     */
    private void endLostTerm(LeaderTerm over) {
        synchronized (this) {
            takeoverBackoff.recordTermLoss(System.nanoTime());
            if (term == over) {
                term = null;
            }
        }
        over.close();
    }

    private synchronized void resetBackoff() {
        takeoverBackoff.reset();
    }

    private synchronized void recordTermStart() {
        takeoverBackoff.recordTermStart(System.nanoTime());
    }

    private synchronized Duration remainingBackoff() {
        return takeoverBackoff.remainingBackoff(System.nanoTime());
    }

    private void listenForRequests() {
        while (!closed) {
            try (RequestNotificationReader listener = RequestNotificationReader.open(database)) {
                while (!closed) {
                    listener.awaitRequestedRollouts(LISTEN).forEach(this::wakeRollout);
                }
            } catch (StoreUnavailable e) {
                if (!closed) {
                    LOG.warn(
                            "Requests are not heard at once; trying again reason={}",
                            e.getMessage());
                    sleepBeforeRetry();
                }
            }
        }
    }

    private void sleepBeforeRetry() {
        try {
            wakeup.sleep(RETRY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void wakeRollout(RolloutId rollout) {
        warmup.wake();
        if (term != null) {
            term.wakeRollout(rollout);
        }
    }

    /** Ends the term before it resigns: whoever follows finds nobody in the way. */
    @Override
    public void close() {
        closed = true;
        warmup.close();
        try {
            finishTerm();
        } finally {
            abortTakeover();
            elector.close();
            wakeup.signal();
        }
    }

    /**
     * A candidate that still waits for writers of before gives up: an epoch that it raised after it
     * resigned would end the term of whoever follows.
     */
    private void abortTakeover() {
        keeper.interrupt();
        try {
            if (keeper.isAlive()) {
                boolean _ = keeper.join(ABORT_TIMEOUT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
