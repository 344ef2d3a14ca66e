package drover.coordinator.plan.model;

import drover.coordinator.plan.observed.Cause;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a node stands within a rollout. Attempts are closed by the agent's word alone (rule R1).
 */
public sealed interface NodeState {
    /** Its turn has not come, or it was withdrawn or is to be tried again. */
    record Pending(Instant since) implements NodeState {
        /** Work is allotted. */
        public Assigned assign(long attempt, Instant now) {
            return new Assigned(attempt, false, now);
        }

        /** It is left alone. */
        public Skipped skip(SkipReason reason, String detail, Instant now) {
            return new Skipped(reason, detail, now);
        }

        /** An operator rolls the rollout back; an earlier attempt had installed the target. */
        public Restoring rollBack(long restoreAttempt, long ofAttempt, Instant now) {
            return Restoring.forRollback(restoreAttempt, ofAttempt, now);
        }

        /** An operator does not want it touched for a while. */
        public Held hold(String reason, Instant until, Instant now) {
            return new Held(reason, until, now);
        }
    }

    /**
     * An operator does not want it touched for a while; its turn comes later.
     *
     * @param reason why, as the operator put it
     * @param until when the hold ends by itself
     */
    record Held(String reason, Instant until, Instant since) implements NodeState {
        /** The hold is over. */
        public Pending release(Instant now) {
            return new Pending(now);
        }

        /** An operator rolls the rollout back; an earlier attempt had installed the target. */
        public Restoring rollBack(long restoreAttempt, long ofAttempt, Instant now) {
            return Restoring.forRollback(restoreAttempt, ofAttempt, now);
        }

        /** Another reason, another end. */
        public Held replaceHold(String why, Instant end) {
            return new Held(why, end, since);
        }

        /** It is left alone. */
        public Skipped skip(SkipReason why, String detail, Instant now) {
            return new Skipped(why, detail, now);
        }
    }

    /**
     * Work is allotted; the agent has not said that it began.
     *
     * @param withdrawing whether the agent has been asked not to begin
     */
    record Assigned(long attempt, boolean withdrawing, Instant since) implements NodeState {
        /** The agent shall not begin any more. */
        public Assigned withdraw() {
            return new Assigned(attempt, true, since);
        }

        /** The agent confirmed that it will never begin. */
        public Pending confirmWithdrawal(Instant now) {
            return new Pending(now);
        }

        /** The agent is at work. */
        public Upgrading start() {
            return new Upgrading(attempt, since);
        }

        /** The agent is silent. */
        public Unreachable markUnreachable(Cause cause, Instant now) {
            return new Unreachable(attempt, 0, cause, now);
        }
    }

    /** The agent is at work. */
    record Upgrading(long attempt, Instant since) implements NodeState {
        /** The agent proved the target; health must hold. */
        public Settling startSettling(String runId, Instant now) {
            return new Settling(attempt, runId, now);
        }

        /** The agent failed and proved the old version. */
        public Failed fail(Cause cause, Instant now) {
            return new Failed(attempt, cause, now);
        }

        /** The agent failed and could not go back. */
        public FailedRollback failRollback(Cause cause, Instant now) {
            return new FailedRollback(attempt, cause, now);
        }

        /** The agent is silent past the deadline. */
        public Unreachable markUnreachable(Cause cause, Instant now) {
            return new Unreachable(attempt, 0, cause, now);
        }
    }

    /** The target runs; health must hold. */
    record Settling(long attempt, String runId, Instant since) implements NodeState {
        /** Whoever resumes has looked at why nobody judged it: it has its whole time again. */
        public Settling restartWait(Instant now) {
            return new Settling(attempt, runId, now);
        }

        /** Well for the whole wait; a canary is observed for longer. */
        public Observed startObservation(Instant now) {
            return new Observed(attempt, runId, since, now);
        }

        /** Proven. */
        public Succeeded succeed(Instant now) {
            return new Succeeded(attempt, runId, now);
        }

        /** Unhealthy: what ran before is restored. */
        public Restoring restore(
                long restoreAttempt, RestorePurpose purpose, Cause cause, Instant now) {
            return new Restoring(restoreAttempt, attempt, purpose, false, cause, now);
        }

        /** An operator rolls the rollout back. */
        public Restoring rollBack(long restoreAttempt, Instant now) {
            return Restoring.forRollback(restoreAttempt, attempt, now);
        }

        /** Taken back on the node itself, and proven there. */
        public Failed failAfterLocalRollback(Cause cause, Instant now) {
            return new Failed(attempt, cause, now);
        }

        /** Taken back on the node itself, and that failed. */
        public FailedRollback failLocalRollback(Cause cause, Instant now) {
            return new FailedRollback(attempt, cause, now);
        }

