package drover.coordinator.store.access;

import drover.coordinator.access.ApiKey;
import drover.coordinator.store.sql.Database;
import drover.kit.access.Scope;
import drover.model.Digest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Keys in PostgreSQL. */
public final class PostgresApiKeyStore implements ApiKeyStore {
    private final Database database;

    /** A store over the coordinator's schema. */
    public PostgresApiKeyStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<ApiKey> find(String id) {
        return database.read("reading a key", handle -> find(handle, id));
    }

    @Override
    public List<ApiKey> list() {
        return database.read(
                "listing keys",
                handle ->
                        handle.createQuery("SELECT * FROM api_key ORDER BY id")
                                .map((row, context) -> readKey(row))
                                .list());
    }

    @Override
    public Optional<ApiKey> addIfAbsent(
            String id, Digest secret, Set<Scope> scopes, String actor, Duration life) {
        return database.write(
                "making a key",
                handle -> {
                    KeyAndTokenHistorySql history = KeyAndTokenHistorySql.lock(handle);
                    int written =
                            handle.createUpdate(
                                            "INSERT INTO api_key (id, secret_sha256, scopes, created_by,"
                                                    + " expires_at) VALUES (:id, :secret, :scopes, :actor,"
                                                    + " now() + make_interval(secs => :life))"
                                                    + " ON CONFLICT (id) DO NOTHING")
                                    .bind("id", id)
                                    .bind("secret", secret.value())
                                    .bindArray("scopes", String.class, scopeNames(scopes))
                                    .bind("actor", actor)
                                    .bind("life", life.toSeconds())
                                    .execute();
                    Optional<ApiKey> made = written == 1 ? find(handle, id) : Optional.empty();
                    made.ifPresent(history::appendCreated);
                    return made;
                });
    }

    @Override
    public boolean putBackendKey(String id, Digest secret, Set<Scope> scopes) {
        return database.write(
                "granting a key",
                handle -> {
                    KeyAndTokenHistorySql history = KeyAndTokenHistorySql.lock(handle);
                    Optional<ApiKey> before = find(handle, id);
                    if (before.filter(key -> key.matchesGrant(secret, scopes)).isPresent()) {
                        return true; // as at every start: nothing happens, nothing is told
                    }
                    boolean written = upsertBackendKey(handle, id, secret, scopes);
                    if (written) {
                        ApiKey key = find(handle, id).orElseThrow();
                        before.ifPresentOrElse(
                                earlier -> history.appendRegranted(earlier, key),
                                () -> history.appendGranted(key));
                    }
                    return written;
                });
    }

    private static boolean upsertBackendKey(
            Handle handle, String id, Digest secret, Set<Scope> scopes) {
        return handle.createUpdate(
                                "INSERT INTO api_key (id, secret_sha256, scopes, created_by)"
                                        + " VALUES (:id, :secret, :scopes, :backend)"
                                        + " ON CONFLICT (id) DO UPDATE SET"
                                        + " secret_sha256 = excluded.secret_sha256,"
                                        + " scopes = excluded.scopes, revoked_at = NULL,"
                                        + " revoked_by = ''"
                                        + " WHERE api_key.created_by = :backend")
                        .bind("id", id)
                        .bind("secret", secret.value())
                        .bindArray("scopes", String.class, scopeNames(scopes))
                        .bind("backend", ApiKey.BACKEND)
                        .execute()
                == 1;
    }

    @Override
    public Optional<ApiKey> revoke(String id, String actor) {
        return database.write(
                "revoking a key",
                handle -> {
                    KeyAndTokenHistorySql history = KeyAndTokenHistorySql.lock(handle);
                    int written =
                            handle.createUpdate(
                                            "UPDATE api_key SET revoked_at = now(), revoked_by ="
                                                    + " :actor WHERE id = :id AND revoked_at IS NULL")
                                    .bind("id", id)
                                    .bind("actor", actor)
                                    .execute();
                    Optional<ApiKey> key = find(handle, id);
                    key.filter(now -> written == 1).ifPresent(history::appendRevoked);
                    return key;
                });
    }

    @Override
    public void recordUse(String id) {
        database.write(
                "noting the use of a key",
                handle ->
                        handle.createUpdate(
                                        "UPDATE api_key SET last_used_at = now() WHERE id = :id")
                                .bind("id", id)
                                .execute());
    }

    private static Optional<ApiKey> find(Handle handle, String id) {
        return handle.createQuery("SELECT * FROM api_key WHERE id = :id")
                .bind("id", id)
                .map((row, context) -> readKey(row))
                .findOne();
    }

    private static List<String> scopeNames(Set<Scope> scopes) {
        return scopes.stream().map(Scope::wireName).sorted().toList();
    }

    /** A scope that this version does not know is left out: nobody gains by an older replica. */
    private static ApiKey readKey(ResultSet row) throws SQLException {
        return new ApiKey(
                row.getString("id"),
                new Digest(row.getString("secret_sha256")),
                Arrays.stream((String[]) row.getArray("scopes").getArray())
                        .flatMap(word -> Scope.of(word).stream())
                        .collect(Collectors.toUnmodifiableSet()),
                row.getString("created_by"),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                readInstant(row, "expires_at"),
                readInstant(row, "last_used_at"),
                readInstant(row, "revoked_at"),
                row.getString("revoked_by"));
    }

    private static @Nullable Instant readInstant(ResultSet row, String column) throws SQLException {
        OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
        return at == null ? null : at.toInstant();
    }
}
