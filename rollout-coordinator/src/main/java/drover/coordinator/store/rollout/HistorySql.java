package drover.coordinator.store.rollout;

import drover.coordinator.store.rollout.RolloutViews.NumberedHistoryEntry;
import drover.model.RolloutId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Update;

/** Appends to and reads the history. */
public final class HistorySql {
    private static final long ORDER = 0x44524F56_45520002L; // "DROVER", and a number for this lock

    private HistorySql() {}

    /** What the head of the chain will be once these rows are appended. */
    public static String headAfter(String head, List<HistoryEntry> rows) {
        return rows.isEmpty() ? head : hashes(head, rows).getLast();
    }

    /**
     * Appends rows and returns the new head of the chain. From here to the end of the transaction
     * nobody else appends, so that rows become visible in the order of their numbers and a reader
     * that has seen one has seen all before it (decision 0027). Hence the last statement of a
     * transaction, where that can be. A session that stops in between is ended by the server.
     */
    public static String append(Handle handle, UUID rollout, String head, List<HistoryEntry> rows) {
        if (rows.isEmpty()) {
            return head;
        }
        List<String> hashes = hashes(head, rows);
        List<String> previous = new ArrayList<>(rows.size());
        previous.add(head);
        previous.addAll(hashes.subList(0, rows.size() - 1));
        Update insert =
                handle.createUpdate(
                                "INSERT INTO history (rollout_id, at, epoch, actor, subject, node_id,"
                                        + " from_status, to_status, code, sentence, prev_hash, hash)"
                                        + " SELECT :rollout, u.at::timestamptz, u.epoch, u.actor, u.subject, u.node,"
                                        + " u.f, u.t, u.code, u.sentence, u.previous, u.hash FROM"
                                        + " unnest(:ats::text[], :epochs::bigint[], :actors::text[],"
                                        + " :subjects::text[], :nodes::text[], :froms::text[], :tos::text[],"
                                        + " :codes::text[], :sentences::text[], :previous::text[],"
                                        + " :hashes::text[]) WITH ORDINALITY AS u(at, epoch, actor, subject,"
                                        + " node, f, t, code, sentence, previous, hash, n) ORDER BY u.n")
                        .bind("rollout", rollout);
        bindTexts(insert, "ats", rows, row -> row.at().toString());
        insert.bindArray("epochs", Long.class, rows.stream().map(HistoryEntry::epoch).toList());
        bindTexts(insert, "actors", rows, HistoryEntry::actor);
        bindTexts(insert, "subjects", rows, HistoryEntry::subject);
        bindTexts(insert, "nodes", rows, HistoryEntry::node);
        bindTexts(insert, "froms", rows, HistoryEntry::from);
        bindTexts(insert, "tos", rows, HistoryEntry::to);
        bindTexts(insert, "codes", rows, row -> row.because().code());
        bindTexts(insert, "sentences", rows, row -> row.because().sentence());
        bindTexts(insert, "previous", previous, text -> text);
        bindTexts(insert, "hashes", hashes, text -> text);
        lockAppends(handle);
        insert.execute();
        return hashes.getLast();
    }

    /**
     * From here to the end of the transaction, no other transaction appends to the history or to
     * the events of incidents.
     */
    public static void lockAppends(Handle handle) {
        handle.execute(
                "SELECT set_config('idle_in_transaction_session_timeout', '10s', true),"
                        + " pg_advisory_xact_lock(?)",
                ORDER);
    }

    private static List<String> hashes(String head, List<HistoryEntry> rows) {
        List<String> hashes = new ArrayList<>(rows.size());
        String previous = head;
        for (HistoryEntry row : rows) {
            previous = row.hashAfter(previous);
            hashes.add(previous);
        }
        return hashes;
    }

    private static <T> void bindTexts(
            Update insert, String name, List<T> rows, Function<T, String> text) {
        insert.bindArray(name, String.class, rows.stream().map(text).toList());
    }

    static List<NumberedHistoryEntry> findByRollout(Handle handle, RolloutId id, int limit) {
        return handle.createQuery(
                        "SELECT * FROM history WHERE rollout_id = :id AND subject <> 'phase'"
                                + " ORDER BY seq DESC LIMIT :limit")
                .bind("id", UUID.fromString(id.value()))
                .bind("limit", limit)
                .map((row, context) -> readEntry(row))
                .list();
    }

    static List<NumberedHistoryEntry> findByRollout(
            Handle handle, RolloutId id, Instant until, int limit) {
        return handle.createQuery(
                        "SELECT * FROM history WHERE rollout_id = :id AND at <= :until"
                                + " AND subject <> 'phase' ORDER BY seq DESC LIMIT :limit")
                .bind("id", UUID.fromString(id.value()))
                .bind("until", until.atOffset(ZoneOffset.UTC))
                .bind("limit", limit)
                .map((row, context) -> readEntry(row))
                .list();
    }

    /** What an agent reported after the end of a rollout is no move of the node within it. */
    static List<NumberedHistoryEntry> findLastTransitions(
            Handle handle, RolloutId id, Instant until) {
        return handle.createQuery(
                        "SELECT DISTINCT ON (subject, node_id) * FROM history"
                                + " WHERE rollout_id = :id AND at <= :until AND from_status <> 'open'"
                                + " AND subject <> 'phase'"
                                + " ORDER BY subject, node_id, seq DESC")
                .bind("id", UUID.fromString(id.value()))
                .bind("until", until.atOffset(ZoneOffset.UTC))
                .map((row, context) -> readEntry(row))
                .list();
    }

    public static NumberedHistoryEntry readEntry(ResultSet row) throws SQLException {
        return new NumberedHistoryEntry(
                row.getLong("seq"),
                new RolloutId(row.getString("rollout_id")),
                HistoryEntry.read(row));
    }
}