        /** Silent past the deadline. */
        public Unreachable markUnreachable(Cause cause, Instant now) {
            return new Unreachable(attempt, 0, cause, now);
        }
    }

    /** A canary node that has been well for the whole wait and is observed for longer. */
    record Observed(long attempt, String runId, Instant since, Instant wellSince)
            implements NodeState {
        /** No longer well; the wait begins anew. */
        public Settling returnToSettling(Instant now) {
            return new Settling(attempt, runId, now);
        }

        /** An operator rolls the rollout back. */
        public Restoring rollBack(long restoreAttempt, Instant now) {
            return Restoring.forRollback(restoreAttempt, attempt, now);
        }

        /** Taken back on the node itself, and proven there. */
        public Failed failAfterLocalRollback(Cause cause, Instant now) {
            return new Failed(attempt, cause, now);
        }

        /** Taken back on the node itself, and that failed. */
        public FailedRollback failLocalRollback(Cause cause, Instant now) {
            return new FailedRollback(attempt, cause, now);
        }

        /** The observation is over. */
        public Succeeded succeed(Instant now) {
            return new Succeeded(attempt, runId, now);
        }

        /** Unhealthy: what ran before is restored. */
        public Restoring restore(
                long restoreAttempt, RestorePurpose purpose, Cause cause, Instant now) {
            return new Restoring(restoreAttempt, attempt, purpose, false, cause, now);
        }
    }

    /** Proven at the target. */
    record Succeeded(long attempt, String runId, Instant since) implements NodeState {
        /** An operator rolls the rollout back. */
        public Restoring rollBack(long restoreAttempt, Instant now) {
            return Restoring.forRollback(restoreAttempt, attempt, now);
        }

        /** A late failure: it counts as failed for as long as it is unhealthy. */
        public Unhealthy becomeUnhealthy(Cause cause, Instant now) {
            return new Unhealthy(attempt, runId, cause, now);
        }

        /** Taken back on the node itself, and proven there. */
        public Failed failAfterLocalRollback(Cause cause, Instant now) {
            return new Failed(attempt, cause, now);
        }

        /** Taken back on the node itself, and that failed. */
        public FailedRollback failLocalRollback(Cause cause, Instant now) {
            return new FailedRollback(attempt, cause, now);
        }

        /** A rollback finds it gone. */
        public Unreachable markUnreachable(Cause cause, Instant now) {
            return new Unreachable(attempt, 0, cause, now);
        }
    }

    /**
     * Verified at the target, and unhealthy since: a late failure. It counts as failed, and as
     * succeeded again once it is healthy again (A22).
     *
     * @param acknowledged whether an operator accepted it as it is by resuming the rollout
     */
    record Unhealthy(long attempt, String runId, Cause cause, boolean acknowledged, Instant since)
            implements NodeState {
        /** A late failure that no operator has acknowledged. */
        public Unhealthy(long attempt, String runId, Cause cause, Instant since) {
            this(attempt, runId, cause, false, since);
        }

        /** The latest verdict has another finding. */
        public Unhealthy withCause(Cause other) {
            return new Unhealthy(attempt, runId, other, acknowledged, since);
        }

        /** An operator accepted it by resuming the rollout. */
        public Unhealthy acknowledge() {
            return new Unhealthy(attempt, runId, cause, true, since);
        }

        /** Healthy again for the whole wait. */
        public Succeeded recover(Instant now) {
            return new Succeeded(attempt, runId, now);
        }

        /** The finding is conclusive: the node restores what ran before. */
        public Restoring restore(long restoreAttempt, RestorePurpose purpose, Instant now) {
            return new Restoring(restoreAttempt, attempt, purpose, false, cause, now);
        }

        /** An operator rolls the rollout back. */
        public Restoring rollBack(long restoreAttempt, Instant now) {
            return Restoring.forRollback(restoreAttempt, attempt, now);
        }

        /** Restored locally on the node, and verified there. */
        public Failed failAfterLocalRollback(Cause why, Instant now) {
            return new Failed(attempt, why, now);
        }

        /** Restored locally on the node, and that failed. */
        public FailedRollback failLocalRollback(Cause why, Instant now) {
            return new FailedRollback(attempt, why, now);
        }

        /** A rollback finds it offline. */
        public Unreachable markUnreachable(Cause why, Instant now) {
            return new Unreachable(attempt, 0, why, now);
        }

        /** An operator wants the upgrade repeated. */
        public Pending retry(Instant now) {
            return new Pending(now);
        }

        /** An operator accepts it as it is. */
        public Skipped skip(String detail, Instant now) {
            return new Skipped(SkipReason.OPERATOR, detail, now);
        }
    }

