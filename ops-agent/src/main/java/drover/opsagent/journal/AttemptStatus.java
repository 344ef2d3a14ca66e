package drover.opsagent.journal;

import drover.model.Action;
import drover.model.ActionOutcome;
import drover.model.AgentUpgradeAction;
import drover.model.AttemptOutcome;
import drover.model.UpgradePhase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One attempt, whole, as it is reported (R2): a later one of the same attempt replaces an earlier
 * one everywhere.
 *
 * @param sequence grows with every change, over restarts of the agent too
 */
public record AttemptStatus(Journal journal, long sequence, UpgradePhase phase, List<Step> steps) {
    /** Progress ticks between two revisions: five minutes of downloading at two a second. */
    private static final int TICKS = 1_000;

    public AttemptStatus {
        steps = List.copyOf(steps);
    }

    /**
     * Progress and result of one step.
     *
     * @param endedAt absent while it runs
     * @param percent done, 0 to 100
     */
    public record Step(
            String name,
            Instant startedAt,
            @Nullable Instant endedAt,
            ActionOutcome outcome,
            int percent,
            String detail) {}

    /**
     * Renders a journal. Sequence = revision × 1,000 + ticks: ticks are not durable, so a restarted
     * agent goes on from the next revision, above whatever was sent.
     */
    public static AttemptStatus of(Journal journal, int ticks, int percent) {
        long sequence = journal.revision() * TICKS + Math.min(ticks, TICKS - 1);
        return new AttemptStatus(journal, sequence, phase(journal), steps(journal, percent));
    }

    /** The phase people see: that of the action under way. */
    public static UpgradePhase phase(Journal journal) {
        if (journal.direction() == AttemptDirection.BACKWARD) {
            return UpgradePhase.COMPENSATING;
        }
        UpgradePhase phase = UpgradePhase.PREPARING;
        for (Action action : ActionSequences.actions(journal)) {
            ActionEntry entry = journal.findEntry(action);
            if (entry == null) {
                return phase;
            }
            phase = action.phase();
            if (!entry.hasSucceeded()) {
                return phase;
            }
        }
        return UpgradePhase.VERIFYING;
    }

    private static List<Step> steps(Journal journal, int percent) {
        List<Step> steps = new ArrayList<>();
        for (ActionEntry entry : journal.actions()) {
            boolean running = entry.outcome() == ActionOutcome.RUNNING;
            steps.add(
                    new Step(
                            entry.action().wireName(),
                            entry.startedAt(),
                            entry.endedAt(),
                            entry.outcome(),
                            running ? percent : 100,
                            entry.detail()));
        }
        for (UndoStepProgress entry : journal.undos()) {
            steps.add(
                    new Step(
                            entry.step().wireName(),
                            entry.startedAt(),
                            entry.endedAt(),
                            entry.hasFinished() ? ActionOutcome.DONE : ActionOutcome.RUNNING,
                            entry.hasFinished() ? 100 : 0,
                            Objects.requireNonNullElse(entry.detail(), "")));
        }
        return steps;
    }

    /** Whether the successor of this agent was let start, and nobody has been stopped yet. */
    public boolean isHandingOver() {
        ActionEntry entry = journal.findEntry(AgentUpgradeAction.HANDOVER);
        return entry != null
                && entry.outcome() == ActionOutcome.RUNNING
                && journal.direction() == AttemptDirection.FORWARD
                && !isTerminal();
    }

    /** Whether the agent is being replaced, so that it takes no other work. */
    public boolean isDraining() {
        return journal.assignment().work() instanceof Work.AgentUpgrade && !isTerminal();
    }

    /** Whether the attempt is over. */
    public boolean isTerminal() {
        return journal.ending().outcome() != AttemptOutcome.IN_PROGRESS;
    }
}
