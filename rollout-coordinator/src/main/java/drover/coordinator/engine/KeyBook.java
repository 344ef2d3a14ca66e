package drover.coordinator.engine;

import drover.coordinator.access.ApiKey;
import drover.coordinator.access.KeyText;
import drover.coordinator.store.KeyStore;
import drover.coordinator.store.StoreUnavailable;
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
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves callers by their keys. What it read of a key is good for 2 s, so that a busy caller costs
 * the database little and a revoked key is refused within 5 s everywhere (invariant H7).
 */
public final class KeyBook {
    private static final Logger LOG = LoggerFactory.getLogger(KeyBook.class);

    private static final long FRESH_NANOS = Duration.ofSeconds(2).toNanos();
    private static final Duration USE_NOTED_EVERY = Duration.ofMinutes(1); // never per call
    private static final int MOST = 1_000; // known keys at work at once; beyond, the oldest goes

    /** Compared with when there is no such key: both ways take the same time. */
    private static final Digest NOBODYS = Digest.of("no key has this digest");

    private final KeyStore store;
    private final Supplier<Instant> clock;
    private final LongSupplier nanos;
    private final Map<String, Seen> seen =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Seen> eldest) {
                    return size() > MOST;
                }
            };

    private record Seen(ApiKey key, long readAt) {}

    /**
     * @param clock what the ends of keys are compared with
     * @param nanos a monotonic clock
     */
    public KeyBook(KeyStore store, Supplier<Instant> clock, LongSupplier nanos) {
        this.store = store;
        this.clock = clock;
        this.nanos = nanos;
    }

    /**
     * The principal of a key.
     *
     * @throws Refused when the key is unknown, revoked or expired
     */
    public Principal prove(String text) {
        Optional<KeyText> presented = KeyText.parse(text);
        Optional<ApiKey> known = presented.flatMap(key -> known(key.id()));
        boolean equal =
                equal(
                        known.map(ApiKey::secret).orElse(NOBODYS),
                        presented.map(KeyText::digest).orElse(NOBODYS));
        if (known.isEmpty() || !equal) {
            throw new Refused(
                    RefusalCode.CREDENTIAL_UNKNOWN,
                    "This key is not one that is taken here; check that it is whole, and that it"
                            + " was made here.");
        }
        return switch (known.get().at(clock.get())) {
            case ApiKey.Standing.Good(Principal principal) -> {
                noteUse(known.get());
                yield principal;
            }
            case ApiKey.Standing.Expired(Instant since) ->
                    throw new Refused(
                            RefusalCode.CREDENTIAL_EXPIRED,
                            "The key "
                                    + presented.get().id()
                                    + " expired at "
                                    + since
                                    + "; ask for a new one.");
            case ApiKey.Standing.Revoked(Instant since) ->
                    throw new Refused(
                            RefusalCode.CREDENTIAL_REVOKED,
                            "The key "
                                    + presented.get().id()
                                    + " was revoked at "
                                    + since
                                    + "; ask for a new one.");
        };
    }

    /** Forgets what it read of a key, which was changed here. */
    synchronized void forget(String id) {
        seen.remove(id);
    }

    private Optional<ApiKey> known(String id) {
        long now = nanos.getAsLong();
        Seen before = seen(id);
        if (before != null && now - before.readAt() < FRESH_NANOS) {
            return Optional.of(before.key());
        }
        Optional<ApiKey> key = store.find(id);
        key.ifPresent(found -> keep(new Seen(found, now)));
        return key;
    }

    private synchronized @org.jspecify.annotations.Nullable Seen seen(String id) {
        return seen.get(id); // null: not read lately
    }

    private synchronized void keep(Seen fresh) {
        seen.put(fresh.key().id(), fresh);
    }

    /** At most once a minute and key; that it fails keeps nobody out. */
    private void noteUse(ApiKey key) {
        Instant noted = key.lastUsedAt();
        if (noted != null && noted.plus(USE_NOTED_EVERY).isAfter(clock.get())) {
            return;
        }
        try {
            forget(key.id()); // read again with its new time, else every call would note it
            store.used(key.id());
        } catch (StoreUnavailable e) {
            LOG.debug("The use of a key was not noted keyId={}", key.id(), e);
        }
    }

    private static boolean equal(Digest one, Digest other) {
        return MessageDigest.isEqual(
                one.value().getBytes(StandardCharsets.US_ASCII),
                other.value().getBytes(StandardCharsets.US_ASCII));
    }
}
