package drover.coordinator.store.audit;

import drover.coordinator.store.access.KeyAndTokenHistorySql;
import drover.coordinator.store.audit.HistoryChecker.ChainBreak;
import drover.coordinator.store.audit.HistoryChecker.HistoryProblem;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Compares every key with its history: one that was put in, widened, prolonged or made good again
 * by hand opens doors although no entry says so (invariant G2).
 */
final class ApiKeyTamperingChecker {
    private static final int MOST = 100; // as for breaks of a chain

    private static final String KEYS =
            "SELECT k.id, k.secret_sha256, k.scopes, k.created_by, k.expires_at, k.revoked_at,"
                    + " k.revoked_by, last.seq, last.actor, last.to_status, last.sentence,"
                    + " first.actor AS first_actor FROM api_key k"
                    + " LEFT JOIN LATERAL (SELECT * FROM key_history h WHERE h.key_id = k.id"
                    + " ORDER BY h.seq DESC LIMIT 1) last ON true"
                    + " LEFT JOIN LATERAL (SELECT actor FROM key_history h WHERE h.key_id = k.id"
                    + " ORDER BY h.seq LIMIT 1) first ON true ORDER BY k.id";

    private ApiKeyTamperingChecker() {}

    /** The keys that are not as told, the first 100. */
    static List<ChainBreak> findBreaks(Handle handle) {
        return handle.createQuery(KEYS).map((row, context) -> findBreak(row)).stream()
                .filter(Objects::nonNull)
                .limit(MOST)
                .toList();
    }

    private static @Nullable ChainBreak findBreak(ResultSet row) throws SQLException {
        long seq = row.getLong("seq");
        boolean matches = !row.wasNull() && KeyAndTokenHistorySql.matchesHistory(row);
        return matches
                ? null
                : new ChainBreak(seq, HistoryProblem.KEY_MISMATCH, row.getString("id"));
    }
}
