package drover.coordinator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.OperatorRequest;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.store.Commit;
import drover.coordinator.store.HistoryCheck;
import drover.coordinator.store.StoreUnavailable;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How a term ends when its process is asked to end. */
class FinishedTermIT {
    private static final Duration SOON = Duration.ofSeconds(30); // a busy machine
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final Queue<String> commits = new ConcurrentLinkedQueue<>();
    private TermRig rig;

    @BeforeEach
    void createARollout() {
        rig = new TermRig(Plan.rolling("demo", 3, 1));
    }

    @AfterEach
    void closeTheRig() {
        rig.close();
    }

    /** A leader whose first commit waits until it is let go. */
    private LeaderTerm leadWithACommitUnderWay() {
        LeaderTerm term =
                rig.lead(
                        rig.around(
                                (method, arguments, real) ->
                                        method.equals("commit") ? held(real) : real.go()));
        rig.ask(new OperatorRequest.Start());
        assertThat(isReached(begun)).isTrue();
        return term;
    }

    private Object held(TermRig.Call real) throws Throwable {
        begun.countDown();
        try {
            released.await();
        } catch (InterruptedException e) {
            commits.add("broken off");
            throw new StoreUnavailable("committing", e);
        }
        Object outcome = real.go();
        commits.add(outcome.getClass().getSimpleName());
        return outcome;
    }

    private static boolean isReached(CountDownLatch latch) {
        try {
            return latch.await(SOON.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    @DisplayName("B8: a commit that is under way is answered, and no other one is begun")
    void whatIsUnderWayIsFinished() {
        long before = rig.rollout().revision();
        LeaderTerm term = leadWithACommitUnderWay();

        Thread ending = Thread.ofVirtual().start(() -> term.finish(SOON));
        Awaitility.await().atMost(SOON).until(term::isOver);
        released.countDown();

        assertThat(joined(ending)).isTrue();
        assertThat(commits).containsExactly(Commit.Outcome.Committed.class.getSimpleName());
        assertThat(rig.rollout().revision()).isEqualTo(before + 1);
        assertThat(HistoryCheck.breaks(rig.database, rig.id)).isEmpty();
    }

    @Test
    void whatDoesNotEndIsBrokenOff() {
        LeaderTerm term = leadWithACommitUnderWay();

        Thread ending = Thread.ofVirtual().start(() -> term.finish(Duration.ofMillis(10)));

        assertThat(joined(ending)).isTrue();
        assertThat(commits).containsExactly("broken off");
    }

    private static boolean joined(Thread thread) {
        try {
            return thread.join(SOON);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
