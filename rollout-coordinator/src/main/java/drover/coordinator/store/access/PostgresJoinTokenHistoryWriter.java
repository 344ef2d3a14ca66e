package drover.coordinator.store.access;

import drover.coordinator.store.sql.Database;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Join tokens in the chain of the keys' history. */
public final class PostgresJoinTokenHistoryWriter implements JoinTokenHistoryWriter {
    private static final String PREFIX = "join-token:"; // a key's id has no colon

    private final Database database;

    /** Over the coordinator's schema. */
    public PostgresJoinTokenHistoryWriter(Database database) {
        this.database = database;
    }

    @Override
    public void recordTokens(List<GatewayJoinTokenReport> tokens) {
        Map<String, GatewayJoinTokenReport.HistorySoFar> recorded =
                database.read(
                        "reading recorded join tokens", handle -> readHistorySoFar(handle, tokens));
        if (mayLackEntries(recorded, tokens)) {
            database.write(
                    "recording join tokens",
                    handle -> {
                        appendMissing(handle, tokens);
                        return true;
                    });
        }
    }

    /** A poll that finds only ended tokens, all recorded, takes no lock. */
    private static boolean mayLackEntries(
            Map<String, GatewayJoinTokenReport.HistorySoFar> recorded,
            List<GatewayJoinTokenReport> tokens) {
        return tokens.stream()
                .anyMatch(
                        token ->
                                Optional.ofNullable(recorded.get(token.id()))
                                        .filter(row -> row.ended() && row.uses() >= token.uses())
                                        .isEmpty());
    }

    /** Reads these tokens alone: the table retains every token that ever was. */
    private static Map<String, GatewayJoinTokenReport.HistorySoFar> readHistorySoFar(
            Handle handle, List<GatewayJoinTokenReport> tokens) {
        return handle
                .createQuery(
                        "SELECT token_id, uses, ended FROM join_token_recorded"
                                + " WHERE token_id = ANY(:ids::text[])")
                .bindArray(
                        "ids",
                        String.class,
                        tokens.stream().map(GatewayJoinTokenReport::id).toList())
                .map(
                        (row, context) ->
                                Map.entry(
                                        row.getString("token_id"),
                                        new GatewayJoinTokenReport.HistorySoFar(
                                                row.getInt("uses"), row.getBoolean("ended"))))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private void appendMissing(Handle handle, List<GatewayJoinTokenReport> tokens) {
        KeyAndTokenHistorySql history = KeyAndTokenHistorySql.lock(handle);
        Map<String, GatewayJoinTokenReport.HistorySoFar> recorded =
                readHistorySoFar(handle, tokens);
        for (GatewayJoinTokenReport token : tokens) {
            Optional<GatewayJoinTokenReport.HistorySoFar> before =
                    Optional.ofNullable(recorded.get(token.id()));
            List<GatewayJoinTokenReport.MissingEntry> entries =
                    token.missingEntries(before, history.transactionTime());
            for (GatewayJoinTokenReport.MissingEntry entry : entries) {
                history.append(
                        entry.actor(),
                        PREFIX + token.id(),
                        entry.from(),
                        entry.to(),
                        entry.cause());
            }
            if (!entries.isEmpty()) {
                saveHistorySoFar(handle, token, token.hasEnded(history.transactionTime()));
            }
        }
    }

    private static void saveHistorySoFar(
            Handle handle, GatewayJoinTokenReport token, boolean ended) {
        handle.createUpdate(
                        "INSERT INTO join_token_recorded (token_id, uses, ended)"
                                + " VALUES (:id, :uses, :ended) ON CONFLICT (token_id) DO UPDATE"
                                + " SET uses = excluded.uses, ended = excluded.ended")
                .bind("id", token.id())
                .bind("uses", token.uses())
                .bind("ended", ended)
                .execute();
    }
}
