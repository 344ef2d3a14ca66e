package drover.opsagent.engine;

import drover.model.AttemptOutcome;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.Journal;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The one status of this node (R2, C11): a later one replaces an earlier one, and it is sent again
 * until it is acknowledged. A slot, not a queue.
 */
public final class StatusSlot {
    private static final Duration BETWEEN_PROGRESS = Duration.ofMillis(500); // 2 a second
    private final Ticker ticker;
    private final Runnable onChange;
    private final Consumer<AttemptOutcome> onEnded;
    private @Nullable AttemptStatus current;
    private int ticks;
    private long progressAt;
    private long acknowledged;
    private boolean resendRequested;
    private boolean ended;
    private Consumer<AttemptStatus> onAcknowledged = status -> {};

    /**
     * An empty slot.
     *
     * @param changed told after each change; must not block
     */
    public StatusSlot(Ticker ticker, Runnable changed) {
        this(ticker, changed, outcome -> {});
    }

    /**
     * An empty slot.
     *
     * @param changed told after each change; must not block
     * @param over told once when an attempt ends, and not of what had ended before; must not block
     */
    public StatusSlot(Ticker ticker, Runnable changed, Consumer<AttemptOutcome> over) {
        this.ticker = ticker;
        this.onChange = changed;
        this.onEnded = over;
    }

    /** Replaces the status. */
    public void publish(Journal journal) {
        synchronized (this) {
            if (journal.hasEnded() && isNewResult(journal)) {
                onEnded.accept(journal.ending().outcome());
            }
            ticks = 0;
            if (current == null || current.journal().attempt() != journal.attempt()) {
                acknowledged = 0;
            }
            current = AttemptStatus.of(journal, 0, 0);
            ended |= journal.hasEnded();
        }
        onChange.run();
    }

    private boolean isNewResult(Journal journal) {
        return current == null
                || current.journal().attempt() != journal.attempt()
                || !current.isTerminal();
    }

    /** Puts back what an earlier agent left behind: not news, though it is to be told. */
    public void republish(Journal journal) {
        synchronized (this) {
            current = AttemptStatus.of(journal, 0, 0);
        }
        publish(journal);
    }

    /** Tells how far the action under way is; at most twice a second. */
    public void reportProgress(int percent) {
        synchronized (this) {
            long now = ticker.nanos();
            boolean soon = now - progressAt < BETWEEN_PROGRESS.toNanos();
            if (current == null || current.isTerminal() || (soon && ticks > 0)) {
                return;
            }
            progressAt = now;
            ticks++;
            current = AttemptStatus.of(current.journal(), ticks, percent);
        }
        onChange.run();
    }

    /** Says the same once more under a higher sequence, so that it is acknowledged anew. */
    public void requestAcknowledgement() {
        synchronized (this) {
            if (current == null || current.isTerminal()) {
                return;
            }
            ticks++;
            current = AttemptStatus.of(current.journal(), ticks, 0);
        }
        onChange.run();
    }

    /** Whether the coordinator has committed what is said now. */
    public synchronized boolean isAcknowledged() {
        return current != null && current.sequence() <= acknowledged;
    }

    /** Somebody asked for the status again. */
    public void requestResend() {
        synchronized (this) {
            resendRequested = true;
        }
        onChange.run();
    }

    /**
     * Somebody wants to see each status that is acknowledged, from now on.
     *
     * @param observer given the status as it stands once its acknowledgement is in; must not block
     */
    public synchronized void setAcknowledgeObserver(Consumer<AttemptStatus> observer) {
        this.onAcknowledged = observer;
    }

    /** The coordinator has committed this sequence. */
    public synchronized void acknowledge(long attempt, long sequence) {
        if (current != null && current.journal().attempt() == attempt) {
            acknowledged = Math.max(acknowledged, sequence);
            if (isAcknowledged()) {
                onAcknowledged.accept(current);
            }
        }
    }

    /** The status; absent when the node never had an attempt. */
    public synchronized @Nullable AttemptStatus currentStatus() {
        return current;
    }

    /** The status, when it was not acknowledged or somebody asked for it; else absent. */
    public synchronized @Nullable AttemptStatus findUnacknowledgedOrRequested() {
        boolean due = resendRequested || (current != null && current.sequence() > acknowledged);
        return due ? current : null;
    }

    /** Whether somebody asked for the status since this was last called. */
    public synchronized boolean takeResendRequest() {
        boolean requested = resendRequested;
        resendRequested = false;
        return requested;
    }

    /** Whether an attempt ended since this was last called. */
    public synchronized boolean takeEndedFlag() {
        boolean taken = ended;
        ended = false;
        return taken;
    }
}
