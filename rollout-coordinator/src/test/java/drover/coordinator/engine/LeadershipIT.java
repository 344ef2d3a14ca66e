package drover.coordinator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.election.LeaderElector;
import drover.coordinator.plan.OperatorRequest;
import drover.coordinator.plan.SampleRollout.Plan;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What becomes of what is under way when a coordinator ends, or is not elected any more. */
class LeadershipIT {
    private static final Duration SOON = Duration.ofSeconds(30); // a busy machine
    @AutoClose private final TermRig rig = new TermRig(Plan.rolling("demo", 1, 1));
    private final NotingElector elector = new NotingElector();

    /** A candidate that is elected, and whose first call of this waits until it is let go. */
    private Leadership heldIn(HeldCall call) {
        elector.resignation = () -> call.note("resigned");
        Leadership leadership =
                new Leadership(
                        "candidate",
                        elector,
                        rig.neighbours(call.in(rig)),
                        rig.database.database());
        rig.ask(new OperatorRequest.Start());
        leadership.start();
        call.awaitBegun(SOON);
        return leadership;
    }

    @Test
    @DisplayName("B3: a candidate that ends while it waits for the fence gives up, then resigns")
    void whoeverEndsBeforeItLeadsRaisesNoEpoch() {
        HeldCall takeOver = new HeldCall("takeOver");
        Leadership leadership = heldIn(takeOver);

        leadership.close();
        takeOver.release();

        assertThat(takeOver.happened()).containsExactly("takeOver broken off", "resigned");
        assertThat(rig.database.count("SELECT epoch FROM leader_epoch")).isZero();
    }

    @Test
    @DisplayName("B8: a leader that ends has its commit answered, then resigns")
    void whoeverEndsHasItsCommitAnswered() throws InterruptedException {
        HeldCall commit = new HeldCall("commit");
        Leadership leadership = heldIn(commit);

        Thread ending = Thread.ofVirtual().start(leadership::close);
        Awaitility.await().atMost(SOON).until(() -> !leadership.leads());
        commit.release();

        assertThat(ending.join(SOON)).isTrue();
        assertThat(commit.happened()).containsExactly("commit answered Committed", "resigned");
    }

    @Test
    @DisplayName("B5: whoever loses its lease breaks off at once what is under way")
    void whoeverLosesItsLeaseBreaksOff() {
        HeldCall commit = new HeldCall("commit");
        Leadership leadership = heldIn(commit);

        elector.lose();

        assertThat(commit.happened()).containsExactly("commit broken off");
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
    private static final class NotingElector implements LeaderElector {
        private volatile boolean elected;
        private Runnable resignation = () -> {};
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
            resignation.run();
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
