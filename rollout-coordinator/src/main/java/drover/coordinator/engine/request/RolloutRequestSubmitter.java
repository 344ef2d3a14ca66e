package drover.coordinator.engine.request;

import drover.coordinator.engine.loop.WakeupSignal;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.request.RolloutRequestStore;
import drover.coordinator.store.request.RolloutRequestStore.RequestStatus;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** Writes operators' requests down and waits a little for the leader's decision (rule R4). */
public final class RolloutRequestSubmitter {
    private static final Duration TIMEOUT =
            Duration.ofSeconds(2); // then the caller is told to look again
    private static final Duration FIRST_GLANCE = Duration.ofMillis(10);
    private static final Duration LONGEST_GLANCE =
            Duration.ofMillis(160); // so that a waiting caller costs about 16 looks, not 100

    private final RolloutRequestStore store;

    /** A desk over the table of requests. */
    public RolloutRequestSubmitter(RolloutRequestStore store) {
        this.store = store;
    }

    /**
     * What became of a request.
     *
     * @param pending whether it is still undecided
     */
    public record Receipt(UUID id, boolean pending) {}

    /**
     * Asks, and waits for up to two seconds.
     *
     * @param key idempotency key; empty for none
     * @throws Refused when the rules say no
     */
    public Receipt submitAndAwait(
            RolloutId rollout, OperatorRequest request, String actor, String key, String reason) {
        if (request instanceof OperatorRequest.Rollback && store.isPruned(rollout)) {
            throw prunedRefusal(rollout);
        }
        String unique = key.isEmpty() ? UUID.randomUUID().toString() : key;
        SubmitResult placed = store.submitRequest(rollout, request, actor, unique, reason);
        return switch (placed) {
            case SubmitResult.WrittenNowOrEarlier(UUID id) ->
                    awaitDecision(id, store::requestStatus);
            case SubmitResult.NoRollout none ->
                    throw new Refused(
                            RefusalCode.ROLLOUT_NOT_FOUND,
                            "There is no rollout " + rollout + "; look at 'drover rollout list'.",
                            "rollout_id");
            case SubmitResult.KeyReused reused -> throw keyReusedRefusal();
        };
    }

    /** Whatever is pruned between this look and the decision is refused by the planner. */
    private static Refused prunedRefusal(RolloutId rollout) {
        return new Refused(
                RefusalCode.HISTORY_PRUNED,
                "Rollout "
                        + rollout
                        + " ended so long ago that what a rollback needs was pruned; roll the old"
                        + " version out as an upgrade.");
    }

    public static Refused keyReusedRefusal() {
        return new Refused(
                RefusalCode.IDEMPOTENCY_KEY_REUSED,
                "This idempotency key was used for another request; use a new one.");
    }

    /**
     * Waits for up to two seconds.
     *
     * @throws Refused when the rules say no
     */
    public static Receipt awaitDecision(UUID id, Function<UUID, Optional<RequestStatus>> lookup) {
        WakeupSignal pause = new WakeupSignal();
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        Duration glance = FIRST_GLANCE;
        while (System.nanoTime() < deadline) {
            RequestStatus status = lookup.apply(id).orElseThrow();
            if (status.state().equals("applied")) {
                return new Receipt(id, false);
            }
            if (status.state().equals("refused")) {
                throw new Refused(
                        RefusalCode.fromStored(status.refusalCode()), status.refusalSentence());
            }
            sleep(pause, glance);
            Duration longer = glance.multipliedBy(2);
            glance = longer.compareTo(LONGEST_GLANCE) < 0 ? longer : LONGEST_GLANCE;
        }
        return new Receipt(id, true);
    }

    private static void sleep(WakeupSignal pause, Duration length) {
        try {
            pause.sleep(length);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refused(
                    RefusalCode.DEADLINE, "The call was given up; the request stays written down.");
        }
    }
}
