package drover.coordinator.plan.group;

import java.time.Instant;

/**
 * Where a group stands. Each state offers only its legal moves; the type is the transition table.
 */
public sealed interface GroupState {
    /** Since when. */
    Instant since();

    /** A state that a pause can return to. */
    sealed interface Pausable extends GroupState {
        /** Nothing more is begun, and what is under way is paused as well. */
        default Paused pause(GroupPauseReason reason, Instant now) {
            return new Paused(this, reason, now);
        }
    }

    /** A state that only an operator's rollback leads out of. */
    sealed interface Ended extends GroupState {}

    /** An ended state that can still be rolled back. */
    sealed interface Reversible extends Ended {
        /** Components that were begun are rolled back. */
        default RollingBack rollBack(Instant now) {
            return new RollingBack(now);
        }
    }

    /** What winding down ends in. */
    sealed interface CancellingResult extends Reversible {}

    /** Created; no component has been begun. */
    record Pending(Instant since) implements GroupState {
        /** An operator asked. */
        public Running start(Instant now) {
            return new Running(0, RunningGroupStage.COMPONENT, now);
        }

        /** An operator asked; the components are cancelled first. */
        public Cancelling cancel(Instant now) {
            return new Cancelling(UnsuccessfulGroupEnding.CANCELLED, now);
        }

        /** Nobody started it in time. */
        public Cancelling expire(Instant now) {
            return new Cancelling(UnsuccessfulGroupEnding.NEVER_STARTED, now);
        }
    }

    /**
     * Going through its components.
     *
     * @param component the one it is at, from 0
     */
    record Running(int component, RunningGroupStage stage, Instant since) implements Pausable {
        /** The component is done with; before the next one everything is looked at. */
        public Running startGate(Instant now) {
            return new Running(component, RunningGroupStage.GATE, now);
        }

        /** The gate is open. */
        public Running startNextComponent(Instant now) {
            return new Running(component + 1, RunningGroupStage.COMPONENT, now);
        }

        /** Nothing more is begun; it ends so once nothing is under way. */
        public Cancelling startCancelling(UnsuccessfulGroupEnding ending, Instant now) {
            return new Cancelling(ending, now);
        }

        /** An operator asked, or the policy does. */
        public RollingBack rollBack(Instant now) {
            return new RollingBack(now);
        }

        /** Every component is completed. */
        public Completed complete(Instant now) {
            return new Completed(now);
        }

        /** The last component is done with, and some were skipped. */
        public Partial completePartly(Instant now) {
            return new Partial(now);
        }

        /** The last component is done with, and none is completed. */
        public Failed fail(Instant now) {
            return new Failed(GroupFailureReason.COMPONENT_FAILED, now);
        }
    }

    /** Nothing is begun. Remembers what it paused. */
    record Paused(Pausable from, GroupPauseReason reason, Instant since) implements GroupState {
        /** Goes on with what was paused; a gate is asked anew. */
        public Pausable resume(Instant now) {
            return switch (from) {
                case Running running -> new Running(running.component(), running.stage(), now);
                case RollingBack rollingBack -> new RollingBack(now);
            };
        }

        /** An operator asked. */
        public Cancelling cancel(Instant now) {
            return new Cancelling(UnsuccessfulGroupEnding.CANCELLED, now);
        }

        /** An operator asked. */
        public RollingBack rollBack(Instant now) {
            return new RollingBack(now);
        }
    }

    /** Nothing more is begun; what is under way finishes, and then it ends as is said here. */
    record Cancelling(UnsuccessfulGroupEnding ending, Instant since) implements GroupState {
        /** What rests on its way back goes on. */
        public Cancelling resume(Instant now) {
            return new Cancelling(ending, now);
        }

        /** Nothing is under way any more. */
        public CancellingResult finishCancelling(Instant now) {
            return switch (ending) {
                case CANCELLED -> new Cancelled(now);
                case PARTIAL -> new Partial(now);
                case FAILED -> new Failed(GroupFailureReason.COMPONENT_FAILED, now);
                case NEVER_STARTED -> new Failed(GroupFailureReason.NEVER_STARTED, now);
            };
        }

        /** An operator asked. */
        public RollingBack rollBack(Instant now) {
            return new RollingBack(now);
        }
    }

    /** Components that were begun are rolled back, the last one first (invariant A3). */
    record RollingBack(Instant since) implements Pausable {
        /** Every one is. */
        public RolledBack completeRollback(Instant now) {
            return new RolledBack(now);
        }

        /** One could not be; those before it stay, because it may need them. */
        public Failed failRollback(Instant now) {
            return new Failed(GroupFailureReason.ROLLBACK_INCOMPLETE, now);
        }
    }

    /** Every component is completed. */
    record Completed(Instant since) implements Reversible {}

    /** Some components are completed, at least one is not. */
    record Partial(Instant since) implements CancellingResult {}

    /** Ended without reaching its aim. */
    record Failed(GroupFailureReason reason, Instant since) implements CancellingResult {}

    /** Cancelled, nothing under way. */
    record Cancelled(Instant since) implements CancellingResult {}

    /** Every component that was begun is rolled back. */
    record RolledBack(Instant since) implements Ended {}

    /** Whether it has ended: nothing but an operator's rollback leads on. */
    default boolean isFinal() {
        return this instanceof Ended;
    }
}
