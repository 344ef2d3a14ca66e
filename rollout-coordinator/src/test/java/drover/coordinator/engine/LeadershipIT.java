package drover.coordinator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.election.LeaderElector;
import drover.coordinator.plan.OperatorRequest;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.store.StoreUnavailable;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What becomes of what is under way when a coordinator ends, or is not elected any more. */
class LeadershipIT {
    private static final Duration SOON = Duration.ofSeconds(30); // a busy machine
    private final TermRig rig = new TermRig(Plan.rolling("demo", 1, 1));
    private final Queue<String> happened = new ConcurrentLinkedQueue<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final NotingElector elector = new NotingElector();

    @AfterEach
    void closeTheRig() {
        rig.close();
    }

    /** A candidate that is elected, and whose first call of this waits until it is let go. */
    private Leadership heldIn(String method) {
        Leadership leadership =
                new Leadership(
                        "candidate",
                        elector,
                        rig.neighbours(
                                rig.around(
                                        (called, arguments, real) ->
                                                called.equals(method)
                                                        ? held(method, real)
                                                        : real.go())),
                        rig.database.database());
        rig.ask(new OperatorRequest.Start());
        leadership.start();
        Awaitility.await().atMost(SOON).until(() -> begun.getCount() == 0);
        return leadership;
    }

    private Object held(String method, TermRig.Call real) throws Throwable {
        begun.countDown();
        try {
            released.await();
        } catch (InterruptedException e) {
            happened.add(method + " broken off");
            throw new StoreUnavailable("waiting", e);
        }
        Object answer = real.go();
        happened.add(method + " answered");
        return answer;
    }

    @Test
    @DisplayName("B3: a candidate that ends while it waits for the fence gives up, then resigns")
    void whoeverEndsBeforeItLeadsRaisesNoEpoch() {
        Leadership leadership = heldIn("takeOver");

        leadership.close();
        released.countDown();

        assertThat(happened).containsExactly("takeOver broken off", "resigned");
        assertThat(rig.database.count("SELECT epoch FROM leader_epoch")).isZero();
    }

    @Test
    @DisplayName("B8: a leader that ends has its commit answered, then resigns")
    void whoeverEndsHasItsCommitAnswered() throws InterruptedException {
        Leadership leadership = heldIn("commit");

        Thread ending = Thread.ofVirtual().start(leadership::close);
        Awaitility.await().atMost(SOON).until(() -> !leadership.leads());
        released.countDown();

        assertThat(ending.join(SOON)).isTrue();
        assertThat(happened).containsExactly("commit answered", "resigned");
    }

    @Test
    @DisplayName("B5: whoever loses its lease breaks off at once what is under way")
    void whoeverLosesItsLeaseBreaksOff() {
        Leadership leadership = heldIn("commit");

        elector.lose();

        assertThat(happened).containsExactly("commit broken off");
        assertThat(leadership.leads()).isFalse();
        leadership.close();
    }

    @Test
    void whoeverEndsBeforeItBeganEnds() {
        Leadership leadership =
                new Leadership("candidate", elector, rig.neighbours(), rig.database.database());

        leadership.close();

        assertThat(leadership.leads()).isFalse();
    }

    /** Elects at once, and notes when somebody resigns. */
    private final class NotingElector implements LeaderElector {
        private volatile boolean elected;
        private Listener listener = new Unheard();

        @Override
        public void campaign(String candidate, Listener whom) {
            listener = whom;
            elected = true;
            whom.elected();
        }

        void lose() {
            elected = false;
            listener.lost();
        }

        @Override
        public boolean isElected() {
            return elected;
        }

        @Override
        public void close() {
            elected = false;
            happened.add("resigned");
        }
    }

    /** Before anybody campaigns. */
    private static final class Unheard implements LeaderElector.Listener {
        @Override
        public void elected() {}

        @Override
        public void lost() {}
    }
}
