package drover.coordinator.engine;

import drover.coordinator.plan.Preflight;
import drover.coordinator.store.PreflightStore;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.Optional;

/** Writes down that somebody wants a preflight, and waits a little for the leader to finish it. */
public final class PreflightDesk {
    private static final Duration PATIENCE =
            Duration.ofSeconds(5); // REST gives up after 10; a few nodes need about 2
    private static final Duration GLANCE = Duration.ofMillis(200);

    private final PreflightStore store;

    /** A desk over the table of preflights. */
    public PreflightDesk(PreflightStore store) {
        this.store = store;
    }

    /** Asks, and waits for up to five seconds; what is not finished then goes on. */
    public Preflight ask(RolloutId rollout, String actor) {
        Preflight preflight = store.ask(rollout, actor);
        Nudge pause = new Nudge();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (preflight.finishedAt() == null && System.nanoTime() - deadline < 0) {
            rest(pause);
            preflight = store.find(rollout).orElse(preflight);
        }
        return preflight;
    }

    /** The latest of a rollout. */
    public Optional<Preflight> latest(RolloutId rollout) {
        return store.find(rollout);
    }

    private static void rest(Nudge pause) {
        try {
            pause.rest(GLANCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refused(
                    RefusalCode.DEADLINE, "The call was given up; the preflight goes on.");
        }
    }
}
