package drover.coordinator.store;

import drover.coordinator.plan.Cause;
import drover.model.RolloutId;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Goes through a rollout's history and says where the chain of hashes is broken (G2). */
public final class HistoryCheck {
    private HistoryCheck() {}

    /** Sequence numbers of rows that do not fit, and -1 when the head is another. */
    public static List<Long> breaks(TestDatabase database, RolloutId id) {
        // One statement, so that rows and head are of one moment also while a leader writes.
        String rows =
                "SELECT h.*, r.history_head FROM rollout r LEFT JOIN history h ON h.rollout_id = r.id"
                        + " WHERE r.id = :id ORDER BY h.seq";
        return database.database()
                .read(
                        "checking the history",
                        handle -> {
                            List<Long> breaks = new ArrayList<>();
                            String[] last = {base(handle, id), ""};
                            handle.createQuery(rows)
                                    .bind("id", UUID.fromString(id.value()))
                                    .map((row, context) -> stored(row, last))
                                    .forEach(
                                            row ->
                                                    row.ifPresent(
                                                            stored -> {
                                                                if (!stored.fits(last[0])) {
                                                                    breaks.add(stored.seq());
                                                                }
                                                                last[0] = stored.hash();
                                                            }));
                            if (!last[1].equals(last[0])) {
                                breaks.add(-1L);
                            }
                            return breaks;
                        });
    }

    /** What the chain begins with: the hash of the last row that was pruned, if any was. */
    private static String base(Handle handle, RolloutId id) {
        return handle.createQuery("SELECT history_base FROM rollout WHERE id = :id")
                .bind("id", UUID.fromString(id.value()))
                .mapTo(String.class)
                .one();
    }

    /** Nothing but the head is in the one row of a rollout whose history is gone. */
    private static Optional<Stored> stored(java.sql.ResultSet row, String[] last)
            throws java.sql.SQLException {
        last[1] = row.getString("history_head");
        return row.getObject("seq") == null
                ? Optional.empty()
                : Optional.of(
                        new Stored(
                                row.getLong("seq"),
                                row.getString("prev_hash"),
                                row.getString("hash"),
                                read(row)));
    }

    private record Stored(long seq, String previous, String hash, HistoryRow row) {
        boolean fits(String before) {
            return previous.equals(before) && row.hashAfter(before).equals(hash);
        }
    }

    private static HistoryRow read(java.sql.ResultSet row) throws java.sql.SQLException {
        return new HistoryRow(
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getLong("epoch"),
                row.getString("actor"),
                row.getString("subject"),
                row.getString("node_id"),
                row.getString("from_status"),
                row.getString("to_status"),
                new Cause(row.getString("code"), row.getString("sentence")));
    }
}
