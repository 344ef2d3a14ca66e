package drover.coordinator.engine.access;

import drover.coordinator.access.ApiKey;
import drover.coordinator.access.PlaintextApiKey;
import drover.coordinator.store.access.ApiKeyStore;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.kit.access.Principal;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.RefusalCode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves callers by their keys. What it read of a key is good for 2 s, so that a busy caller costs
 * the database little and a revoked key is refused within 5 s everywhere (invariant H7). An unknown
 * one costs one statement, and few are looked up at once.
 */
public final class ApiKeyAuthenticator {
    private static final Logger LOG = LoggerFactory.getLogger(ApiKeyAuthenticator.class);

    private static final long IDS_FRESH_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long FRESH_NANOS = Duration.ofSeconds(2).toNanos();
    private static final Duration USE_NOTED_EVERY = Duration.ofMinutes(1); // never per call
    private static final int MOST = 1_000; // known keys at work at once; beyond, the oldest goes

    /**
     * Connections that callers nobody knows may hold at once: whoever sends made-up keys without
     * end keeps one of them busy, and not those of whose keys were seen here (invariant I5).
     */
    private static final int MAX_UNKNOWN_LOOKUPS = 1;

    private static final int KNOWN_AT_ONCE = 2;
    private static final Duration TIMEOUT = Duration.ofSeconds(1); // far more than a look takes

    /** Compared with when there is no such key: both ways take the same time. */
    private static final Digest DUMMY_DIGEST = Digest.of("no key has this digest");

    private final ApiKeyStore store;
    private final Supplier<Instant> clock;
    private final LongSupplier nanos;
    private final Semaphore unknown = new Semaphore(MAX_UNKNOWN_LOOKUPS, true);
    private final Semaphore known = new Semaphore(KNOWN_AT_ONCE, true);
    private final Map<String, CachedKey> seen =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, CachedKey> eldest) {
                    return size() > MOST;
                }
            };

    private final ReentrantLock idsLock = new ReentrantLock();
    private volatile Set<String> ids = Set.of();
    private volatile long idsReadAt;

    private record CachedKey(ApiKey key, long readAt) {}

    /**
     * @param clock what the ends of keys are compared with
     * @param nanos a monotonic clock
     */
    public ApiKeyAuthenticator(ApiKeyStore store, Supplier<Instant> clock, LongSupplier nanos) {
        this.store = store;
        this.clock = clock;
        this.nanos = nanos;
        this.idsReadAt = nanos.getAsLong() - IDS_FRESH_NANOS;
    }

    /**
     * The principal of a key.
     *
     * @throws Refused when the key is unknown, revoked or expired
     */
    public Principal authenticate(String text) {
        Optional<PlaintextApiKey> presented = PlaintextApiKey.parse(text);
        Optional<ApiKey> known = presented.flatMap(key -> findKey(key.id()));
        boolean equal =
                equalsConstantTime(
                        known.map(ApiKey::secret).orElse(DUMMY_DIGEST),
                        presented.map(PlaintextApiKey::digest).orElse(DUMMY_DIGEST));
        if (known.isEmpty() || !equal) {
            throw new Refused(
                    RefusalCode.CREDENTIAL_UNKNOWN,
                    "This key is not one that is taken here; check that it is whole, and that it"
                            + " was made here.");
        }
        return switch (known.get().validityAt(clock.get())) {
            case ApiKey.Validity.Valid(Principal principal) -> {
                recordUseIfDue(known.get());
                yield principal;
            }
            case ApiKey.Validity.Expired(Instant since) ->
                    throw new Refused(
                            RefusalCode.CREDENTIAL_EXPIRED,
                            "The key "
                                    + presented.get().id()
                                    + " expired at "
                                    + since
                                    + "; ask for a new one.");
            case ApiKey.Validity.Revoked(Instant since) ->
                    throw new Refused(
                            RefusalCode.CREDENTIAL_REVOKED,
                            "The key "
                                    + presented.get().id()
                                    + " was revoked at "
                                    + since
                                    + "; ask for a new one.");
        };
    }

    /** What it read of a key was changed here; that there is one stays known. */
    synchronized void markStale(String id) {
        seen.computeIfPresent(
                id, (same, old) -> new CachedKey(old.key(), nanos.getAsLong() - FRESH_NANOS));
    }

    private Optional<ApiKey> findKey(String id) {
        CachedKey before = findCached(id);
        if (before != null && isFresh(before)) {
            return Optional.of(before.key());
        }
        Semaphore places = before == null && !getOrRefreshKnownIds().contains(id) ? unknown : known;
        acquireWithinTimeoutOrRefuse(places);
        try {
            CachedKey meanwhile =
                    findCached(id); // of those who waited for one key only the first reads it
            return meanwhile != null && isFresh(meanwhile)
                    ? Optional.of(meanwhile.key())
                    : readAndCache(id);
        } finally {
            places.release();
        }
    }

    /**
     * Ids of all keys, at most a minute old. A flood of invented ids then delays only keys that
     * were made within the last minute, and costs one statement a minute.
     */
    private Set<String> getOrRefreshKnownIds() {
        if (nanos.getAsLong() - idsReadAt >= IDS_FRESH_NANOS && idsLock.tryLock()) {
            try {
                idsReadAt = nanos.getAsLong();
                ids = store.list().stream().map(ApiKey::id).collect(Collectors.toUnmodifiableSet());
            } catch (StoreUnavailable e) {
                LOG.debug("The ids of keys are read later reason={}", e.getMessage());
            } finally {
                idsLock.unlock();
            }
        }
        return ids;
    }

    private boolean isFresh(CachedKey seen) {
        return nanos.getAsLong() - seen.readAt() < FRESH_NANOS;
    }

    private static void acquireWithinTimeoutOrRefuse(Semaphore places) {
        try {
            if (places.tryAcquire(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new Refused(
                RefusalCode.OVERLOADED,
                "Too many keys are looked up at once; try again in a moment.");
    }

    private Optional<ApiKey> readAndCache(String id) {
        long now = nanos.getAsLong();
        Optional<ApiKey> key = store.find(id);
        key.ifPresent(found -> cache(new CachedKey(found, now)));
        return key;
    }

    private synchronized @Nullable CachedKey findCached(String id) {
        return seen.get(id); // null: not read lately
    }

    private synchronized void cache(CachedKey fresh) {
        seen.put(fresh.key().id(), fresh);
    }

    /** At most once a minute and key; that it fails keeps nobody out. */
    private void recordUseIfDue(ApiKey key) {
        Instant noted = key.lastUsedAt();
        if (noted != null && noted.plus(USE_NOTED_EVERY).isAfter(clock.get())) {
            return;
        }
        try {
            markStale(key.id()); // read again with its new time, else every call would note it
            store.recordUse(key.id());
        } catch (StoreUnavailable e) {
            LOG.debug("The use of a key was not noted keyId={}", key.id(), e);
        }
    }

    private static boolean equalsConstantTime(Digest one, Digest other) {
        return MessageDigest.isEqual(
                one.value().getBytes(StandardCharsets.US_ASCII),
                other.value().getBytes(StandardCharsets.US_ASCII));
    }
}
