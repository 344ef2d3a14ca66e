package drover.coordinator;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.request.PostgresRolloutRequestStore;
import drover.coordinator.store.request.RolloutRequestStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Operators who keep whoever leads busy: each starts a rollout, pauses it, resumes it, ... */
final class OperatorWorkload implements AutoCloseable {
    private static final long POLL_MILLIS = 20;
    private static final Duration SOON = Waits.LIMIT;

    private final RolloutRequestStore requests;
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<RolloutId> rollouts = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    private OperatorWorkload(TestDatabase database) {
        this.requests = new PostgresRolloutRequestStore(database.database());
    }

    static OperatorWorkload start(TestDatabase database, int rollouts) {
        OperatorWorkload drivers = new OperatorWorkload(database);
        for (int i = 0; i < rollouts; i++) {
            RolloutId id =
                    StoredRollout.create(
                            database, Plan.rolling("chain-" + i, 2, 1).inRealTime(), now());
            drivers.rollouts.add(id);
            drivers.threads.add(Thread.ofVirtual().start(() -> drivers.drive(id)));
        }
        return drivers;
    }

    /** As exactly as the database keeps it. */
    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MICROS);
    }

    List<RolloutId> rollouts() {
        return List.copyOf(rollouts);
    }

    private void drive(RolloutId id) {
        try {
            OperatorRequest next = new OperatorRequest.Start();
            while (!isOver()) {
                awaitDecision(submit(id, next));
                next =
                        next instanceof OperatorRequest.Pause
                                ? new OperatorRequest.Resume(0)
                                : new OperatorRequest.Pause();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private UUID submit(RolloutId id, OperatorRequest request) {
        RolloutRequestStore.SubmitResult placed =
                requests.submitRequest(id, request, "bob", UUID.randomUUID().toString(), "");
        return ((RolloutRequestStore.SubmitResult.WrittenNowOrEarlier) placed).id();
    }

    private void awaitDecision(UUID request) throws InterruptedException {
        while (!isOver()
                && requests.requestStatus(request).orElseThrow().state().equals("pending")) {
            var _ = over.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private boolean isOver() {
        return over.getCount() == 0;
    }

    @Override
    public void close() {
        over.countDown();
        try {
            for (Thread thread : threads) {
                if (!thread.join(SOON)) {
                    throw new IllegalStateException("an operator got no answer any more");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
