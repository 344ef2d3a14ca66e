package drover.coordinator.engine.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.coordinator.access.ApiKey;
import drover.coordinator.access.ApiKeyCreationRules;
import drover.coordinator.access.PlaintextApiKey;
import drover.coordinator.store.memory.InMemoryApiKeyStore;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.kit.access.Principal;
import drover.kit.access.Scope;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys, proven in a time that the test moves. */
final class ApiKeyAuthenticatorTest {
    private static final Principal MAKER =
            new Principal(Principal.Kind.KEY, "maker", EnumSet.allOf(Scope.class));

    private static final Duration DAY = Duration.ofDays(1);

    private Instant now = Instant.parse("2026-01-31T12:00:00Z");
    private int reads;
    private final InMemoryApiKeyStore store =
            new InMemoryApiKeyStore(() -> now) {
                @Override
                public synchronized Optional<ApiKey> find(String id) {
                    reads++;
                    return super.find(id);
                }
            };
    private final ApiKeyAuthenticator book = new ApiKeyAuthenticator(store, () -> now, this::nanos);
    private final ApiKeyService service =
            new ApiKeyService(store, new ApiKeyAuthenticator(store, () -> now, this::nanos));
    private final OperatorAuthenticator credentials =
            new OperatorAuthenticator(book, OperatorAuthenticator.TokenAuthenticator.rejectAll());

    @Test
    void keyAuthenticatesItsPrincipalAndScopes() {
        Principal principal = credentials.authenticate("Bearer " + made("ci"));
        assertThat(principal)
                .isEqualTo(new Principal(Principal.Kind.KEY, "ci", Set.of(Scope.ROLLOUTS_READ)));
        assertThat(principal.actor()).isEqualTo("key:ci");
    }

    @Test
    void theWordBearerMayBeWrittenSmall() {
        assertThat(credentials.authenticate("bearer " + made("ci")).id()).isEqualTo("ci");
    }

    @Test
    @DisplayName("H7: a key is kept as a hash, and shows its secret nowhere")
    void theSecretIsKeptNowhere() {
        String secret = made("ci");
        ApiKey kept = store.find("ci").orElseThrow();
        assertThat(kept.toString()).doesNotContain(secret.substring("ak1.ci.".length()));
        assertThat(PlaintextApiKey.parse(secret).orElseThrow().toString())
                .isEqualTo("ak1.ci.(secret)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer ", "Basic YTpi", "ak1.ci.x", "Bearer a b"})
    void withoutAKeyTheErrorNamesTheHeader(String header) {
        assertThat(refused(header)).isEqualTo(RefusalCode.CREDENTIAL_MISSING);
    }

    @Test
    @DisplayName("H7: another secret, another id, a shorter key: all unknown, in the same words")
    void errorsDoNotRevealWhichPartOfAKeyIsWrong() {
        String good = made("ci");
        char last = good.charAt(good.length() - 1);
        String other = good.substring(0, good.length() - 1) + (last == 'A' ? 'B' : 'A');
        String anonymous = good.replace("ak1.ci.", "ak1.cj.");
        for (String wrong :
                List.of(other, anonymous, good.substring(0, good.length() - 1), "ak1.")) {
            Refused no = refusal("Bearer " + wrong);
            assertThat(no.code()).isEqualTo(RefusalCode.CREDENTIAL_UNKNOWN);
            assertThat(no.sentence()).startsWith("This key is not one that is taken here");
            assertThat(no.sentence()).doesNotContain(good.substring(8, 20));
        }
    }

    @Test
    void aTokenIsNoKeyWhereNoneAreTaken() {
        assertThat(refused("Bearer eyJhbGciOiJub25lIn0.e30."))
                .isEqualTo(RefusalCode.CREDENTIAL_UNKNOWN);
    }

    @Test
    @DisplayName("H7: a key that has expired is refused, to the very moment")
    void anExpiredKeyIsRefused() {
        String key = made("ci");
        now = now.plus(Duration.ofDays(1)).minusMillis(1);
        assertThat(credentials.authenticate("Bearer " + key).id()).isEqualTo("ci");
        now = now.plusMillis(1);
        assertThat(refused("Bearer " + key)).isEqualTo(RefusalCode.CREDENTIAL_EXPIRED);
    }

