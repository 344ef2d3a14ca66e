package drover.coordinator.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.Waits;
import drover.coordinator.election.LeaderElector;
import drover.coordinator.engine.loop.LoopScheduler;
import drover.coordinator.engine.loop.ThreadLoopScheduler;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.request.PostgresRolloutRequestStore;
import drover.coordinator.store.request.RolloutRequestStore;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What becomes of what is under way when a coordinator ends, or is not elected any more. */
class LeadershipIT {
    private static final Duration SOON = Waits.LIMIT;
    private static final Duration HOUR = Duration.ofHours(1);

    @AutoClose private final TermFixture rig = new TermFixture(Plan.rolling("demo", 1, 1));
    private final NotingElector elector = new NotingElector();

    /** A candidate that is elected, and whose first call of this waits until it is let go. */
    private Leadership heldIn(StoreCallBarrier call) {
        elector.resignation = () -> call.note("resigned");
        Leadership leadership =
                new Leadership(
                        "candidate",
                        elector,
                        rig.neighbours(call.in(rig)),
                        rig.database.database());
        rig.submit(new OperatorRequest.Start());
        leadership.start();
        call.awaitStarted(SOON);
        return leadership;
    }

    @Test
    @DisplayName("B3: a candidate that ends while it waits for the fence gives up, then resigns")
    void candidateThatEndsEarlyRaisesNoEpoch() {
        StoreCallBarrier takeOver = new StoreCallBarrier("takeOver");
        Leadership leadership = heldIn(takeOver);

        leadership.close();
        takeOver.release();

        assertThat(takeOver.happened()).containsExactly("takeOver broken off", "resigned");
        assertThat(rig.database.count("SELECT epoch FROM leader_epoch")).isZero();
    }

    @Test
    @DisplayName("B8: a leader that ends has its commit answered, then resigns")
    void stopWaitsForTheCommit() throws InterruptedException {
        StoreCallBarrier commit = new StoreCallBarrier("commit");
        Leadership leadership = heldIn(commit);

        Thread ending = Thread.ofVirtual().start(leadership::close);
        Awaitility.await().atMost(SOON).until(() -> !leadership.isLeader());
        commit.release();

        assertThat(ending.join(SOON)).isTrue();
        assertThat(commit.happened()).containsExactly("commit answered Committed", "resigned");
    }

    @Test
    @DisplayName("B5: whoever loses its lease breaks off at once what is under way")
    void leaderWithoutItsLeaseStops() {
        StoreCallBarrier commit = new StoreCallBarrier("commit");
        Leadership leadership = heldIn(commit);

        elector.lose();

        assertThat(commit.happened()).containsExactly("commit broken off");
        assertThat(leadership.isLeader()).isFalse();
        leadership.close();
    }

    @Test
    @DisplayName("S4-15 a NOTIFY wakes the leader for each request that a replica writes")
    void aNotificationWakesTheLeader() {
        Leadership leadership =
                new Leadership(
                        "candidate",
                        elector,
                        rig.neighbours(),
                        rig.database.database(),
                        new HourlyPacer());
        leadership.start();
        PostgresRolloutRequestStore requests =
                new PostgresRolloutRequestStore(rig.database.database());
        awaitListener();
        Awaitility.await().atMost(SOON).until(leadership::isLeader);

        for (int written = 0; written < 20; written++) {
            awaitDecided(requests, place(requests));
        }

        leadership.close();
    }

    private void awaitListener() {
        Awaitility.await()
                .atMost(SOON)
                .until(
                        () ->
                                rig.database.count(
                                                "SELECT count(*) FROM pg_stat_activity"
                                                        + " WHERE datname = current_database()"
                                                        + " AND query LIKE 'LISTEN drover_request%'"
                                                        + " AND state = 'idle'")
                                        > 0);
    }

    private static void awaitDecided(PostgresRolloutRequestStore requests, UUID request) {
        Awaitility.await().atMost(SOON).until(() -> isDecided(requests, request));
    }

    private static boolean isDecided(PostgresRolloutRequestStore requests, UUID request) {
        return !requests.requestStatus(request).orElseThrow().state().equals("pending");
    }

    private UUID place(PostgresRolloutRequestStore requests) {
        OperatorRequest request = new OperatorRequest.Pause(); // refused: it is not started
        RolloutRequestStore.SubmitResult placed =
                requests.submitRequest(
                        rig.id,
                        request,
                        SampleRollout.requesterOf(request),
                        UUID.randomUUID().toString(),
                        "");
        return ((RolloutRequestStore.SubmitResult.WrittenNowOrEarlier) placed).id();
    }

    @Test
    void stopBeforeTheStartStops() {
        Leadership leadership =
                new Leadership("candidate", elector, rig.neighbours(), rig.database.database());

        leadership.close();

        assertThat(leadership.isLeader()).isFalse();
    }

    /** Threads whose loops rest for an hour unless they are woken. */
    private static final class HourlyPacer implements LoopScheduler {
        private final LoopScheduler pacer = new ThreadLoopScheduler();

        @Override
        public long nanos() {
            return pacer.nanos();
        }

        @Override
        public LoopHandle prepare(String name, Loop loop) {
            return pacer.prepare(name, new Hourly(loop));
        }

        private record Hourly(Loop loop) implements Loop {
            @Override
            public @Nullable Pause runOnce() {
                Pause rest = loop.runOnce();
                return rest == null || !rest.wakeable() ? rest : new Pause(HOUR, true);
            }

            @Override
            public void onEnd() {
                loop.onEnd();
            }
        }
    }

    /** Elects at once, and notes when somebody resigns. */
    private static final class NotingElector implements LeaderElector {
        private volatile boolean elected;
        private Runnable resignation = () -> {};
        private Listener listener = new NoListener();

        @Override
        public void campaign(String candidate, Listener listener) {
            this.listener = listener;
            elected = true;
            listener.onElected();
        }

        void lose() {
            elected = false;
            listener.onLost();
        }

        @Override
        public boolean isElected() {
            return elected;
        }

        @Override
        public void close() {
            elected = false;
            resignation.run();
        }
    }

    /** Before anybody campaigns. */
    private static final class NoListener implements LeaderElector.Listener {
        @Override
        public void onElected() {}

        @Override
        public void onLost() {}
    }
}
