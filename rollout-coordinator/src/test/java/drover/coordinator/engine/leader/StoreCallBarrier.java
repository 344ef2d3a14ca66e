package drover.coordinator.engine.leader;

import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.sql.StoreUnavailable;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;

/** Holds the store's calls of one kind until they are let go, and notes what became of them. */
final class StoreCallBarrier {
    private final String method;
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final Queue<String> happened = new ConcurrentLinkedQueue<>();

    StoreCallBarrier(String method) {
        this.method = method;
    }

    /** The rig's store in which they are held. */
    LeaderStore in(TermFixture rig) {
        return rig.around(
                (called, arguments, real) -> called.equals(method) ? held(real) : real.go());
    }

    private Object held(TermFixture.Call real) throws Throwable {
        started.countDown();
        try {
            released.await();
        } catch (InterruptedException e) {
            happened.add(method + " broken off");
            throw new StoreUnavailable("waiting", e);
        }
        Object answer = real.go();
        happened.add(method + " answered " + answer.getClass().getSimpleName());
        return answer;
    }

    void awaitStarted(Duration atMost) {
        Awaitility.await().atMost(atMost).until(() -> started.getCount() == 0);
    }

    void release() {
        released.countDown();
    }

    /** Something else happened, among these. */
    void note(String what) {
        happened.add(what);
    }

    Queue<String> happened() {
        return happened;
    }
}
