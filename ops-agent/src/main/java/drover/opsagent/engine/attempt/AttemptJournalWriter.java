package drover.opsagent.engine.attempt;

import drover.model.AttemptOutcome;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.journal.AttemptDirection;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.store.JournalStore;
import drover.opsagent.time.AgentStopping;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Durable journal of an attempt: saves and publishes each step and the result, and decides what
 * follows if the disk does not take them.
 */
final class AttemptJournalWriter {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptJournalWriter.class);

    private final JournalStore journals;
    private final Function<Work, AttemptOperations> handlers;
    private final Consumer<Journal> published;
    private @Nullable Journal unpersistedResult;

    AttemptJournalWriter(
            JournalStore journals,
            Function<Work, AttemptOperations> handlers,
            Consumer<Journal> published) {
        this.journals = journals;
        this.handlers = handlers;
        this.published = published;
    }

    private AttemptOperations handlerFor(Journal journal) {
        return handlers.apply(journal.assignment().work());
    }

    /** Makes a journal durable, or turns back: without a journal nothing goes forward (D2). */
    Journal saveOrCompensate(Journal next) {
        try {
            journals.save(next);
            published.accept(next);
            return next;
        } catch (DiskFailure e) {
            LOG.warn("The journal cannot be written attempt={}", next.attempt(), e);
            // On the way back the steps may be repeated: bringing the program back matters more.
            FailureReasonAndDetail failure = FailureReasonAndDetail.of(e);
            return next.direction() == AttemptDirection.BACKWARD
                    ? next
                    : next.withCompensationStarted(failure.reason(), failure.detail());
        }
    }

    Journal finishAttempt(
            Journal journal, AttemptOutcome outcome, ReasonCode reason, String detail) {
        return persistResult(
                journal, journal.withResult(outcome, reason, detail, observe(journal)));
    }

    Journal persistResult(Journal journal, Journal ended) {
        Journal over = ended;
        try {
            saveFreeingSpace(over);
        } catch (DiskFailure e) {
            LOG.warn("The end of the attempt cannot be written attempt={}", over.attempt(), e);
            over = resultWithoutJournal(journal, over);
            unpersistedResult = over;
        }
        published.accept(over);
        LOG.info(
                "Attempt ended attempt={} outcome={} reason={}",
                over.attempt(),
                over.ending().outcome(),
                over.ending().reason());
        return over;
    }

    private void saveFreeingSpace(Journal over) {
        try {
            journals.save(over);
        } catch (DiskFailure e) {
            if (!e.isFull()) {
                throw e;
            }
            handlerFor(over).deleteStaged(over);
            journals.save(over);
        }
    }

    /**
     * A node that nothing was changed on is as it was, with a journal or without. One that was
     * changed is not: without its journal the agent cannot verify later what it did.
     */
    private Journal resultWithoutJournal(Journal journal, Journal over) {
        return journal.mayHaveMutated()
                ? journal.withResult(
                        AttemptOutcome.FAILED_ROLLBACK,
                        ReasonCode.DISK_ERROR,
                        "The journal cannot be written: repair the disk, restart the agent.",
                        observe(journal))
                : over;
    }

    /** Whether a reported result is not durable yet. */
    boolean hasUnpersistedResult() {
        return unpersistedResult != null;
    }

    /**
     * Makes a reported result durable (C2). Until it is, no other attempt starts, because the open
     * journal on the disk would be resumed and could end in another way.
     *
     * @throws DiskFailure if the disk still does not take it
     */
    void persistPendingResult() {
        Journal received = unpersistedResult;
        if (received != null) {
            journals.save(received);
            unpersistedResult = null;
            releaseAttemptResources(received);
            LOG.info("The end of the attempt is written now attempt={}", received.attempt());
        }
    }

    ObservedProgram observe(Journal journal) {
        try {
            return handlerFor(journal).observe(journal);
        } catch (RuntimeException e) {
            LOG.warn(
                    "The node cannot be looked at reason={}",
                    FailureReasonAndDetail.of(e).reason());
            return ObservedProgram.NOTHING;
        }
    }

    /** Releases what only the open attempt needed, unless its result is not durable yet. */
    void releaseIfPersisted(Journal journal) {
        if (unpersistedResult == null) {
            releaseAttemptResources(journal);
        }
    }

    private void releaseAttemptResources(Journal journal) {
        try {
            handlerFor(journal).cleanUp(journal);
        } catch (AgentStopping e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.warn("Leftovers stay reason={}", FailureReasonAndDetail.of(e).reason());
        }
    }
}
