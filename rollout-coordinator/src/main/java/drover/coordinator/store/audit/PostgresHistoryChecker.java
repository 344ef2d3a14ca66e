package drover.coordinator.store.audit;

import drover.coordinator.store.access.KeyAndTokenHistorySql;
import drover.coordinator.store.group.GroupSql;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.rollout.HistorySql;
import drover.coordinator.store.sql.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** Chains in PostgreSQL, each read in one statement, so that nobody appends in between. */
public final class PostgresHistoryChecker implements HistoryChecker {
    private static final int ROWS_AT_ONCE = 1_000; // a history can have tens of thousands

    private final Database database;

    /** Over the coordinator's schema. */
    public PostgresHistoryChecker(Database database) {
        this.database = database;
    }

    @Override
    public Optional<CheckedHistory> checkNext(HistoryKind of, String after) {
        return database.write( // only in a transaction does the driver read piece by piece
                "checking the history",
                handle ->
                        of == HistoryKind.KEYS
                                ? Optional.of(checkKeyHistory(handle))
                                : findNextId(handle, of, after).map(id -> check(handle, of, id)));
    }

    private static CheckedHistory checkKeyHistory(Handle handle) {
        HashChainChecker chain = new HashChainChecker();
        String[] head = {""};
        chain.setBaseHashIfUnset(HistoryEntry.GENESIS);
        handle.createQuery(
                        "SELECT o.head, h.* FROM key_history_head o LEFT JOIN key_history h ON true"
                                + " ORDER BY h.seq")
                .setFetchSize(ROWS_AT_ONCE)
                .map(
                        (row, context) -> {
                            head[0] = row.getString("head");
                            return checkRow(chain, HistoryKind.KEYS, row);
                        })
                .forEach(seen -> {});
        chain.checkHead(head[0]);
        List<ChainBreak> breaks = new ArrayList<>(chain.breaks());
        breaks.addAll(ApiKeyTamperingChecker.findBreaks(handle));
        return new CheckedHistory(HistoryKind.KEYS, "", chain.rowCount(), breaks);
    }

    private static Optional<UUID> findNextId(Handle handle, HistoryKind of, String after) {
        String owner = ownerTable(of);
        return handle.createQuery(
                        "SELECT id FROM "
                                + owner
                                + (after.isEmpty() ? "" : " WHERE id > :after::uuid")
                                + " ORDER BY id LIMIT 1")
                .bindMap(after.isEmpty() ? java.util.Map.of() : java.util.Map.of("after", after))
                .mapTo(UUID.class)
                .findOne();
    }

    private static CheckedHistory check(Handle handle, HistoryKind of, UUID id) {
        HashChainChecker chain = new HashChainChecker();
        String[] head = {""};
        Query rows =
                handle.createQuery(
                                "SELECT o.history_head, "
                                        + baseColumn(of)
                                        + " AS chain_base, h.* FROM "
                                        + ownerTable(of)
                                        + " o LEFT JOIN "
                                        + historyJoinAndWhere(of)
                                        + " ORDER BY h.seq")
                        .bind("id", id)
                        .setFetchSize(ROWS_AT_ONCE);
        rows.map(
                        (row, context) -> {
                            head[0] = row.getString("history_head");
                            chain.setBaseHashIfUnset(row.getString("chain_base"));
                            return checkRow(chain, of, row);
                        })
                .forEach(seen -> {});
        chain.checkHead(head[0]);
        return new CheckedHistory(of, id.toString(), chain.rowCount(), chain.breaks());
    }

    private static String ownerTable(HistoryKind of) {
        return switch (of) {
            case ROLLOUT -> "rollout";
            case GROUP -> "rollout_group";
            case KEYS -> throw new IllegalStateException("The keys have one history.");
        };
    }

    /** What a chain begins with: the hash of the last row that was pruned, if any was. */
    private static String baseColumn(HistoryKind of) {
        return switch (of) {
            case ROLLOUT, GROUP -> "o.history_base";
            case KEYS -> throw new IllegalStateException("The keys have one history.");
        };
    }

    private static String historyJoinAndWhere(HistoryKind of) {
        return switch (of) {
            case ROLLOUT -> "history h ON h.rollout_id = o.id WHERE o.id = :id";
            case GROUP -> "group_history h ON h.group_id = o.id WHERE o.id = :id";
            case KEYS -> throw new IllegalStateException("The keys have one history.");
        };
    }

    private static long checkRow(HashChainChecker chain, HistoryKind of, ResultSet row)
            throws SQLException {
        long seq = row.getLong("seq");
        if (!row.wasNull()) { // null: the one row of an owner whose history is gone
            chain.checkRow(
                    seq,
                    row.getString("prev_hash"),
                    row.getString("hash"),
                    switch (of) {
                        case ROLLOUT -> HistorySql.readEntry(row).entry();
                        case GROUP -> GroupSql.readEntry(row).entry();
                        case KEYS -> KeyAndTokenHistorySql.readEntry(row);
                    });
        }
        return seq;
    }
}
