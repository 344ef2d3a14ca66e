package drover.coordinator.plan.model;

import java.time.Instant;
import java.util.Optional;

/**
 * Where a rollout stands. Each state offers only its legal moves; the type is the transition table
 * (invariant A17).
 */
public sealed interface RolloutState {
    /** Since when. */
    Instant since();

    /** The state that a resume returns to; the state itself unless it is paused. */
    static RolloutState resumedState(RolloutState state) {
        return state instanceof Paused paused ? paused.from() : state;
    }

    /** A state that a pause can return to. */
    sealed interface Pausable extends RolloutState {
        /** Dispatching stops; nodes that began finish (invariant A12). */
        default Paused pause(PauseReason reason, Instant now) {
            return new Paused(this, reason, now);
        }
    }

    /** A state that only an operator's rollback leads out of. */
    sealed interface Ended extends RolloutState {}

    /** An ended state that can still be rolled back. */
    sealed interface ReversibleEnd extends Ended {
        /** Modified nodes are restored. */
        default RollingBack rollBack(RollbackHealthPolicy health, Instant now) {
            return new RollingBack(health, 0, now);
        }
    }

    /** Created; nothing has been sent to any node. */
    record Pending(Instant since) implements RolloutState {
        /** An operator asked. */
        public Running start(Instant now) {
            return new Running(now);
        }

        /** An operator asked; nothing is in flight, so it ends at once. */
        public Cancelled cancel(Instant now) {
            return new Cancelled(now);
        }

        /** Nobody started it in time. */
        public Failed expire(Instant now) {
            return new Failed(RolloutFailureReason.NEVER_STARTED, now);
        }
    }

    /**
     * Nodes are being upgraded.
     *
     * @param acceptedUnhealthy unhealthy targets beyond the budget that an operator accepted by
     *     resuming; a further pause withdraws it
     */
    record Running(int acceptedUnhealthy, Instant since) implements Pausable {
        /** Nothing beyond the unhealthy budget is accepted. */
        public Running(Instant since) {
            this(0, since);
        }

        /** An operator accepted this number of unhealthy targets. */
        public Running acceptUnhealthy(int unhealthy) {
            return new Running(unhealthy, since);
        }

        /** The canary of a breaking migration is proven; a person must look. */
        public AwaitingApproval awaitApproval(Instant now) {
            return new AwaitingApproval(now);
        }

        /** An operator asked. */
        public Cancelling cancel(Instant now) {
            return new Cancelling(now);
        }

        /** An operator asked. */
        public RollingBack rollBack(RollbackHealthPolicy health, Instant now) {
            return new RollingBack(health, 0, now);
        }

        /** Every target that was not skipped is proven (invariant A11). */
        public Completed complete(Instant now) {
            return new Completed(now);
        }

        /** It continued although nodes failed, or skipped every node. */
        public Failed fail(RolloutFailureReason reason, Instant now) {
            return new Failed(reason, now);
        }
    }

    /**
     * The canary is proven and observed; nothing more is dispatched until a person approves
     * (invariant A9).
     */
    record AwaitingApproval(Instant since) implements Pausable {
        /** A canary node came back, or is tried again: it is not what was proven any more. */
        public Running restartObservation(Instant now) {
            return new Running(now);
        }

        /** A person approved. */
        public Running approve(Instant now) {
            return new Running(now);
        }

        /** An operator asked. */
        public Cancelling cancel(Instant now) {
            return new Cancelling(now);
        }

        /** An operator asked. */
        public RollingBack rollBack(RollbackHealthPolicy health, Instant now) {
            return new RollingBack(health, 0, now);
        }
    }

    /** Nothing is dispatched; nodes that began finish and are judged. Remembers what it paused. */
    record Paused(Pausable from, PauseReason reason, Instant since) implements RolloutState {
        /** Continues what was paused. */
        public Pausable resume(Instant now) {
            return switch (from) {
                case Running running -> new Running(now);
                case AwaitingApproval approval -> new AwaitingApproval(now);
                case RollingBack rollingBack -> rollingBack.resume(now);
            };
        }

