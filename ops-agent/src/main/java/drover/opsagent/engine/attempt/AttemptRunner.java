package drover.opsagent.engine.attempt;

import drover.model.Action;
import drover.model.ActionOutcome;
import drover.model.AttemptOutcome;
import drover.model.UpgradeAction;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.journal.ActionSequences;
import drover.opsagent.journal.AttemptDirection;
import drover.opsagent.journal.AttemptResult;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.UndoStep;
import drover.opsagent.journal.Work;
import drover.opsagent.plan.NextStep;
import drover.opsagent.plan.RecoveryObservation;
import drover.opsagent.store.JournalStore;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one attempt to its end: ask {@link NextStep}, make it durable that the step begins, do it,
 * make it durable that it is done. The first run and every recovery are this one loop.
 */
public final class AttemptRunner {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptRunner.class);
    private static final Duration UNDO_TIMEOUT =
            Duration.ofMinutes(2); // stop and start are 1 min each

    private final AttemptJournalWriter writer;
    private final Function<Work, AttemptOperations> handlers;
    private final Ticker ticker;
    private final Consumer<Journal> published;
    private final IntConsumer progress;

    /**
     * Runs attempts on a node.
     *
     * @param deeds what the steps do, by what the attempt is about
     * @param published told of each journal once it is durable
     * @param progress told how far the action under way is, in percent
     */
    public AttemptRunner(
            JournalStore journals,
            Function<Work, AttemptOperations> deeds,
            Ticker ticker,
            Consumer<Journal> published,
            IntConsumer progress) {
        this.writer = new AttemptJournalWriter(journals, deeds, published);
        this.handlers = deeds;
        this.ticker = ticker;
        this.published = published;
        this.progress = progress;
    }

    /** Runs an attempt that was just accepted, and whose journal is durable. */
    public Journal run(Journal accepted) {
        published.accept(accepted);
        return run(accepted, RecoveryObservation.RUNNING);
    }

    /** Takes up an attempt that a crash of the agent or the machine left open. */
    public Journal recoverOpen(Journal open) {
        Journal restarted = writer.saveOrCompensate(open.withAgentRestart());
        return run(restarted, observeForRecovery(restarted));
    }

    /** Whether a reported result is not durable yet. */
    public boolean hasUnpersistedResult() {
        return writer.hasUnpersistedResult();
    }

    /**
     * Makes a reported result durable (C2). Until it is, no other attempt starts.
     *
     * @throws DiskFailure if the disk still does not take it
     */
    public void persistPendingResult() {
        writer.persistPendingResult();
    }

    /** What cannot be looked at counts as lost: whoever does not see does not go forward. */
    private RecoveryObservation observeForRecovery(Journal restarted) {
        try {
            return handlerFor(restarted).observeForRecovery(restarted);
        } catch (RuntimeException e) {
            LOG.warn(
                    "What is left cannot be looked at reason={}",
                    FailureReasonAndDetail.of(e).reason());
            return new RecoveryObservation(true, false, false);
        }
    }

    private AttemptOperations handlerFor(Journal journal) {
        return handlers.apply(journal.assignment().work());
    }

    private Journal run(Journal started, RecoveryObservation first) {
        Journal journal = started;
        RecoveryObservation facts = first;
        Deadline budget = ticker.deadlineIn(journal.assignment().budget());
        Deadline backBudget = budget;
        // Bounded by NextStep.MAX_TRANSITIONS: every iteration but the last is a transition.
        while (!journal.hasEnded()) {
            AttemptDirection direction = journal.direction();
            journal =
                    switch (NextStep.after(journal, facts)) {
                        case NextStep.StartAction(Action action) ->
                                performAction(journal, action, budget);
                        case NextStep.Compensate(ReasonCode reason, String detail) ->
                                writer.saveOrCompensate(
                                        journal.withCompensationStarted(reason, detail));
                        case NextStep.Undo(UndoStep step) -> undo(journal, step, backBudget);
                        case NextStep.VerifyTarget() -> verifyTarget(journal);
                        case NextStep.VerifyRestored() -> verifyRestored(journal);
                        case NextStep.GiveUp() ->
                                writer.finishAttempt(
                                        journal,
                                        AttemptOutcome.FAILED_ROLLBACK,
                                        ReasonCode.LOOP_GUARD,
                                        "The attempt went round in circles and was stopped: look at"
                                                + " the node, repair it, then clear it.");
                        case NextStep.Ended() -> journal;
                    };
            facts = RecoveryObservation.RUNNING;
            if (direction != journal.direction()) {
                backBudget =
                        ticker.deadlineIn(
                                journal.assignment().budget()); // a budget of its own (C6)
            }
        }
        writer.releaseIfPersisted(journal);
        return journal;
    }

    private Journal performAction(Journal journal, Action action, Deadline budget) {
        // Each action is durable before it starts: without this entry all files are as before.
        boolean stops =
                action == UpgradeAction.STOP_NODE
                        && journal.findEntry(UpgradeAction.INSTALL_ARTIFACT) == null;
        Journal observed = stops ? journal.withObservedProgram(writer.observe(journal)) : journal;
        Journal started =
                writer.saveOrCompensate(observed.withActionStarted(action, ticker.wallClock()));
        if (started.direction() == AttemptDirection.BACKWARD) {
            // Its journal could not be written, so the action has not started.
            AttemptResult failure = started.ending();
            return journal.withCompensationStarted(failure.reason(), failure.detail());
        }
        if (budget.hasPassed()) {
            return writer.saveOrCompensate(
                    started.withActionFailedAndCompensation(
                            action,
                            ReasonCode.BUDGET_SPENT,
                            "The attempt took too long: look at what was slow.",
                            ticker.wallClock()));
        }
        StepNotes notes = new StepNotes();
        try {
            AttemptOperations handler = handlerFor(started);
            Deadline deadline =
                    budget.atMost(
                            AttemptOperations.timeout(action, handler.extraStopTime(started)));
            ActionOutcome outcome = handler.perform(action, started, deadline, progress, notes);
            return writer.saveOrCompensate(
                    started.withActionDone(action, outcome, ticker.wallClock(), notes.text()));
        } catch (RuntimeException e) {
            FailureReasonAndDetail failure = FailureReasonAndDetail.of(e);
            Journal failed =
                    started.withActionFailedAndCompensation(
                            action,
                            failure.reason(),
                            notes.appendedTo(failure.detail()),
                            ticker.wallClock());
            String words = logTail(action, failed);
            return writer.saveOrCompensate(words.isEmpty() ? failed : failed.withLogTail(words));
        }
    }

    private String logTail(Action action, Journal failed) {
        try {
            return handlerFor(failed).logTail(action, failed);
        } catch (RuntimeException e) {
            LOG.warn(
                    "The program's last words are lost reason={}",
                    FailureReasonAndDetail.of(e).reason());
            return ""; // going back matters more than what it said
        }
    }

    private Journal undo(Journal journal, UndoStep step, Deadline budget) {
        if (step == UndoStep.STOP
                && !journal.undoesStartedVersion()
                && cancelIneffectiveStop(journal) == AttemptOutcome.FAILED) {
            return writer.finishAttempt(journal, AttemptOutcome.FAILED, ReasonCode.NONE, "");
        }
        boolean stops = journal.undoesStartedVersion() && journal.undos().isEmpty();
        Journal observed = stops ? journal.withObservedProgram(writer.observe(journal)) : journal;
        // Recovery does not need this entry, because each step is idempotent. Operators do: it
        // shows which step was running when an agent was lost.
        Journal started =
                writer.saveOrCompensate(observed.withUndoStarted(step, ticker.wallClock()));
        StepNotes notes = new StepNotes();
        try {
            AttemptOperations handler = handlerFor(started);
            Duration limit = UNDO_TIMEOUT.plus(handler.extraStopTime(started));
            handler.undo(step, started, budget.atMost(limit), notes);
            return writer.saveOrCompensate(
                    started.withUndoDone(step, ticker.wallClock(), notes.text()));
        } catch (RuntimeException e) {
            FailureReasonAndDetail failure = FailureReasonAndDetail.of(e);
            return finishFailedUndo(
                    started,
                    step,
                    new FailureReasonAndDetail(
                            failure.reason(), notes.appendedTo(failure.detail())));
        }
    }

    private Journal finishFailedUndo(
            Journal journal, UndoStep step, FailureReasonAndDetail failure) {
        AttemptOutcome outcome =
                step == UndoStep.STOP
                        ? cancelIneffectiveStop(journal)
                        : AttemptOutcome.FAILED_ROLLBACK;
        return switch (outcome) {
            case FAILED -> writer.finishAttempt(journal, outcome, ReasonCode.NONE, "");
            case SUCCEEDED, RESTORED, REFUSED ->
                    writer.persistResult(
                            journal,
                            journal.withIneffectiveStop(
                                    outcome,
                                    failure.reason(),
                                    failure.detail() + " The program still runs.",
                                    writer.observe(journal)));
            case IN_PROGRESS, WITHDRAWN, FAILED_ROLLBACK ->
                    writer.finishAttempt(
                            journal,
                            AttemptOutcome.FAILED_ROLLBACK,
                            failure.reason(),
                            failure.detail());
        };
    }

    /**
     * Ends a stop that failed before it stopped anything.
     *
     * @return outcome of the attempt; FAILED_ROLLBACK unless the node is proven to be unchanged
     */
    private AttemptOutcome cancelIneffectiveStop(Journal journal) {
        try {
            AttemptOperations handler = handlerFor(journal);
            if (!handler.cancelStopIfIneffective(journal)) {
                return AttemptOutcome.FAILED_ROLLBACK;
            }
            if (journal.assignment().work() instanceof Work.Restore) {
                return AttemptOutcome.REFUSED;
            }
            if (journal.undoesStartedVersion()) {
                return handler.describeUnmetTarget(journal).isEmpty()
                        ? handler.successOutcome(journal)
                        : AttemptOutcome.FAILED_ROLLBACK;
            }
            return handler.isRestored(journal)
                    ? AttemptOutcome.FAILED
                    : AttemptOutcome.FAILED_ROLLBACK;
        } catch (RuntimeException e) {
            LOG.warn(
                    "A failed stop cannot be cancelled reason={}",
                    FailureReasonAndDetail.of(e).reason());
            return AttemptOutcome.FAILED_ROLLBACK;
        }
    }

    /** Success is what runs, not what was done (D5); what cannot be looked at is not proven. */
    private Journal verifyTarget(Journal journal) {
        String missing;
        try {
            missing = handlerFor(journal).describeUnmetTarget(journal);
        } catch (RuntimeException e) {
            FailureReasonAndDetail failure = FailureReasonAndDetail.of(e);
            return writer.saveOrCompensate(
                    journal.withCompensationStarted(failure.reason(), failure.detail()));
        }
        return missing.isEmpty()
                ? writer.finishAttempt(
                        journal, handlerFor(journal).successOutcome(journal), ReasonCode.NONE, "")
                : writer.saveOrCompensate(
                        journal.withCompensationStarted(ReasonCode.PROOF_FAILED, missing));
    }

    private Journal verifyRestored(Journal journal) {
        boolean restore = journal.assignment().work() instanceof Work.Restore;
        boolean verified;
        try {
            verified =
                    ActionSequences.undoSteps(journal).isEmpty()
                            || handlerFor(journal).isRestored(journal);
        } catch (RuntimeException e) {
            FailureReasonAndDetail failure = FailureReasonAndDetail.of(e);
            return writer.finishAttempt(
                    journal, AttemptOutcome.FAILED_ROLLBACK, failure.reason(), failure.detail());
        }
        if (verified) {
            AttemptOutcome outcome = restore ? AttemptOutcome.RESTORED : AttemptOutcome.FAILED;
            return writer.finishAttempt(journal, outcome, ReasonCode.NONE, "");
        }
        return writer.finishAttempt(
                journal,
                AttemptOutcome.FAILED_ROLLBACK,
                ReasonCode.PROOF_FAILED,
                "The node is not as it was: repair it by hand, then clear it.");
    }
}
