package drover.coordinator.store.rollout;

import drover.coordinator.store.sql.TestDatabase;
import drover.model.RolloutId;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Goes through a rollout's history and says where the chain of hashes is broken (G2). */
public final class StoredHashChain {
    private StoredHashChain() {}

    /** Sequence numbers of rows that do not fit, and -1 when the head is another. */
    public static List<Long> breaks(TestDatabase database, RolloutId id) {
        // One statement, so that rows and head are of one moment also while a leader writes.
        String rows =
                "SELECT h.*, r.history_base, r.history_head FROM rollout r"
                        + " LEFT JOIN history h ON h.rollout_id = r.id"
                        + " WHERE r.id = :id ORDER BY h.seq";
        List<Line> lines =
                database.database()
                        .read(
                                "checking the history",
                                handle ->
                                        handle.createQuery(rows)
                                                .bind("id", UUID.fromString(id.value()))
                                                .map((row, context) -> line(row))
                                                .list());
        List<Long> breaks = new ArrayList<>();
        String last = lines.getFirst().base(); // the hash of the last row that was pruned
        for (Line line : lines) {
            for (Stored stored : line.row()) {
                if (!stored.fits(last)) {
                    breaks.add(stored.seq());
                }
                last = stored.hash();
            }
        }
        if (!lines.getFirst().head().equals(last)) {
            breaks.add(-1L);
        }
        return breaks;
    }

    /** One row beside what its rollout says; without a row when all has been pruned. */
    private record Line(String base, String head, List<Stored> row) {}

    private static Line line(java.sql.ResultSet row) throws java.sql.SQLException {
        List<Stored> stored = row.getString("hash") == null ? List.of() : List.of(stored(row));
        return new Line(row.getString("history_base"), row.getString("history_head"), stored);
    }

    private static Stored stored(java.sql.ResultSet row) throws java.sql.SQLException {
        return new Stored(
                row.getLong("seq"),
                row.getString("prev_hash"),
                row.getString("hash"),
                HistoryEntry.read(row));
    }

    private record Stored(long seq, String previous, String hash, HistoryEntry row) {
        boolean fits(String before) {
            return previous.equals(before) && row.hashAfter(before).equals(hash);
        }
    }
}