        /** A canary node is skipped or tried again: the canary is not what was proven any more. */
        public Paused restartObservation(Instant now) {
            return from instanceof AwaitingApproval waiting
                    ? new Paused(waiting.restartObservation(now), reason, since)
                    : this;
        }

        /** What an operator accepted of a paused rollback is lowered. */
        public Paused withRollback(RollingBack rollback) {
            return new Paused(rollback, reason, since);
        }

        /** A paused rollback gets another health gate. */
        public Paused withRollbackHealth(RollingBack rollback, RollbackHealthPolicy health) {
            return new Paused(rollback.withRollbackHealth(health), reason, since);
        }

        /** An operator asked; a rollback that was paused is not cancelled. */
        public Cancelling cancel(Instant now) {
            return new Cancelling(now);
        }

        /** An operator asked. */
        public RollingBack rollBack(RollbackHealthPolicy health, Instant now) {
            return new RollingBack(health, 0, now);
        }
    }

    /**
     * Nothing more is dispatched; nodes that began finish and are judged.
     *
     * @param thenRollBack whether a rollback follows
     * @param health health gate that was requested for it; empty for the declared one
     */
    record Cancelling(boolean thenRollBack, Optional<RollbackHealthPolicy> health, Instant since)
            implements RolloutState {
        public Cancelling {
            health = health == null ? Optional.empty() : health; // rows of earlier versions
        }

        /** No rollback follows. */
        public Cancelling(Instant since) {
            this(false, Optional.empty(), since);
        }

        /** A rollback was requested and follows when no node is in flight. */
        public Cancelling withRollback(Optional<RollbackHealthPolicy> requested) {
            return new Cancelling(true, requested, since);
        }

        /** Nothing is in flight any more. */
        public Cancelled finishCancelling(Instant now) {
            return new Cancelled(now);
        }

        /** Nothing is in flight any more, and a rollback was asked for. */
        public RollingBack rollBack(RollbackHealthPolicy health, Instant now) {
            return new RollingBack(health, 0, now);
        }
    }

    /**
     * Modified nodes are being restored, newest batch first.
     *
     * @param health what the rollback does about the health of restored nodes
     * @param acceptedUnhealthy unhealthy nodes that an operator accepted by resuming
     */
    record RollingBack(RollbackHealthPolicy health, int acceptedUnhealthy, Instant since)
            implements Pausable {
        public RollingBack {
            health =
                    health == null ? RollbackHealthPolicy.WAIT : health; // rows of earlier versions
        }

        /** A rollback with the default health gate. */
        public RollingBack(Instant since) {
            this(RollbackHealthPolicy.WAIT, 0, since);
        }

        /** An operator resumed it. */
        public RollingBack resume(Instant now) {
            return new RollingBack(health, acceptedUnhealthy, now);
        }

        /** An operator decided otherwise about the health of restored nodes. */
        public RollingBack withRollbackHealth(RollbackHealthPolicy other) {
            return new RollingBack(other, acceptedUnhealthy, since);
        }

        /** An operator accepted this number of unhealthy nodes. */
        public RollingBack acceptUnhealthy(int unhealthy) {
            return new RollingBack(health, unhealthy, since);
        }

        /** Every touched node is proven at what it ran before (invariant A13). */
        public RolledBack completeRollback(Instant now) {
            return new RolledBack(now);
        }

        /** Some touched node is not. */
        public Failed failRollback(Instant now) {
            return new Failed(RolloutFailureReason.ROLLBACK_INCOMPLETE, now);
        }
    }

    /** Every target that was not skipped is proven at the target. */
    record Completed(Instant since) implements ReversibleEnd {}

    /** Ended without reaching its aim. */
    record Failed(RolloutFailureReason reason, Instant since) implements ReversibleEnd {}

    /** Cancelled, nothing in flight. */
    record Cancelled(Instant since) implements ReversibleEnd {}

    /** Every touched node is proven at what it ran before. */
    record RolledBack(Instant since) implements Ended {}

    /** Whether it has ended: nothing but an operator's rollback leads on. */
    default boolean isFinal() {
        return this instanceof Ended;
    }
}
