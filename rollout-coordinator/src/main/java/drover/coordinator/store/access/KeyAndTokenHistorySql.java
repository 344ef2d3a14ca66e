package drover.coordinator.store.access;

import drover.coordinator.access.ApiKey;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.rollout.HistoryEntry;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** History of keys and join tokens, as one chain of hashes (invariant G2). */
public final class KeyAndTokenHistorySql {
    private static final String SUBJECT = "key";
    private static final String GOOD = "good";
    private static final String REVOKED = "revoked";

    private final Handle handle;
    private String head;
    private final Instant now;

    private KeyAndTokenHistorySql(Handle handle, String head, Instant now) {
        this.handle = handle;
        this.head = head;
        this.now = now;
    }

    /** Locks the end of the chain: one change of keys after the other, each with its row. */
    static KeyAndTokenHistorySql lock(Handle handle) {
        return handle.createQuery("SELECT head, now() FROM key_history_head FOR UPDATE")
                .map(
                        (row, context) ->
                                new KeyAndTokenHistorySql(
                                        handle,
                                        row.getString(1),
                                        row.getObject(2, OffsetDateTime.class).toInstant()))
                .one();
    }

    void appendCreated(ApiKey key) {
        append(key.createdBy(), key, "", GOOD, "MADE", "It was made");
    }

    void appendGranted(ApiKey key) {
        append(ApiKey.BACKEND, key, "", GOOD, "GRANTED", "The machine granted it");
    }

    /** A revocation stays told, although the key is good again. */
    void appendRegranted(ApiKey before, ApiKey key) {
        String from = before.revokedAt() == null ? GOOD : REVOKED;
        append(ApiKey.BACKEND, key, from, GOOD, "GRANTED_ANEW", "The machine granted it anew");
    }

    void appendRevoked(ApiKey key) {
        append(key.revokedBy(), key, GOOD, REVOKED, "REVOKED", "It was revoked");
    }

    private void append(
            String actor, ApiKey key, String from, String to, String code, String what) {
        append(actor, key.id(), from, to, new Cause(code, what + ": " + termsText(key) + "."));
    }

    /** Time of the transaction, by the database. */
    Instant transactionTime() {
        return now;
    }

    /** Appends an entry about a key or a join token. */
    void append(String actor, String id, String from, String to, Cause cause) {
        HistoryEntry row = new HistoryEntry(now, 0, actor, SUBJECT, id, from, to, cause);
        String hash = row.hashAfter(head);
        handle.createUpdate(
                        "INSERT INTO key_history (key_id, at, actor, from_status, to_status, code,"
                                + " sentence, prev_hash, hash) VALUES (:key, :at, :actor, :from, :to,"
                                + " :code, :sentence, :previous, :hash)")
                .bind("key", id)
                .bind("at", now.atOffset(ZoneOffset.UTC))
                .bind("actor", actor)
                .bind("from", from)
                .bind("to", to)
                .bind("code", cause.code())
                .bind("sentence", cause.sentence())
                .bind("previous", head)
                .bind("hash", hash)
                .execute();
        handle.createUpdate("UPDATE key_history_head SET head = :hash")
                .bind("hash", hash)
                .execute();
        head = hash;
    }

    private static String termsText(ApiKey key) {
        return termsText(
                key.scopes().stream()
                        .map(scope -> scope.wireName())
                        .sorted()
                        .collect(Collectors.joining(" ")),
                key.expiresAt(),
                key.secret().value());
    }

    /** The digest of the secret tells one key of an id from the next, and opens nothing. */
    private static String termsText(String scopes, @Nullable Instant expires, String secret) {
        return scopes
                + ", "
                + (expires == null ? "without an end" : "until " + expires)
                + ", secret "
                + secret;
    }

    /**
     * Compares what stands for a key with what was told of it last, word for word: a scope that
     * this version does not know counts too.
     *
     * @param row of {@code api_key}, beside the key's latest entry and the actor of its first one
     */
    public static boolean matchesHistory(ResultSet row) throws SQLException {
        OffsetDateTime expires = row.getObject("expires_at", OffsetDateTime.class);
        boolean revoked = row.getObject("revoked_at") != null;
        String terms =
                termsText(
                        Arrays.stream((String[]) row.getArray("scopes").getArray())
                                .sorted()
                                .collect(Collectors.joining(" ")),
                        expires == null ? null : expires.toInstant(),
                        row.getString("secret_sha256"));
        return row.getString("sentence").endsWith(": " + terms + ".")
                && row.getString("to_status").equals(revoked ? REVOKED : GOOD)
                && row.getString("created_by").equals(row.getString("first_actor"))
                && row.getString("revoked_by").equals(revoked ? row.getString("actor") : "");
    }

    public static HistoryEntry readEntry(ResultSet row) throws SQLException {
        return new HistoryEntry(
                row.getObject("at", OffsetDateTime.class).toInstant(),
                0,
                row.getString("actor"),
                SUBJECT,
                row.getString("key_id"),
                row.getString("from_status"),
                row.getString("to_status"),
                new Cause(row.getString("code"), row.getString("sentence")));
    }
}
