package drover.coordinator.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.Waits;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.rollout.StoredHashChain;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How a term ends when its process is asked to end. */
class TermShutdownIT {
    private static final Duration SOON = Waits.LIMIT;
    private final StoreCallBarrier commit = new StoreCallBarrier("commit");
    @AutoClose private TermFixture rig;

    @BeforeEach
    void createARollout() {
        rig = new TermFixture(Plan.rolling("demo", 3, 1));
    }

    /** A leader whose first commit waits until it is let go. */
    private LeaderTerm leadWithACommitUnderWay() {
        LeaderTerm term = rig.lead(commit.in(rig));
        rig.submit(new OperatorRequest.Start());
        commit.awaitStarted(SOON);
        return term;
    }

    @Test
    @DisplayName("B8: a commit that is under way is answered, and no other one is begun")
    void whatIsUnderWayIsFinished() {
        long before = rig.rollout().revision();
        LeaderTerm term = leadWithACommitUnderWay();

        Thread ending = Thread.ofVirtual().start(() -> term.finish(SOON));
        Awaitility.await().atMost(SOON).until(term::hasEnded);
        commit.release();

        assertThat(joined(ending)).isTrue();
        assertThat(commit.happened()).containsExactly("commit answered Committed");
        assertThat(rig.rollout().revision()).isEqualTo(before + 1);
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
    }

    @Test
    void whatDoesNotEndIsBrokenOff() {
        LeaderTerm term = leadWithACommitUnderWay();

        Thread ending = Thread.ofVirtual().start(() -> term.finish(Duration.ofMillis(10)));

        assertThat(joined(ending)).isTrue();
        assertThat(commit.happened()).containsExactly("commit broken off");
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