    /** Failed; the old version is proven back. */
    record Failed(long attempt, Cause cause, Instant since) implements NodeState {
        /** An operator wants it tried again. */
        public Pending retry(Instant now) {
            return new Pending(now);
        }

        /** An operator rolls the rollout back; an earlier attempt had installed the target. */
        public Restoring rollBack(long restoreAttempt, long ofAttempt, Instant now) {
            return Restoring.forRollback(restoreAttempt, ofAttempt, now);
        }

        /** An operator leaves it alone. */
        public Skipped skip(String detail, Instant now) {
            return new Skipped(SkipReason.OPERATOR, detail, now);
        }
    }

    /**
     * Failed and could not be brought back. Nothing automatic happens to it any more (invariant
     * D14).
     *
     * @param restore why its last attempt restored something; null when that attempt was an
     *     upgrade, and in rows of earlier versions
     */
    record FailedRollback(
            long attempt, Cause cause, Instant since, @Nullable RestorePurpose restore)
            implements NodeState {
        /** A failed upgrade that could not be compensated. */
        public FailedRollback(long attempt, Cause cause, Instant since) {
            this(attempt, cause, since, null);
        }

        /** An operator wants another try, now that the node is cleared. */
        public Pending retry(Instant now) {
            return new Pending(now);
        }

        /** An operator rolls the rollout back, now that the node is cleared. */
        public Restoring rollBack(long restoreAttempt, long ofAttempt, Instant now) {
            return Restoring.forRollback(restoreAttempt, ofAttempt, now);
        }

        /** An operator leaves it alone. */
        public Skipped skip(String detail, Instant now) {
            return new Skipped(SkipReason.OPERATOR, detail, now);
        }
    }

    /**
     * Silent after work was allotted. Its attempt may still be open.
     *
     * @param restoreOf the attempt that the silent one should undo; 0 when it is an upgrade
     * @param restore why the silent attempt restores something; null when it is an upgrade, and in
     *     rows of earlier versions
     */
    record Unreachable(
            long attempt,
            long restoreOf,
            Cause cause,
            Instant since,
            @Nullable RestorePurpose restore)
            implements NodeState {
        /** Code of an agent that was connected when it missed its deadline. */
        public static final String UNRESPONSIVE = "UNRESPONSIVE";

        /** Silent in an upgrade, or in a restore that no rollback made. */
        public Unreachable(long attempt, long restoreOf, Cause cause, Instant since) {
            this(attempt, restoreOf, cause, since, null);
        }

        /** It came back and is at the target. */
        public Settling startSettling(String runId, Instant now) {
            return new Settling(attempt, runId, now);
        }

        /** It came back and is still at work. */
        public Upgrading resumeUpgrading(Instant now) {
            return new Upgrading(attempt, now);
        }

        /** It came back and is still being brought back. */
        public Restoring restore(RestorePurpose purpose, Instant now) {
            return new Restoring(attempt, restoreOf, purpose, true, cause, now);
        }

        /** It is connected again after its target was installed; a rollback brings it back. */
        public Restoring restore(long restoreAttempt, long ofAttempt, Instant now) {
            return Restoring.forRollback(restoreAttempt, ofAttempt, now);
        }

        /** An operator leaves it alone. */
        public Skipped skip(String detail, Instant now) {
            return new Skipped(SkipReason.OPERATOR, detail, now);
        }

        /** It came back and runs the old version. */
        public Failed fail(Cause later, Instant now) {
            return new Failed(attempt, later, now);
        }

        /** It came back and could not go back. */
        public FailedRollback failRollback(Cause later, Instant now) {
            return new FailedRollback(attempt, later, now, restore);
        }

        /** It came back and had not begun. */
        public Pending confirmWithdrawal(Instant now) {
            return new Pending(now);
        }

        /** An operator wants it tried again; only once its attempt is closed. */
        public Pending retry(Instant now) {
            return new Pending(now);
        }
    }

    /** Left alone. */
    record Skipped(SkipReason reason, String detail, Instant since) implements NodeState {
        /** Its attempt was open and installed the target; health must hold. */
        public Settling startSettling(long attempt, String runId, Instant now) {
            return new Settling(attempt, runId, now);
        }

        /** The same while as many nodes are in flight as may be: its health is evaluated (A22). */
        public Succeeded succeed(long attempt, String runId, Instant now) {
            return new Succeeded(attempt, runId, now);
        }

        /** Its attempt was open, failed, and restored nothing. */
        public FailedRollback failRollback(long attempt, Cause cause, Instant now) {
            return new FailedRollback(attempt, cause, now);
        }

        /** The target had been installed before it was skipped; a rollback brings it back. */
        public Restoring rollBack(long restoreAttempt, long ofAttempt, Instant now) {
            return Restoring.forRollback(restoreAttempt, ofAttempt, now);
        }

