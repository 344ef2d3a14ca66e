package drover.coordinator.store;

import static drover.coordinator.store.StoredRollout.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.RolloutState;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.store.LeaderStore.Loaded;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FenceIT {
    private static final int WRITERS = 8; // as many connections as a leader may have
    private static final int WARM = 200; // commits before the new leader comes

    @Test
    @DisplayName("B1, B7: a busy old leader writes nothing after the new one has taken over")
    void aBusyOldLeaderWritesNothingAfterItsSuccessorTookOver() throws Exception {
        try (TestDatabase database = TestDatabase.open();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            LeaderStore store = new PostgresLeaderStore(database.database());
            long old = store.takeOver("old");
            AtomicLong commits = new AtomicLong();
            CountDownLatch busy = new CountDownLatch(WARM);
            List<Future<Boolean>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                RolloutId id = StoredRollout.create(database, Plan.rolling("chain-" + i, 2, 1));
                writers.add(threads.submit(() -> writeUntilFenced(store, old, id, commits, busy)));
            }
            busy.await();

            long asked = System.nanoTime();
            long later = store.takeOver("new");
            Duration took = Duration.ofNanos(System.nanoTime() - asked);
            long written = database.count("SELECT count(*) FROM history WHERE epoch = ?", old);
            for (Future<Boolean> writer : writers) {
                assertThat(writer.get()).as("was fenced").isTrue();
            }

            assertThat(took).isLessThanOrEqualTo(Duration.ofSeconds(2));
            assertThat(later).isEqualTo(old + 1);
            assertThat(database.count("SELECT count(*) FROM history WHERE epoch = ?", old))
                    .as("rows of the old epoch: none is added after the take-over")
                    .isEqualTo(written)
                    .isEqualTo(commits.get());
        }
    }

    private static boolean writeUntilFenced(
            LeaderStore store, long epoch, RolloutId id, AtomicLong commits, CountDownLatch busy) {
        for (int turn = 0; turn < 1_000_000; turn++) {
            Loaded loaded = store.load(id).orElseThrow();
            RolloutState next =
                    loaded.rollout().state() instanceof RolloutState.Running running
                            ? running.pause(drover.coordinator.plan.PauseReason.OPERATOR, NOW)
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
