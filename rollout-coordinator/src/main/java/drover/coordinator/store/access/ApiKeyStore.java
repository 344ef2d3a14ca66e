package drover.coordinator.store.access;

import drover.coordinator.access.ApiKey;
import drover.kit.access.Scope;
import drover.model.Digest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The keys of operators. A key is never deleted; its id is never used again. */
public interface ApiKeyStore {
    /** The key of this id, whatever it is worth. */
    Optional<ApiKey> find(String id);

    /** All keys, by id. */
    List<ApiKey> list();

    /**
     * Writes a new key down.
     *
     * @param life from now; by the store's own clock
     * @return the key, or nothing when the id is or was in use
     */
    Optional<ApiKey> addIfAbsent(
            String id, Digest secret, Set<Scope> scopes, String actor, Duration life);

    /**
     * Makes this the key of an id that the backend owns: new, or with another secret and other
     * scopes than before. It has no end, and is good again if it had been revoked.
     *
     * @return false when a caller made the key of this id: that one is left alone
     */
    boolean putBackendKey(String id, Digest secret, Set<Scope> scopes);

    /** Revokes a key; one that is revoked stays as it is. Nothing when there is none. */
    Optional<ApiKey> revoke(String id, String actor);

    /** Notes that a key was used just now. */
    void recordUse(String id);
}
