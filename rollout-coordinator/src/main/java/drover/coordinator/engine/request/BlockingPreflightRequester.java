package drover.coordinator.engine.request;

import drover.coordinator.engine.loop.WakeupSignal;
import drover.coordinator.plan.preflight.LatestPreflight;
import drover.coordinator.store.preflight.PreflightStore;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.Optional;

/** Writes down that somebody wants a preflight, and waits a little for the leader to finish it. */
public final class BlockingPreflightRequester {
    private static final Duration TIMEOUT =
            Duration.ofSeconds(5); // REST gives up after 10; a few nodes need about 2
    private static final Duration GLANCE = Duration.ofMillis(200);

    private final PreflightStore store;

    /** A desk over the table of preflights. */
    public BlockingPreflightRequester(PreflightStore store) {
        this.store = store;
    }

    /** Asks, and waits for up to five seconds; what is not finished then goes on. */
    public LatestPreflight requestAndAwait(RolloutId rollout, String actor) {
        LatestPreflight preflight = store.requestPreflight(rollout, actor);
        WakeupSignal pause = new WakeupSignal();
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (preflight.finishedAt() == null && System.nanoTime() - deadline < 0) {
            sleep(pause);
            preflight = store.find(rollout).orElse(preflight);
        }
        return preflight;
    }

    /** The latest of a rollout. */
    public Optional<LatestPreflight> findLatest(RolloutId rollout) {
        return store.find(rollout);
    }

    private static void sleep(WakeupSignal pause) {
        try {
            pause.sleep(GLANCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refused(
                    RefusalCode.DEADLINE, "The call was given up; the preflight goes on.");
        }
    }
}