    @Test
    @DisplayName("H7: a key revoked at another replica is refused within 5 s")
    void aRevokedKeyIsRefusedSoonEverywhere() {
        String key = made("ci");
        assertThat(credentials.authenticate("Bearer " + key).id()).isEqualTo("ci");
        service.revoke("ci", MAKER); // this desk has another book
        now = now.plusSeconds(4);
        assertThat(refused("Bearer " + key)).isEqualTo(RefusalCode.CREDENTIAL_REVOKED);
    }

    @Test
    void problemsOfAKeyAreReportedToItsHolderOnly() {
        String key = made("ci");
        service.revoke("ci", MAKER);
        assertThat(refused("Bearer " + key.substring(0, 10) + "A".repeat(40)))
                .isEqualTo(RefusalCode.CREDENTIAL_UNKNOWN);
    }

    @Test
    void aBusyCallerCostsTheDatabaseLittle() {
        String key = made("ci");
        credentials.authenticate("Bearer " + key);
        credentials.authenticate("Bearer " + key);
        int before = reads;
        for (int i = 0; i < 100; i++) {
            credentials.authenticate("Bearer " + key);
        }
        assertThat(reads - before).isZero();
    }

    @Test
    @DisplayName(
            "I5: made-up keys cannot hold more than one connection, nor keep known callers out")
    void floodOfUnknownKeysDelaysNoOtherCall() throws InterruptedException {
        CountDownLatch stuck = new CountDownLatch(1);
        AtomicInteger looking = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        InMemoryApiKeyStore slow =
                new InMemoryApiKeyStore(() -> now) {
                    @Override
                    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // others go on
                    public Optional<ApiKey> find(String id) {
                        if (id.startsWith("made-up")) {
                            most.accumulateAndGet(looking.incrementAndGet(), Math::max);
                            awaitIt(stuck);
                            looking.decrementAndGet();
                        }
                        return super.find(id);
                    }
                };
        ApiKeyAuthenticator book = new ApiKeyAuthenticator(slow, () -> now, this::nanos);
        String good =
                new ApiKeyService(slow, book)
                        .create(
                                new ApiKeyCreationRules.KeyRequest(
                                        "ci", List.of("rollouts:read"), DAY),
                                MAKER)
                        .text()
                        .value();
        book.authenticate(good);
        Set<RefusalCode> codes = ConcurrentHashMap.newKeySet();
        List<Thread> flood =
                IntStream.range(0, 20)
                        .mapToObj(n -> good.replace("ak1.ci.", "ak1.made-up-" + n + "."))
                        .map(key -> Thread.startVirtualThread(() -> codes.add(code(book, key))))
                        .toList();
        for (Thread caller : flood.subList(1, flood.size())) {
            caller.join(200);
        }
        now = now.plusSeconds(3); // what was read of the good key is old by now
        assertThat(book.authenticate(good).id()).isEqualTo("ci");
        await().atMost(Waits.LIMIT)
                .untilAsserted(() -> assertThat(codes).contains(RefusalCode.OVERLOADED));
        stuck.countDown();
        for (Thread caller : flood) {
            caller.join();
        }
        assertThat(most).hasValue(1);
        assertThat(codes)
                .containsExactlyInAnyOrder(RefusalCode.OVERLOADED, RefusalCode.CREDENTIAL_UNKNOWN);
    }

    @Test
    @DisplayName("I5: made-up keys do not keep out a key that this replica has not read yet")
    void aKeyThatWasNeverReadHerePassesBesideAFlood() throws InterruptedException {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch looking = new CountDownLatch(1);
        InMemoryApiKeyStore slow =
                new InMemoryApiKeyStore(() -> now) {
                    @Override
                    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // others go on
                    public Optional<ApiKey> find(String id) {
                        if (id.startsWith("made-up")) {
                            looking.countDown();
                            awaitIt(stuck);
                        }
                        return super.find(id);
                    }
                };
        String good =
                new ApiKeyService(slow, new ApiKeyAuthenticator(slow, () -> now, this::nanos))
                        .create(
                                new ApiKeyCreationRules.KeyRequest(
                                        "ci", List.of("rollouts:read"), DAY),
                                MAKER)
                        .text()
                        .value();
        ApiKeyAuthenticator other = new ApiKeyAuthenticator(slow, () -> now, this::nanos);
        String madeUp = good.replace("ak1.ci.", "ak1.made-up.");
        Thread flood = Thread.startVirtualThread(() -> code(other, madeUp));
        looking.await(); // it holds the one place of unknown keys
        assertThat(other.authenticate(good).id()).isEqualTo("ci");
        stuck.countDown();
        flood.join();
    }

