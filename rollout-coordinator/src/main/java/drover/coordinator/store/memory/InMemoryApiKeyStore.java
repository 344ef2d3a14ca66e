package drover.coordinator.store.memory;

import drover.coordinator.access.ApiKey;
import drover.coordinator.store.access.ApiKeyStore;
import drover.kit.access.Scope;
import drover.model.Digest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keys in memory, for tests. */
public class InMemoryApiKeyStore implements ApiKeyStore {
    private final TreeMap<String, ApiKey> keys = new TreeMap<>();
    private final Supplier<Instant> clock;

    /** With this clock. */
    public InMemoryApiKeyStore(Supplier<Instant> clock) {
        this.clock = clock;
    }

    @Override
    public synchronized Optional<ApiKey> find(String id) {
        return Optional.ofNullable(keys.get(id));
    }

    @Override
    public synchronized List<ApiKey> list() {
        return List.copyOf(keys.values());
    }

    @Override
    public synchronized Optional<ApiKey> addIfAbsent(
            String id, Digest secret, Set<Scope> scopes, String actor, Duration life) {
        if (keys.containsKey(id)) {
            return Optional.empty();
        }
        Instant now = clock.get();
        return putAndReturn(
                new ApiKey(id, secret, scopes, actor, now, now.plus(life), null, null, ""));
    }

    @Override
    public synchronized boolean putBackendKey(String id, Digest secret, Set<Scope> scopes) {
        ApiKey earlier = keys.get(id);
        if (earlier != null && !earlier.createdBy().equals(ApiKey.BACKEND)) {
            return false;
        }
        Instant made = earlier == null ? clock.get() : earlier.createdAt();
        putAndReturn(new ApiKey(id, secret, scopes, ApiKey.BACKEND, made, null, null, null, ""));
        return true;
    }

    @Override
    public synchronized Optional<ApiKey> revoke(String id, String actor) {
        ApiKey key = keys.get(id);
        return key == null || key.revokedAt() != null
                ? Optional.ofNullable(key)
                : putAndReturn(withUseAndRevocation(key, key.lastUsedAt(), clock.get(), actor));
    }

    @Override
    public synchronized void recordUse(String id) {
        ApiKey key = keys.get(id);
        if (key != null) {
            putAndReturn(withUseAndRevocation(key, clock.get(), key.revokedAt(), key.revokedBy()));
        }
    }

    private Optional<ApiKey> putAndReturn(ApiKey key) {
        keys.put(key.id(), key);
        return Optional.of(key);
    }

    private static ApiKey withUseAndRevocation(
            ApiKey key, @Nullable Instant used, @Nullable Instant revoked, String by) {
        return new ApiKey(
                key.id(),
                key.secret(),
                key.scopes(),
                key.createdBy(),
                key.createdAt(),
                key.expiresAt(),
                used,
                revoked,
                by);
    }
}
