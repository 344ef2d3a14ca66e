package drover.coordinator.store.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.store.audit.HistoryChecker.ChainBreak;
import drover.coordinator.store.audit.HistoryChecker.HistoryKind;
import drover.coordinator.store.audit.HistoryChecker.HistoryProblem;
import drover.coordinator.store.audit.PostgresHistoryChecker;
import drover.coordinator.store.sql.TestDatabase;
import drover.kit.access.Scope;
import drover.model.Digest;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys over a real PostgreSQL. */
final class ApiKeyStoreIT extends ApiKeyStoreContract {
    @AutoClose private TestDatabase database;
    private PostgresApiKeyStore store;

    @BeforeEach
    void open() {
        database = TestDatabase.open();
        store = new PostgresApiKeyStore(database.database());
    }

    @Override
    public ApiKeyStore store() {
        return store;
    }

    @Test
    void aScopeOfANewerReplicaIsLeftOut() {
        store.putBackendKey("admin", Digest.of("one"), Set.of(Scope.ROLLOUTS_READ));
        database.run("UPDATE coordinator.api_key SET scopes = scopes || '{moon:land}'");
        assertThat(store.find("admin").orElseThrow().scopes()).containsExactly(Scope.ROLLOUTS_READ);
    }

    @Test
    @DisplayName("G2: what was done with a key stays told, also when it is granted anew")
    void aGrantDoesNotEraseTheRevocationBeforeIt() {
        Set<Scope> read = Set.of(Scope.ROLLOUTS_READ);
        store.putBackendKey("admin", Digest.of("one"), read);
        store.putBackendKey("admin", Digest.of("one"), read); // as at every start
        store.revoke("admin", "key:ann");
        store.revoke("admin", "key:bob");
        store.putBackendKey("admin", Digest.of("two"), read);
        store.addIfAbsent("ci", Digest.of("three"), read, "key:admin", Duration.ofDays(1));
        store.addIfAbsent("ci", Digest.of("four"), read, "key:admin", Duration.ofDays(1));
        store.putBackendKey("ci", Digest.of("five"), read);
        assertThat(
                        database.texts(
                                "SELECT concat_ws(' ', key_id, code, actor, from_status, to_status)"
                                        + " FROM key_history ORDER BY seq"))
                .containsExactly(
                        "admin GRANTED drover  good",
                        "admin REVOKED key:ann good revoked",
                        "admin GRANTED_ANEW drover revoked good",
                        "ci MADE key:admin  good");
        assertThat(database.texts("SELECT sentence FROM key_history WHERE code = 'GRANTED'"))
                .containsExactly(
                        "The machine granted it: rollouts:read, without an end, secret "
                                + Digest.of("one")
                                + ".");
        assertThat(breaks()).isEmpty();
    }

    @Test
    @DisplayName("G2: the history of keys cannot be changed unseen")
    void anEditOfTheHistoryOfKeysIsFound() {
        store.putBackendKey("admin", Digest.of("one"), Set.of(Scope.ROLLOUTS_READ));
        store.revoke("admin", "key:ann");
        assertThatThrownBy(() -> database.run("DELETE FROM key_history"))
                .hasStackTraceContaining("append-only");
        database.run("ALTER TABLE key_history DISABLE TRIGGER key_history_append_only");
        database.run("UPDATE key_history SET actor = 'key:bob' WHERE code = 'REVOKED'");
        assertThat(breaks())
                .extracting(ChainBreak::problem)
                .containsExactly(HistoryProblem.MODIFIED, HistoryProblem.KEY_MISMATCH);
        database.run("DELETE FROM key_history WHERE code = 'REVOKED'");
        assertThat(breaks())
                .extracting(ChainBreak::problem)
                .containsExactly(HistoryProblem.TRUNCATED, HistoryProblem.KEY_MISMATCH);
        database.run("DELETE FROM key_history_head");
        assertThat(breaks())
                .extracting(ChainBreak::problem)
                .containsExactly(HistoryProblem.TRUNCATED, HistoryProblem.KEY_MISMATCH);
    }

    @ParameterizedTest
    @DisplayName("G2: a key that was changed by hand is found, whatever was changed")
    @ValueSource(
            strings = {
                "scopes = '{rollouts:admin,rollouts:read}'",
                "scopes = '{rollouts:read,of-a-later-version}'",
                "expires_at = expires_at + interval '1 year'",
                "expires_at = NULL",
                "secret_sha256 = 'sha256:' || repeat('0', 64)",
                "created_by = 'key:admin'",
                "revoked_at = now(), revoked_by = 'key:ann'"
            })
    void aKeyThatWasChangedByHandIsFound(String change) {
        Set<Scope> read = Set.of(Scope.ROLLOUTS_READ);
        store.addIfAbsent("ci", Digest.of("one"), read, "key:ann", Duration.ofDays(1));
        store.addIfAbsent("other", Digest.of("two"), read, "key:ann", Duration.ofDays(1));
        assertThat(breaks()).isEmpty();
        database.run("UPDATE api_key SET " + change + " WHERE id = 'ci'");
        assertThat(breaks()).containsExactly(new ChainBreak(1, HistoryProblem.KEY_MISMATCH, "ci"));
    }

    @Test
    @DisplayName("G2: a revoked key that is good again by hand, or never was made, is found")
    void findsAKeyThatWasNeverCreated() {
        Set<Scope> read = Set.of(Scope.ROLLOUTS_READ);
        store.addIfAbsent("ci", Digest.of("one"), read, "key:ann", Duration.ofDays(1));
        store.revoke("ci", "key:ann");
        assertThat(breaks()).isEmpty();
        database.run("UPDATE api_key SET revoked_at = NULL, revoked_by = ''");
        database.run(
                "INSERT INTO api_key (id, secret_sha256, scopes, created_by) SELECT 'mine',"
                        + " secret_sha256, scopes, created_by FROM api_key");
        assertThat(breaks())
                .containsExactly(
                        new ChainBreak(2, HistoryProblem.KEY_MISMATCH, "ci"),
                        new ChainBreak(0, HistoryProblem.KEY_MISMATCH, "mine"));
    }

    private List<ChainBreak> breaks() {
        return new PostgresHistoryChecker(database.database())
                .checkNext(HistoryKind.KEYS, "")
                .orElseThrow()
                .breaks();
    }
}
