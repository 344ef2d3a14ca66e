package drover.opsagent.journal;

import drover.model.Action;
import drover.model.ActionOutcome;
import drover.model.AttemptOutcome;
import drover.model.UpgradeAction;
import drover.opsagent.plan.NextStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything an agent knows of one attempt. Each change is made durable before the effect it
 * announces (D2), so that {@link NextStep} can go on from it after any crash.
 *
 * @param agentRestarts how often the agent was started again in this attempt
 * @param transitions steps begun and restarts so far; bounded by {@link NextStep#MAX_TRANSITIONS}
 * @param revision grows with every change
 */
public record Journal(
        Assignment assignment,
        AttemptDirection direction,
        PreUpgradeState before,
        List<ActionEntry> actions,
        List<UndoStepProgress> undos,
        int agentRestarts,
        int transitions,
        long revision,
        AttemptResult ending) {
    private static final int LONGEST_DETAIL = 1_000; // a status must stay below 32 KiB

    public Journal {
        actions = List.copyOf(actions);
        undos = List.copyOf(undos);
    }

    /** An attempt that is about to begin. A restore goes backward from its first step. */
    public static Journal accepted(Assignment assignment, PreUpgradeState before) {
        return new Journal(
                assignment,
                firstDirection(assignment.work()),
                before,
                List.of(),
                List.of(),
                0,
                0,
                1,
                AttemptResult.NONE);
    }

    private static AttemptDirection firstDirection(Work work) {
        return work instanceof Work.Restore ? AttemptDirection.BACKWARD : AttemptDirection.FORWARD;
    }

    /** An attempt that is over without having begun. */
    public static Journal neverStarted(Assignment assignment, AttemptResult ending) {
        return new Journal(
                assignment,
                AttemptDirection.FORWARD,
                new PreUpgradeState.NotNeeded(),
                List.of(),
                List.of(),
                0,
                0,
                1,
                ending);
    }

    /** Number of the attempt. */
    public long attempt() {
        return assignment.attempt();
    }

    /** Whether the attempt is over. */
    public boolean hasEnded() {
        return ending.outcome().isTerminal();
    }

    /**
     * Whether some action that changes the node has begun, whether or not it was completed (D7).
     */
    public boolean mayHaveMutated() {
        return !undos.isEmpty() || actions.stream().anyMatch(entry -> entry.action().mutates());
    }

    /**
     * Whether it undoes a version that was started and that this attempt did not find unhealthy: a
     * restore, or a rollback that an operator on the node requested after the start.
     */
    public boolean undoesStartedVersion() {
        ActionEntry start = findEntry(UpgradeAction.START_NODE);
        boolean started = start != null && start.hasSucceeded();
        return assignment.work() instanceof Work.Restore
                || (started && ending.reason() == ReasonCode.ROLLED_BACK_LOCALLY);
    }

    /**
     * Whether the attempt changed a program, or may have. A refused or withdrawn one did not, nor
     * did one that replaced the agent.
     */
    public boolean mayHaveChangedProgram() {
        boolean ofAgent = assignment.work().programName().equals(Work.AgentUpgrade.PROGRAM);
        return switch (ending.outcome()) {
            case REFUSED, WITHDRAWN -> false;
            case SUCCEEDED, FAILED, RESTORED -> !ofAgent && !modifiedNothing();
            case FAILED_ROLLBACK, IN_PROGRESS -> true;
        };
    }

    private boolean modifiedNothing() {
        return undos.isEmpty()
                && actions.stream()
                        .allMatch(
                                entry ->
                                        !entry.action().mutates()
                                                || entry.outcome() == ActionOutcome.ALREADY_DONE);
    }

    /** The action is about to have its effect. */
    public Journal withActionStarted(Action action, Instant now) {
        return withProgress(
                withEntry(new ActionEntry(action, ActionOutcome.RUNNING, now, null, "")),
                undos,
                transitions + 1);
    }

    /** The action has had its effect, or it was so already. */
    public Journal withActionDone(Action action, ActionOutcome outcome, Instant now) {
        return withActionDone(action, outcome, now, "");
    }

    /** The same with a sentence for operators. */
    public Journal withActionDone(
            Action action, ActionOutcome outcome, Instant now, String detail) {
        ActionEntry entry = withResult(action, outcome, now, truncate(detail));
        return withProgress(withEntry(entry), undos, transitions);
    }

    /** The action failed: from here on the attempt goes back. */
    public Journal withActionFailedAndCompensation(
            Action action, ReasonCode reason, String detail, Instant now) {
        String sentence = truncate(detail);
        Journal marked =
                withProgress(
                        withEntry(withResult(action, ActionOutcome.FAILED, now, sentence)),
                        undos,
                        transitions);
        return marked.withCompensationStarted(reason, sentence);
    }

    /** The attempt goes back, and never forward again. */
    public Journal withCompensationStarted(ReasonCode reason, String detail) {
        AttemptResult because =
                new AttemptResult(
                        AttemptOutcome.IN_PROGRESS,
                        reason,
                        truncate(detail),
                        ending.seen(),
                        ending.logTail());
        return new Journal(
                assignment,
                AttemptDirection.BACKWARD,
                before,
                actions,
                undos,
                agentRestarts,
                transitions + 1,
                revision + 1,
                because);
    }

    /** The agent was started again while the attempt was open. */
    public Journal withAgentRestart() {
        return new Journal(
                assignment,
                direction,
                before,
                actions,
                undos,
                agentRestarts + 1,
                transitions + 1,
                revision + 1,
                ending);
    }

    /** The step back is about to have its effect. */
    public Journal withUndoStarted(UndoStep step, Instant now) {
        return withProgress(
                actions, withEntry(new UndoStepProgress(step, now, null, "")), transitions + 1);
    }

    /** The step back is done. */
    public Journal withUndoDone(UndoStep step, Instant now) {
        return withUndoDone(step, now, "");
    }

    /** The same with a sentence for operators. */
    public Journal withUndoDone(UndoStep step, Instant now, String detail) {
        Instant startedAt =
                undos.stream()
                        .filter(entry -> entry.step() == step)
                        .findFirst()
                        .map(UndoStepProgress::startedAt)
                        .orElse(now);
        UndoStepProgress entry = new UndoStepProgress(step, startedAt, now, truncate(detail));
        return withProgress(actions, withEntry(entry), transitions);
    }

    /** Records the program as observed before its first stop. */
    public Journal withObservedProgram(ObservedProgram seen) {
        return withEnding(
                new AttemptResult(
                        ending.outcome(),
                        ending.reason(),
                        ending.detail(),
                        seen,
                        ending.logTail()));
    }

    /** Keeps the end of the program's output. */
    public Journal withLogTail(String logTail) {
        return withEnding(
                new AttemptResult(
                        ending.outcome(),
                        ending.reason(),
                        ending.detail(),
                        ending.seen(),
                        logTail));
    }

    /** The attempt is over. A reason found earlier is kept when none is given. */
    public Journal withResult(
            AttemptOutcome outcome, ReasonCode reason, String detail, ObservedProgram seen) {
        boolean keep = reason == ReasonCode.NONE;
        AttemptResult last =
                new AttemptResult(
                        outcome,
                        keep ? ending.reason() : reason,
                        keep ? ending.detail() : truncate(detail + compensatedFailure(outcome)),
                        seen,
                        ending.logTail());
        Journal over = withEnding(last);
        return outcome == AttemptOutcome.FAILED ? over.withActionsCompensated() : over;
    }

    /** What failed first: the cause that an operator corrects if the compensation fails, too. */
    private String compensatedFailure(AttemptOutcome outcome) {
        boolean both = outcome == AttemptOutcome.FAILED_ROLLBACK && !ending.detail().isEmpty();
        return both ? " The failure that was compensated: " + ending.detail() : "";
    }

    /**
     * The attempt is over because its first undo step, a stop, had no effect. The journal is again
     * as before that step, so that a rollback can be repeated: the transitions are those of the
     * actions alone.
     */
    public Journal withIneffectiveStop(
            AttemptOutcome outcome, ReasonCode reason, String detail, ObservedProgram seen) {
        Journal over = withResult(outcome, reason, detail, seen);
        return new Journal(
                assignment,
                firstDirection(assignment.work()),
                before,
                over.actions,
                List.of(),
                agentRestarts,
                over.actions.size(),
                over.revision,
                over.ending);
    }

    private Journal withActionsCompensated() {
        List<ActionEntry> undone = new ArrayList<>();
        for (ActionEntry entry : actions) {
            boolean failed = entry.outcome() == ActionOutcome.FAILED;
            undone.add(
                    entry.action().mutates() && !failed
                            ? new ActionEntry(
                                    entry.action(),
                                    ActionOutcome.COMPENSATED,
                                    entry.startedAt(),
                                    entry.endedAt(),
                                    entry.detail())
                            : entry);
        }
        return withProgress(undone, undos, transitions);
    }

    private Journal withEnding(AttemptResult next) {
        return new Journal(
                assignment,
                direction,
                before,
                actions,
                undos,
                agentRestarts,
                transitions,
                revision + 1,
                next);
    }

    private Journal withProgress(
            List<ActionEntry> nextActions, List<UndoStepProgress> nextUndos, int count) {
        return new Journal(
                assignment,
                direction,
                before,
                nextActions,
                nextUndos,
                agentRestarts,
                count,
                revision + 1,
                ending);
    }

    private ActionEntry withResult(
            Action action, ActionOutcome outcome, Instant now, String detail) {
        @Nullable ActionEntry started = findEntry(action);
        Instant startedAt = started == null ? now : started.startedAt();
        return new ActionEntry(action, outcome, startedAt, now, detail);
    }

    /** The action's entry; absent when it has not begun. */
    public @Nullable ActionEntry findEntry(Action action) {
        for (ActionEntry entry : actions) {
            if (entry.action() == action) {
                return entry;
            }
        }
        return null;
    }

    private List<ActionEntry> withEntry(ActionEntry next) {
        List<ActionEntry> all = new ArrayList<>(actions);
        all.removeIf(entry -> entry.action() == next.action());
        all.add(next);
        return all;
    }

    private List<UndoStepProgress> withEntry(UndoStepProgress next) {
        List<UndoStepProgress> all = new ArrayList<>(undos);
        all.removeIf(entry -> entry.step() == next.step());
        all.add(next);
        return all;
    }

    private static String truncate(String detail) {
        return detail.length() <= LONGEST_DETAIL ? detail : detail.substring(0, LONGEST_DETAIL);
    }
}
