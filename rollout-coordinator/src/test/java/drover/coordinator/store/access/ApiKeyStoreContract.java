package drover.coordinator.store.access;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.access.ApiKey;
import drover.kit.access.Scope;
import drover.model.Digest;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What every store of keys keeps to: the real one and its double. */
public abstract class ApiKeyStoreContract {
    private static final Digest ONE = Digest.of("one");
    private static final Digest OTHER = Digest.of("other");
    private static final Set<Scope> SCOPES = Set.of(Scope.ROLLOUTS_READ, Scope.AUDIT_READ);
    private static final Duration DAY = Duration.ofDays(1);

    public abstract ApiKeyStore store();

    @Test
    void aKeyIsFoundAsItWasMade() {
        ApiKey made = store().addIfAbsent("ci", ONE, SCOPES, "key:admin", DAY).orElseThrow();
        assertThat(store().find("ci")).contains(made);
        assertThat(made.secret()).isEqualTo(ONE);
        assertThat(made.scopes()).isEqualTo(SCOPES);
        assertThat(made.createdBy()).isEqualTo("key:admin");
        assertThat(made.expiresAt()).isEqualTo(made.createdAt().plus(DAY));
        assertThat(made.lastUsedAt()).isNull();
        assertThat(made.revokedAt()).isNull();
        assertThat(store().find("cj")).isEmpty();
    }

    @Test
    void anIdBelongsToOneKeyForGood() {
        store().addIfAbsent("ci", ONE, SCOPES, "key:admin", DAY);
        store().revoke("ci", "key:admin");
        assertThat(store().addIfAbsent("ci", OTHER, SCOPES, "key:admin", DAY)).isEmpty();
        assertThat(store().find("ci").orElseThrow().secret()).isEqualTo(ONE);
    }

    @Test
    void firstRevocationIsKept() {
        store().addIfAbsent("ci", ONE, SCOPES, "key:admin", DAY);
        ApiKey first = store().revoke("ci", "key:ann").orElseThrow();
        assertThat(first.revokedAt()).isNotNull();
        assertThat(first.revokedBy()).isEqualTo("key:ann");
        assertThat(store().revoke("ci", "key:bob")).contains(first);
        assertThat(store().revoke("nobody", "key:bob")).isEmpty();
    }

    @Test
    void useIsNoted() {
        store().addIfAbsent("ci", ONE, SCOPES, "key:admin", DAY);
        store().recordUse("ci");
        store().recordUse("nobody");
        assertThat(store().find("ci").orElseThrow().lastUsedAt()).isNotNull();
    }

    @Test
    void aGrantMakesAKeyWithoutAnEndAndMakesItAgain() {
        assertThat(store().putBackendKey("admin", ONE, Set.of(Scope.ROLLOUTS_READ))).isTrue();
        ApiKey first = store().find("admin").orElseThrow();
        assertThat(first.createdBy()).isEqualTo(ApiKey.BACKEND);
        assertThat(first.expiresAt()).isNull();
        store().revoke("admin", "key:ann");
        assertThat(store().putBackendKey("admin", OTHER, SCOPES)).isTrue();
        ApiKey again = store().find("admin").orElseThrow();
        assertThat(again.secret()).isEqualTo(OTHER);
        assertThat(again.scopes()).isEqualTo(SCOPES);
        assertThat(again.revokedAt()).isNull();
        assertThat(again.revokedBy()).isEmpty();
    }

    @Test
    void aGrantLeavesTheKeysOfCallersAlone() {
        store().addIfAbsent("ci", ONE, SCOPES, "key:admin", DAY);
        assertThat(store().putBackendKey("ci", OTHER, Set.of(Scope.TOKENS_WRITE))).isFalse();
        assertThat(store().find("ci").orElseThrow().scopes()).isEqualTo(SCOPES);
    }

    @Test
    void keysAreListedById() {
        store().addIfAbsent("b", ONE, SCOPES, "key:admin", DAY);
        store().addIfAbsent("a", OTHER, SCOPES, "key:admin", DAY);
        assertThat(store().list()).extracting(ApiKey::id).containsExactly("a", "b");
    }
}