    private static RefusalCode code(ApiKeyAuthenticator book, String key) {
        return catchThrowableOfType(Refused.class, () -> book.authenticate(key)).code();
    }

    private static void awaitIt(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whoWaitsForAKeyThatIsReadAgainReadsItNotOnceMore() throws InterruptedException {
        String key = made("ci");
        credentials.authenticate("Bearer " + key);
        credentials.authenticate("Bearer " + key);
        now = now.plusSeconds(3);
        int before = reads;
        List<Thread> callers =
                IntStream.range(0, 50)
                        .mapToObj(n -> Thread.startVirtualThread(() -> book.authenticate(key)))
                        .toList();
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(reads - before).isBetween(1, 2);
    }

    @Test
    void itsUseIsNotedOnceAMinute() {
        String key = made("ci");
        credentials.authenticate("Bearer " + key);
        Instant first = now;
        assertThat(store.find("ci").orElseThrow().lastUsedAt()).isEqualTo(first);
        now = now.plusSeconds(59);
        credentials.authenticate("Bearer " + key);
        assertThat(store.find("ci").orElseThrow().lastUsedAt()).isEqualTo(first);
        now = now.plusSeconds(2);
        credentials.authenticate("Bearer " + key);
        assertThat(store.find("ci").orElseThrow().lastUsedAt()).isEqualTo(now);
    }

    @Test
    @DisplayName("H7: while the database is away nobody is let in")
    void unavailableStoreRefusesAllCalls() {
        ApiKeyAuthenticator withoutStore =
                new ApiKeyAuthenticator(
                        new InMemoryApiKeyStore(() -> now) {
                            @Override
                            public synchronized Optional<ApiKey> find(String id) {
                                throw new StoreUnavailable("reading", new IllegalStateException());
                            }
                        },
                        () -> now,
                        this::nanos);
        OperatorAuthenticator closed =
                new OperatorAuthenticator(
                        withoutStore, OperatorAuthenticator.TokenAuthenticator.rejectAll());
        String key = made("ci");
        assertThatThrownBy(() -> closed.authenticate("Bearer " + key))
                .isInstanceOfSatisfying(
                        Refused.class,
                        no -> assertThat(no.code()).isEqualTo(RefusalCode.STORE_UNAVAILABLE));
    }

    @Test
    void anIdIsNeverUsedAgain() {
        made("ci");
        service.revoke("ci", MAKER);
        assertThatThrownBy(() -> made("ci"))
                .isInstanceOfSatisfying(
                        Refused.class,
                        no -> assertThat(no.code()).isEqualTo(RefusalCode.KEY_EXISTS));
        assertThatThrownBy(() -> service.revoke("nobody", MAKER))
                .isInstanceOfSatisfying(
                        Refused.class,
                        no -> assertThat(no.code()).isEqualTo(RefusalCode.KEY_NOT_FOUND));
    }

    @Test
    void everyKeyIsAnother() {
        SecureRandom random = new SecureRandom();
        assertThat(ApiKeyService.generateKey("ci", random).value())
                .matches("ak1\\.ci\\.[A-Za-z0-9_-]{43}")
                .isNotEqualTo(ApiKeyService.generateKey("ci", random).value());
    }

    private String made(String id) {
        return service.create(
                        new ApiKeyCreationRules.KeyRequest(
                                id, List.of("rollouts:read"), Duration.ofDays(1)),
                        MAKER)
                .text()
                .value();
    }

    private RefusalCode refused(String header) {
        return refusal(header).code();
    }

    private Refused refusal(String header) {
        return catchThrowableOfType(Refused.class, () -> credentials.authenticate(header));
    }

    private long nanos() {
        return Duration.between(Instant.EPOCH, now).toNanos();
    }
}
