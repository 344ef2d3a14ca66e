package drover.coordinator.store.sql;

import static drover.coordinator.store.rollout.StoredRollout.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Faults;
import drover.coordinator.FreezableProxy;
import drover.coordinator.Waits;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.kit.database.ConnectionPool;
import drover.model.RolloutId;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

class FenceIT {
    private static final int WRITERS = 32; // connections, all of them busy
    private static final Duration SOON = Waits.LIMIT;
    private static final Duration MIN = Duration.ofSeconds(1);
    private static final Duration TAKE_OVER = Duration.ofSeconds(2); // decision 0051

    /** Longer than the writers take on a busy machine, so that no session is ended. */
    private static final Duration LONG_LOCK_TIMEOUT = Duration.ofSeconds(20);

    private static final int WARM = 200; // commits before the new leader comes

    @Test
    @DisplayName("B1, B7: a busy old leader writes nothing after the new one has taken over")
    void aBusyOldLeaderWritesNothingAfterItsSuccessorTookOver() throws Exception {
        try (TestDatabase database = TestDatabase.open();
                ConnectionPool connections = database.through(database.port(), WRITERS + 1);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Database through = Database.migrateAndOpen(connections);
            LeaderStore store =
                    new PostgresLeaderStore(through, new Fence(through, LONG_LOCK_TIMEOUT));
            long old = store.takeOver("old");
            AtomicLong commits = new AtomicLong();
            CountDownLatch busy = new CountDownLatch(WARM);
            List<Future<Boolean>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                RolloutId id = StoredRollout.create(database, Plan.rolling("chain-" + i, 2, 1));
                writers.add(threads.submit(() -> writeUntilFenced(store, old, id, commits, busy)));
            }
            busy.await();

            long requested = System.nanoTime();
            long later = store.takeOver("new");
            Duration took = Duration.ofNanos(System.nanoTime() - requested);
            long written = database.count("SELECT count(*) FROM history WHERE epoch = ?", old);
            for (Future<Boolean> writer : writers) {
                assertThat(writer.get()).as("was fenced, and its session not ended").isTrue();
            }

            Waits.measured("FenceIT: a busy leader is fenced", took, TAKE_OVER);
            assertThat(later).isEqualTo(old + 1);
            assertThat(database.count("SELECT count(*) FROM history WHERE epoch = ?", old))
                    .as("rows of the old epoch: none is added after the take-over")
                    .isEqualTo(written)
                    .isEqualTo(commits.get());
        }
    }

    /** To PostgreSQL a program that was stopped: its session waits for it to read on. */
    @Test
    @DisplayName("B7: an old leader that was stopped in the middle of a result holds nobody up")
    @Faults(
            rule = "B7 (a former leader delays promotion by at most 2 s)",
            sample = "FenceIT.aBusyOldLeaderWritesNothingAfterItsSuccessorTookOver")
    void stalledLeaderDelaysNoAgent() throws Exception {
        try (TestDatabase database = TestDatabase.open();
                FreezableProxy wire = new FreezableProxy(database.port());
                ConnectionPool connections = database.through(wire.port(), 2);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Fence stopped = new Fence(Database.migrateAndOpen(connections));
            long old = stopped.takeOver("old");
            wire.freezeAfter((earlier, now) -> now.contains("generate_series"));
            Future<Integer> reading =
                    threads.submit(() -> stopped.write("reading", old, 0, FenceIT::readMuch));
            wire.awaitFrozen();
            await().atMost(SOON).until(() -> stuckIn(database).contains("drover-leader/" + old));

            long requested = System.nanoTime();
            long later = new Fence(database.database()).takeOver("new");
            Duration took = Duration.ofNanos(System.nanoTime() - requested);
            assertThat(reading).as("the old leader still reads").isNotDone();
            wire.thaw();

            assertThat(later).isEqualTo(old + 1);
            assertThat(took).as("its writers had time").isGreaterThan(MIN);
            Waits.measured("FenceIT: a stopped leader is ended", took, TAKE_OVER);
            assertThatThrownBy(reading::get).hasRootCauseInstanceOf(java.io.IOException.class);
        }
    }

    /**
     * What it rehearsed in waited behind its own turn, and held the lock when the way was clear.
     */
    @Test
    @DisplayName("B7: a candidate that ended a session of its own takes over all the same")
    @Faults(
            rule = "B7 (a former leader delays promotion by at most 2 s)",
            sample = "FenceIT.aBusyOldLeaderWritesNothingAfterItsSuccessorTookOver")
    void aCandidateThatEndedASessionOfItsOwnTakesOver() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        try (TestDatabase database = TestDatabase.open();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Fence stopped = new Fence(database.database());
            long old = stopped.takeOver("old");
            Future<Integer> stopping =
                    threads.submit(
                            () -> stopped.write("stopping", old, 0, _ -> stop(started, over)));
            started.await();
            EndedSession sessions = new EndedSession(database);

            long requested = System.nanoTime();
            try {
                long later = new Fence(Database.of(sessions)).takeOver("new");
                assertThat(later).isEqualTo(old + 1);
            } finally {
                over.countDown();
            }
            Duration took = Duration.ofNanos(System.nanoTime() - requested);

            assertThat(took).as("its writers had time").isGreaterThan(MIN);
            Waits.measured("FenceIT: an own session was ended", took, TAKE_OVER);
            assertThat(sessions.lent).as("blocked, clearing, ended, its turn").isEqualTo(4);
            assertThatThrownBy(stopping::get).hasCauseInstanceOf(StoreUnavailable.class);
        }
    }

    private static int stop(CountDownLatch started, CountDownLatch over) {
        started.countDown();
        try {
            assertThat(over.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }

    /** Lends sessions of which the third, after the way was cleared, has been ended. */
    private static final class EndedSession extends PGSimpleDataSource {
        private static final long serialVersionUID = 1L;
        private final transient TestDatabase database;
        private int lent;

        EndedSession(TestDatabase database) {
            this.database = database;
            setUrl(database.url(database.port()));
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection session = super.getConnection();
            lent++;
            if (lent == 3) {
                int process = session.unwrap(PGConnection.class).getBackendPID();
                database.run("SELECT pg_terminate_backend(?, 5000)", process);
            }
            return session;
        }
    }

    @Test
    @DisplayName("SECURITY.md: what a leader's session may take is bounded by the database")
    void theDatabaseBoundsWhatALeadersSessionMayTake() {
        try (TestDatabase database = TestDatabase.open()) {
            Fence fence = new Fence(database.database());
            long epoch = fence.takeOver("leader");

            String fenced = fence.write("asking", epoch, "", FenceIT::bounds);
            String other = database.database().read("asking", FenceIT::bounds);

            assertThat(fenced).isEqualTo("5s 1min 10000");
            assertThat(other).as("creations and looks").isEqualTo("1min 1min 10000");
        }
    }

    private static String bounds(Handle handle) {
        return handle.createQuery(BOUNDS).mapTo(String.class).one();
    }

    private static final String BOUNDS =
            "SELECT current_setting('statement_timeout') || ' '"
                    + " || current_setting('idle_in_transaction_session_timeout') || ' '"
                    + " || current_setting('tcp_user_timeout')";

    private static int readMuch(Handle handle) {
        return handle.createQuery("SELECT repeat('x', 1000) FROM generate_series(1, 50000)")
                .mapTo(String.class)
                .list()
                .size();
    }

    private static List<String> stuckIn(TestDatabase database) {
        return database.texts(
                "SELECT application_name FROM pg_stat_activity WHERE wait_event = 'ClientWrite'");
    }

    private static boolean writeUntilFenced(
            LeaderStore store, long epoch, RolloutId id, AtomicLong commits, CountDownLatch busy) {
        for (int turn = 0; turn < 1_000_000; turn++) {
            RolloutWithHistoryHead loaded = store.load(id).orElseThrow();
            RolloutState next =
                    loaded.rollout().state() instanceof RolloutState.Running running
                            ? running.pause(drover.coordinator.plan.model.PauseReason.OPERATOR, NOW)
                            : new RolloutState.Running(NOW);
            Commit.Outcome outcome = store.commit(StoredRollout.move(epoch, loaded, next));
            if (outcome instanceof Commit.Outcome.StaleEpoch) {
                return true;
            }
            commits.incrementAndGet();
            busy.countDown();
        }
        return false;
    }
}
