package drover.coordinator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.election.StaticElector;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.store.LeaderStore;
import drover.coordinator.store.StoreUnavailable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LeadershipIT {
    private static final Duration SOON = Duration.ofSeconds(30); // a busy machine
    private final TermRig rig = new TermRig(Plan.rolling("demo", 1, 1));
    private final CountDownLatch waits = new CountDownLatch(1);
    private final CountDownLatch writersOfBefore = new CountDownLatch(1);
    private final CompletableFuture<String> tookOver = new CompletableFuture<>();

    @AfterEach
    void closeTheRig() {
        rig.close();
    }

    /** Whoever takes over waits for writers of before. */
    private LeaderStore busy() {
        return rig.around(
                (method, arguments, real) ->
                        method.equals("takeOver") ? takenOver(real) : real.go());
    }

    private Object takenOver(TermRig.Call real) throws Throwable {
        waits.countDown();
        try {
            writersOfBefore.await();
        } catch (InterruptedException e) {
            tookOver.complete("broken off");
            throw new StoreUnavailable("taking over leadership", e);
        }
        Object epoch = real.go();
        tookOver.complete("epoch " + epoch);
        return epoch;
    }

    @Test
    @DisplayName("B3: a candidate that ends while it waits for the fence raises no epoch any more")
    void whoeverEndsBeforeItLeadsRaisesNoEpoch() {
        Leadership leadership =
                new Leadership(
                        "candidate",
                        new StaticElector(),
                        rig.neighbours(busy()),
                        rig.database.database());
        leadership.start();
        Awaitility.await().atMost(SOON).until(() -> waits.getCount() == 0);

        leadership.close();
        writersOfBefore.countDown();

        assertThat(tookOver.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join())
                .isEqualTo("broken off");
        assertThat(rig.database.count("SELECT epoch FROM leader_epoch")).isZero();
    }

    @Test
    void whoeverEndsBeforeItBeganEnds() {
        Leadership leadership =
                new Leadership(
                        "candidate",
                        new StaticElector(),
                        rig.neighbours(),
                        rig.database.database());

        leadership.close();

        assertThat(leadership.leads()).isFalse();
    }
}
