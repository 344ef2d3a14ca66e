package drover.coordinator.trace;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A rollout's history, told row by row; one second passes with each. */
final class GivenHistory {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    static final String TRACE = "0123456789abcdef0123456789abcdef";

    private final List<HistoryEntryForSpans> rows = new ArrayList<>();
    private final List<TracedAttempt> attempts = new ArrayList<>();

    GivenHistory rollout(String from, String to) {
        return row("rollout", "", from, to, to.toUpperCase(java.util.Locale.ROOT));
    }

    GivenHistory batch(int number, String from, String to) {
        return row("batch " + number, "", from, to, "BATCH");
    }

    GivenHistory node(String node, String... statuses) {
        for (int i = 1; i < statuses.length; i++) {
            because(node, statuses[i - 1], statuses[i], "NODE");
        }
        return this;
    }

    GivenHistory because(String node, String from, String to, String code) {
        return row("node", node, from, to, code);
    }

    private GivenHistory row(String subject, String node, String from, String to, String code) {
        long seq = 10L + rows.size();
        rows.add(
                new HistoryEntryForSpans(
                        seq,
                        at(rows.size()),
                        "drover",
                        subject,
                        node,
                        from,
                        to,
                        code,
                        "Because of " + code + "."));
        return this;
    }

    GivenHistory upgrade(String node, long attempt) {
        return attempt(node, attempt, 0, true);
    }

    GivenHistory restore(String node, long attempt, long of) {
        return attempt(node, attempt, of, true);
    }

    GivenHistory openUpgrade(String node, long attempt) {
        return attempt(node, attempt, 0, false);
    }

    private GivenHistory attempt(String node, long attempt, long of, boolean closed) {
        List<TracedAttempt.Action> actions =
                List.of(
                        new TracedAttempt.Action("stop_node", at(1), at(2), "done", ""),
                        new TracedAttempt.Action("start_node", at(2), at(3), "failed", "It fell."));
        attempts.add(new TracedAttempt(node, attempt, of, closed, actions));
        return this;
    }

    /** The agent of the last attempt has said its last word after all. */
    GivenHistory closed() {
        TracedAttempt last = attempts.removeLast();
        return attempt(last.node(), last.attempt(), last.restoreOf(), true);
    }

    static Instant at(int row) {
        return START.plusSeconds(row);
    }

    /** The sequence of the latest row. */
    long now() {
        return rows.getLast().seq();
    }

    List<FinishedSpan> spans() {
        return spans(0);
    }

    List<FinishedSpan> spans(long after) {
        return SpanAssembler.spansEndedBetween(
                new TracedRollout("r", TRACE, Map.of("drover.chain", "demo"), 0, rows, attempts),
                after,
                now());
    }
}
