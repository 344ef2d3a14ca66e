package drover.opsagent.engine;

import drover.model.Action;
import drover.model.ActionOutcome;
import drover.model.AttemptOutcome;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.script.Direction;
import drover.opsagent.script.Facts;
import drover.opsagent.script.Journal;
import drover.opsagent.script.NextStep;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.script.Seen;
import drover.opsagent.script.UndoStep;
import drover.opsagent.script.UpgradeScript;
import drover.opsagent.script.Work;
import drover.opsagent.store.JournalStore;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one attempt to its end: ask {@link NextStep}, make it durable that the step begins, do it,
 * make it durable that it is done. The first run and every recovery are this one loop.
 */
public final class AttemptRunner {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptRunner.class);
    private static final Duration BACK_STEP =
            Duration.ofMinutes(2); // stop and start are 1 min each

    private final JournalStore journals;
    private final Function<Work, Deeds> deeds;
    private final Ticker ticker;
    private final Consumer<Journal> published;
    private final IntConsumer progress;
    private @Nullable Journal owed;

    /**
     * Runs attempts on a node.
     *
     * @param deeds what the steps do, by what the attempt is about
     * @param published told of each journal once it is durable
     * @param progress told how far the action under way is, in percent
     */
    AttemptRunner(
            JournalStore journals,
            Function<Work, Deeds> deeds,
            Ticker ticker,
            Consumer<Journal> published,
            IntConsumer progress) {
        this.journals = journals;
        this.deeds = deeds;
        this.ticker = ticker;
        this.published = published;
        this.progress = progress;
    }

    /** Runs an attempt that was just accepted, and whose journal is durable. */
    public Journal run(Journal accepted) {
        published.accept(accepted);
        return run(accepted, Facts.UNDER_WAY);
    }

    /** Takes up an attempt that a crash of the agent or the machine left open. */
    public Journal recover(Journal open) {
        Journal restarted = keep(open.restarted());
        return run(restarted, afterRestart(restarted));
    }

    /** What cannot be looked at counts as lost: whoever does not see does not go forward. */
    private Facts afterRestart(Journal restarted) {
        try {
            return deeds(restarted).afterRestart(restarted);
        } catch (RuntimeException e) {
            LOG.warn("What is left cannot be looked at reason={}", Failures.of(e).reason());
            return new Facts(true, false, false);
        }
    }

    private Deeds deeds(Journal journal) {
        return deeds.apply(journal.assignment().work());
    }

    private Journal run(Journal begun, Facts first) {
        Journal journal = begun;
        Facts facts = first;
        Deadline budget = ticker.in(journal.assignment().budget());
        Deadline backBudget = budget;
        // Bounded by NextStep.MOST_TRANSITIONS: every turn but the last is a transition.
        while (!journal.isOver()) {
            Direction direction = journal.direction();
            journal =
                    switch (NextStep.after(journal, facts)) {
                        case NextStep.Begin(Action action) -> act(journal, action, budget);
                        case NextStep.TurnBack(ReasonCode reason, String detail) ->
                                keep(journal.turnedBack(reason, detail));
                        case NextStep.Undo(UndoStep step) -> undo(journal, step, backBudget);
                        case NextStep.ProveTarget() -> proveTarget(journal);
                        case NextStep.ProveBefore() -> proveBefore(journal);
                        case NextStep.GiveUp() ->
                                end(
                                        journal,
                                        AttemptOutcome.FAILED_ROLLBACK,
                                        ReasonCode.LOOP_GUARD,
                                        "The attempt went round in circles and was stopped: look at"
                                                + " the node, repair it, then clear it.");
                        case NextStep.Over() -> journal;
                    };
            facts = Facts.UNDER_WAY;
            if (direction != journal.direction()) {
                backBudget = ticker.in(journal.assignment().budget()); // a budget of its own (C6)
            }
        }
        cleanUp(journal);
        return journal;
    }

    private Journal act(Journal journal, Action action, Deadline budget) {
        Journal begun = keep(journal.begun(action, ticker.wallClock()));
        if (begun.direction() == Direction.BACKWARD) {
            return begun; // its journal could not be written, so it never began
        }
        if (budget.hasPassed()) {
            return keep(
                    begun.failed(
                            action,
                            ReasonCode.BUDGET_SPENT,
                            "The attempt took too long: look at what was slow, then retry.",
                            ticker.wallClock()));
        }
        try {
            Deadline deadline = budget.atMost(action.timeout());
            ActionOutcome outcome = deeds(begun).perform(action, begun, deadline, progress);
            return keep(begun.done(action, outcome, ticker.wallClock()));
        } catch (RuntimeException e) {
            Failures failure = Failures.of(e);
            Journal failed =
                    begun.failed(action, failure.reason(), failure.detail(), ticker.wallClock());
            String words = lastWords(action, failed);
            return keep(words.isEmpty() ? failed : failed.withLogTail(words));
        }
    }

    private String lastWords(Action action, Journal failed) {
        try {
            return deeds(failed).lastWords(action, failed);
        } catch (RuntimeException e) {
            LOG.warn("The program's last words are lost reason={}", Failures.of(e).reason());
            return ""; // going back matters more than what it said
        }
    }

    private Journal undo(Journal journal, UndoStep step, Deadline budget) {
        // Recovery does not need this entry, because each step is idempotent. Operators do: it
        // shows
        // which step was under way when an agent was lost.
        Journal begun = keep(journal.undoBegun(step, ticker.wallClock()));
        try {
            deeds(begun).undo(step, begun, budget.atMost(BACK_STEP));
            return keep(begun.undoDone(step, ticker.wallClock()));
        } catch (RuntimeException e) {
            Failures failure = Failures.of(e);
            return end(begun, AttemptOutcome.FAILED_ROLLBACK, failure.reason(), failure.detail());
        }
    }

    /** Success is what runs, not what was done (D5); what cannot be looked at is not proven. */
    private Journal proveTarget(Journal journal) {
        String missing;
        try {
            missing = deeds(journal).missing(journal);
        } catch (RuntimeException e) {
            Failures failure = Failures.of(e);
            return keep(journal.turnedBack(failure.reason(), failure.detail()));
        }
        return missing.isEmpty()
                ? end(journal, deeds(journal).proven(journal), ReasonCode.NONE, "")
                : keep(journal.turnedBack(ReasonCode.PROOF_FAILED, missing));
    }

    private Journal proveBefore(Journal journal) {
        boolean restore = journal.assignment().work() instanceof Work.Restore;
        boolean proven;
        try {
            proven = UpgradeScript.wayBack(journal).isEmpty() || deeds(journal).isAsBefore(journal);
        } catch (RuntimeException e) {
            Failures failure = Failures.of(e);
            return end(journal, AttemptOutcome.FAILED_ROLLBACK, failure.reason(), failure.detail());
        }
        if (proven) {
            AttemptOutcome outcome = restore ? AttemptOutcome.RESTORED : AttemptOutcome.FAILED;
            return end(journal, outcome, ReasonCode.NONE, "");
        }
        return end(
                journal,
                AttemptOutcome.FAILED_ROLLBACK,
                ReasonCode.PROOF_FAILED,
                "The node is not as it was: repair it by hand, then clear it.");
    }

    /** Makes a journal durable, or turns back: without a journal nothing goes forward (D2). */
    private Journal keep(Journal next) {
        try {
            journals.save(next);
            published.accept(next);
            return next;
        } catch (DiskFailure e) {
            LOG.warn("The journal cannot be written attempt={}", next.attempt(), e);
            // On the way back the steps may be repeated: bringing the program back matters more.
            Failures failure = Failures.of(e);
            return next.direction() == Direction.BACKWARD
                    ? next
                    : next.turnedBack(failure.reason(), failure.detail());
        }
    }

    private Journal end(Journal journal, AttemptOutcome outcome, ReasonCode reason, String detail) {
        Journal over = journal.ended(outcome, reason, detail, seen(journal));
        try {
            journals.save(over);
        } catch (DiskFailure e) {
            LOG.warn("The end of the attempt cannot be written attempt={}", over.attempt(), e);
            over =
                    journal.ended(
                            AttemptOutcome.FAILED_ROLLBACK,
                            ReasonCode.DISK_ERROR,
                            "The journal cannot be written: repair the disk, restart the agent.",
                            seen(journal));
            owed = over;
        }
        published.accept(over);
        LOG.info(
                "Attempt ended attempt={} outcome={} reason={}",
                over.attempt(),
                over.ending().outcome(),
                over.ending().reason());
        return over;
    }

    /** Whether an end was told that the disk has not taken yet. */
    boolean owes() {
        return owed != null;
    }

    /**
     * Makes the end durable that was told without it (C2): until it is, nothing else is begun, for
     * the open journal on the disk would be taken up again and end in another way.
     *
     * @throws DiskFailure when the disk still does not take it
     */
    void settle() {
        Journal told = owed;
        if (told != null) {
            journals.save(told);
            owed = null;
            LOG.info("The end of the attempt is written now attempt={}", told.attempt());
        }
    }

    private Seen seen(Journal journal) {
        try {
            return deeds(journal).see(journal);
        } catch (RuntimeException e) {
            LOG.warn("The node cannot be looked at reason={}", Failures.of(e).reason());
            return Seen.NOTHING;
        }
    }

    /** What only the open attempt needed goes. */
    private void cleanUp(Journal journal) {
        try {
            deeds(journal).cleanUp(journal);
        } catch (AgentStopping e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.warn("Leftovers stay reason={}", Failures.of(e).reason());
        }
    }
}