        /** An operator wants it tried. */
        public Pending retry(Instant now) {
            return new Pending(now);
        }
    }

    /**
     * What ran before is being brought back.
     *
     * @param attempt number of the restore
     * @param ofAttempt the attempt it undoes
     * @param begun whether the agent has said that it began
     */
    record Restoring(
            long attempt,
            long ofAttempt,
            RestorePurpose purpose,
            boolean begun,
            Cause cause,
            Instant since)
            implements NodeState {
        private static final Cause OPERATOR =
                new Cause("ROLLBACK", "An operator rolled the rollout back.");

        public static Restoring forRollback(long attempt, long ofAttempt, Instant now) {
            return new Restoring(attempt, ofAttempt, RestorePurpose.ROLLBACK, false, OPERATOR, now);
        }

        /** The agent is at work. */
        public Restoring start() {
            return new Restoring(attempt, ofAttempt, purpose, true, cause, since);
        }

        /** Brought back after a failed gate. */
        public Failed completeAsFailed(Instant now) {
            return new Failed(attempt, cause, now);
        }

        /** A rollback restored it, and waits for no health. */
        public RolledBack completeRollback(String runId, Instant now) {
            return new RolledBack(attempt, runId, Optional.empty(), now);
        }

        /** A rollback restored it; its health must hold before the next batch is restored. */
        public Restored startHealthWait(String runId, Instant now) {
            return new Restored(attempt, runId, now);
        }

        /** Could not be brought back. */
        public FailedRollback failRollback(Cause why, Instant now) {
            return new FailedRollback(attempt, why, now, purpose);
        }

        /** The agent is silent past the deadline. */
        public Unreachable markUnreachable(Cause why, Instant now) {
            return new Unreachable(attempt, ofAttempt, why, now, purpose);
        }
    }

    /**
     * A rollback restored what ran before, which is verified; its health must hold (A23).
     *
     * @param attempt number of the restore
     * @param runId run of the restored program
     */
    record Restored(long attempt, String runId, Instant since) implements NodeState {
        /** Healthy for the whole wait. */
        public RolledBack completeRollback(Instant now) {
            return new RolledBack(attempt, runId, Optional.empty(), now);
        }

        /** Verified at what it ran before, but not healthy by the deadline. */
        public RolledBack completeUnhealthy(Cause finding, Instant now) {
            return new RolledBack(attempt, runId, Optional.of(finding), now);
        }

        /** After a resume the health gate waits its whole time again. */
        public Restored restartWait(Instant now) {
            return new Restored(attempt, runId, now);
        }
    }

    /**
     * Verified at what it ran before, by a rollback.
     *
     * @param runId run of the restored program; empty when none was started, or it is not known
     * @param finding why it is not healthy; empty when it is, or that was not evaluated
     */
    record RolledBack(long attempt, String runId, Optional<Cause> finding, Instant since)
            implements NodeState {
        /** Code of a finding without data; opens no incident (R3: no data is not failure). */
        public static final String NO_DATA = "NO_DATA";

        public RolledBack {
            runId = runId == null ? "" : runId; // rows of earlier versions lack both
            finding = finding == null ? Optional.empty() : finding;
        }

        /** A restored node whose health was not evaluated. */
        public RolledBack(long attempt, Instant since) {
            this(attempt, "", Optional.empty(), since);
        }

        /** Whether the finding on a restored node means that it is unhealthy. */
        public static boolean isUnhealthy(Cause finding) {
            return !finding.code().equals(NO_DATA);
        }

        /** Unhealthy after it was restored. */
        public RolledBack becomeUnhealthy(Cause cause) {
            return new RolledBack(attempt, runId, Optional.of(cause), since);
        }

        /** Healthy again. */
        public RolledBack recover() {
            return new RolledBack(attempt, runId, Optional.empty(), since);
        }
    }

    /** Why something is restored. */
    enum RestorePurpose {
        /** The node was unwell on the target. */
        FAILED_GATE,
        /** An operator rolls the rollout back. */
        ROLLBACK
    }

    /** Since when. */
    Instant since();

    /**
     * Whether work is under way: dispatched and not yet decided. Evaluated for every node several
     * times in each step, so these are type tests, which cost a fraction of a pattern switch.
     */
    default boolean isInFlight() {
        return this instanceof Assigned
                || this instanceof Upgrading
                || this instanceof Settling
                || this instanceof Observed
                || this instanceof Restoring
                || this instanceof Restored;
    }

    /** Whether it counts as failed: failed, failed_rollback, unhealthy or unreachable. */
    default boolean isFailure() {
        return this instanceof Failed
                || this instanceof Unhealthy
                || this instanceof FailedRollback
                || this instanceof Unreachable;
    }
}
