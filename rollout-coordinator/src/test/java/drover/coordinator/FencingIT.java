package drover.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.election.AlwaysElectedElector;
import drover.coordinator.election.LeaderElector;
import drover.coordinator.store.rollout.StoredHashChain;
import drover.coordinator.store.sql.FenceBreaches;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two whole coordinators that are both told, always, that they are elected. PostgreSQL decides who
 * may write, and the database itself looks for whoever does so nevertheless.
 */
@Faults(
        rule = "B1 (a stale leader cannot write)",
        sample = "FenceIT.aBusyOldLeaderWritesNothingAfterItsSuccessorTookOver")
final class FencingIT {
    private static final Duration SOON = Waits.LIMIT;
    private static final Duration TAKE_OVER = Duration.ofSeconds(2); // decision 0051
    private static final Duration POLL_INTERVAL = Duration.ofMillis(5);
    private static final int BUSY = 32; // rollouts under way, and connections for them
    private static final int WARM = 30; // commits before the other one comes
    private static final int TURNS = 4; // times that one takes over from the other

    @AutoClose private CoordinatorPair pair;
    private FenceBreaches breaches;

    private final ScriptedElector successor = new ScriptedElector();

    @BeforeEach
    void openTheDatabase() {
        pair = new CoordinatorPair(connections -> new AlwaysElectedElector());
        breaches = FenceBreaches.watch(pair.database);
    }

    private long written(long epoch) {
        return pair.database.count("SELECT count(*) FROM history WHERE epoch = ?", epoch);
    }

    @Test
    @DisplayName(
            "B1, B3: of two that both believe they lead, none writes after the other took over")
    void ofTwoBusyLeadersNoneWritesAfterTheOtherTookOver() throws Exception {
        pair.first(BUSY);
        try (OperatorWorkload drivers = OperatorWorkload.start(pair.database, BUSY)) {
            await().atMost(SOON).until(() -> written(1) > WARM);
            pair.second(BUSY);
            await().atMost(SOON).until(() -> pair.epoch() > TURNS);
            long old = pair.epoch();
            await().atMost(SOON).until(() -> pair.epoch() > old);
            long before = written(old);
            await().atMost(SOON).until(() -> written(pair.epoch()) > 0);

            assertThat(written(old)).isEqualTo(before);
            assertThat(breaches.found()).isEmpty();
            assertThat(drivers.rollouts())
                    .allSatisfy(
                            id -> assertThat(StoredHashChain.breaks(pair.database, id)).isEmpty());
        }
    }

    /** Where within a fenced transaction the leader is stopped. */
    enum Place {
        /** It has written, and does not commit. */
        IDLE_IN_A_TRANSACTION,
        /** It has asked, and reads no more of the answer; a long one is {@code FenceIT}'s. */
        IN_THE_MIDDLE_OF_A_RESULT,
        /** PostgreSQL has its COMMIT, and it never hears the answer. */
        AFTER_COMMIT
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "B1, B7: a leader that was stopped holds nobody up, and writes nothing when it wakes")
    void aLeaderThatWasStoppedWritesNothingWhenItWakes(Place place) throws Exception {
        pair.first(BUSY);
        RolloutCoordinator second = pair.second(BUSY, successor);
        try (OperatorWorkload drivers = OperatorWorkload.start(pair.database, 8)) {
            await().atMost(SOON).until(() -> written(1) > WARM);
            stop(place);
            Duration took = fromItsTurnUntilItMayWrite();
            Waits.measured("FencingIT: " + place + ": taken over", took, TAKE_OVER);
            await().atMost(SOON).until(second::leads);
            long before = written(1);
            await().atMost(SOON).until(() -> written(2) > WARM);

            pair.wire.thaw();
            await().atMost(SOON).until(() -> pair.epoch() > 2); // it is awake: it takes over anew
            await().atMost(SOON).until(() -> written(pair.epoch()) > 0);

            assertThat(written(1)).isEqualTo(before);
            assertThat(breaches.found()).isEmpty();
            assertThat(drivers.rollouts())
                    .allSatisfy(
                            id -> assertThat(StoredHashChain.breaks(pair.database, id)).isEmpty());
        }
    }

    /** The fence is the candidate's as soon as its epoch is committed. */
    private Duration fromItsTurnUntilItMayWrite() {
        long old = pair.epoch();
        long turn = successor.elect();
        await().pollDelay(Duration.ZERO)
                .pollInterval(POLL_INTERVAL)
                .atMost(SOON)
                .until(() -> pair.epoch() > old);
        return Duration.ofNanos(System.nanoTime() - turn);
    }

    /** Elects its one candidate when the test says so, which is ready to lead by then. */
    private static final class ScriptedElector implements LeaderElector {
        private final CompletableFuture<Listener> listener = new CompletableFuture<>();
        private volatile boolean elected;

        /** When it was the candidate's turn, in nanoseconds of this machine. */
        long elect() {
            Listener candidate = listener.join(); // which comes when it is ready
            elected = true;
            long turn = System.nanoTime();
            candidate.onElected();
            return turn;
        }

        @Override
        public void campaign(String candidate, Listener received) {
            listener.complete(received);
        }

        @Override
        public boolean isElected() {
            return elected;
        }

        @Override
        public void close() {
            elected = false;
        }
    }

    private void stop(Place place) throws InterruptedException {
        BiPredicate<String, String> commits =
                (earlier, now) ->
                        now.contains("COMMIT")
                                && earlier.lastIndexOf("drover-leader/")
                                        > earlier.lastIndexOf("COMMIT");
        BiPredicate<String, String> writes =
                (earlier, now) -> now.contains("INSERT INTO history"); // under the fence alone
        switch (place) {
            case IDLE_IN_A_TRANSACTION -> pair.wire.freezeBefore(commits);
            case IN_THE_MIDDLE_OF_A_RESULT -> pair.wire.freezeAfter(writes);
            case AFTER_COMMIT -> pair.wire.freezeAfter(commits);
        }
        pair.wire.awaitFrozen();
    }
}
