package drover.coordinator.engine.export;

import drover.coordinator.engine.loop.WakeupSignal;
import drover.coordinator.peers.ActionReportProtos;
import drover.coordinator.store.export.SpanHistoryStore;
import drover.coordinator.store.export.SpanHistoryStore.HistoryPage;
import drover.coordinator.store.export.SpanHistoryStore.RolloutWithUnsentSpans;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.coordinator.store.sql.UnreadableRow;
import drover.coordinator.trace.FinishedSpan;
import drover.coordinator.trace.SpanAssembler;
import drover.coordinator.trace.TracedAttempt;
import drover.coordinator.trace.TracedRollout;
import drover.kit.telemetry.EndedSpan;
import drover.kit.telemetry.TraceExporter;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's loop that sends history as spans: read beyond the mark, plan, send, and only then
 * move the mark. Whatever happens to it, rollouts go on; what was not marked is sent again under
 * the same ids, by the next leader if need be.
 */
public final class SpanExportLoop {
    private static final Logger LOG = LoggerFactory.getLogger(SpanExportLoop.class);

    /** Soon enough to look at; a rollout takes minutes. */
    private static final Duration ROUND = Duration.ofSeconds(2);

    /** The receiver is away, or the database: the exporter itself has tried for a while. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(10);

    private final long epoch;
    private final SpanHistoryStore store;
    private final TraceExporter receiver;
    private final WakeupSignal wakeup = new WakeupSignal();
    private final Thread thread;
    private final Set<RolloutId> aside = new HashSet<>(); // until another leader looks
    private volatile boolean ended;
    private boolean failing;

    /** Where spans come from and where they go. */
    public record Dependencies(SpanHistoryStore store, TraceExporter receiver) {
        /** Nobody wants spans, so none are looked for. */
        public static Dependencies disabled() {
            return new Dependencies(SpanHistoryStore.empty(), TraceExporter.disabled());
        }
    }

    /** How a round went. */
    enum RoundResult {
        /** All that was due is sent. */
        SENT,
        /** Something could not be sent and is kept. */
        RETRY,
        /** Another leader has taken over. */
        STALE
    }

    public SpanExportLoop(long epoch, Dependencies ends) {
        this.epoch = epoch;
        this.store = ends.store();
        this.receiver = ends.receiver();
        this.thread = Thread.ofVirtual().name("spans-" + epoch).unstarted(this::run);
    }

    /** Begins; nothing runs when nobody wants spans. */
    public void start() {
        if (receiver.isEnabled()) {
            thread.start();
        }
    }

    boolean isRunning() {
        return thread.isAlive();
    }

    public void stop() {
        ended = true;
        thread.interrupt();
    }

    private void run() {
        try {
            while (!ended) {
                RoundResult round = runGuardedRound();
                if (round == RoundResult.STALE) {
                    return; // the term finds out by itself
                }
                wakeup.await(round == RoundResult.SENT ? ROUND : AFTER_FAILURE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the term has ended
        }
    }

    private RoundResult runGuardedRound() {
        try {
            return runRound();
        } catch (StoreUnavailable e) {
            LOG.debug("Spans are kept reason={}", e.getMessage()); // the term tells of the database
        } catch (RuntimeException e) {
            if (!ended) {
                LOG.error("Spans could not be made by a bug; rollouts go on", e);
            }
        }
        return RoundResult.RETRY;
    }

    /** Sends all that is due, page by page. */
    RoundResult runRound() {
        for (RolloutWithUnsentSpans due : store.findDue(aside)) {
            RoundResult sent = sendAllOrSkip(due);
            if (sent != RoundResult.SENT) {
                return sent;
            }
        }
        return RoundResult.SENT;
    }

    /** A rollout that a later version wrote is left to that version, and no other for it. */
    private RoundResult sendAllOrSkip(RolloutWithUnsentSpans due) {
        try {
            return sendAll(due);
        } catch (UnreadableRow e) {
            aside.add(due.id());
            LOG.warn(
                    "Spans of a rollout are left to leaders of a later version rolloutId={}"
                            + " reason={}",
                    due.id(),
                    e.getMessage());
            return RoundResult.SENT;
        } catch (StoreUnavailable e) {
            throw e;
        } catch (RuntimeException e) {
            if (ended) {
                throw e;
            }
            aside.add(due.id());
            LOG.error("Spans of a rollout cannot be made; others go on rolloutId={}", due.id(), e);
            return RoundResult.SENT;
        }
    }

    /** Ends: every page moves the mark, and history grows by people's and nodes' doing alone. */
    private RoundResult sendAll(RolloutWithUnsentSpans due) {
        RolloutWithUnsentSpans next = due;
        Optional<HistoryPage> found = store.readPage(next);
        while (found.isPresent()) {
            HistoryPage page = found.get();
            if (!send(
                    SpanAssembler.spansEndedBetween(
                            toTracedRollout(next, page), next.through(), page.through()))) {
                return RoundResult.RETRY;
            }
            if (!store.advanceMark(epoch, next.id(), page.through())) {
                return RoundResult.STALE;
            }
            next = new RolloutWithUnsentSpans(next.id(), page.through());
            found = store.readPage(next);
        }
        return RoundResult.SENT;
    }

    private boolean send(List<FinishedSpan> spans) {
        for (int from = 0; from < spans.size(); from += TraceExporter.MAX_BATCH) {
            int to = Math.min(spans.size(), from + TraceExporter.MAX_BATCH);
            boolean taken =
                    receiver.export(
                            spans.subList(from, to).stream()
                                    .map(SpanExportLoop::toEndedSpan)
                                    .toList());
            logIfOutcomeChanged(taken);
            if (!taken) {
                return false;
            }
        }
        return true;
    }

    /** Once when it begins and once when it is over, however long it lasts. */
    private void logIfOutcomeChanged(boolean taken) {
        if (!taken && !failing && !ended) {
            LOG.warn("Spans are not taken; they are kept and sent again. Rollouts go on");
        } else if (taken && failing) {
            LOG.info("Spans are taken again");
        }
        failing = !taken;
    }

    private static TracedRollout toTracedRollout(RolloutWithUnsentSpans due, HistoryPage page) {
        return new TracedRollout(
                due.id().value(),
                page.traceId(),
                page.attributes(),
                page.canary(),
                page.history(),
                page.attempts().stream().map(SpanExportLoop::toTracedAttempt).toList());
    }

    private static TracedAttempt toTracedAttempt(SpanHistoryStore.StoredAttempt stored) {
        return new TracedAttempt(
                stored.node(),
                stored.attempt(),
                stored.restoreOf(),
                stored.closed(),
                ActionReportProtos.parseActions(stored.report()));
    }

    private static EndedSpan toEndedSpan(FinishedSpan span) {
        return new EndedSpan(
                span.traceId(),
                span.spanId(),
                span.parentId(),
                span.name(),
                span.start(),
                span.end(),
                span.attributes(),
                span.events().stream()
                        .map(it -> new EndedSpan.Event(it.at(), it.name(), it.attributes()))
                        .toList(),
                span.failure());
    }
}
