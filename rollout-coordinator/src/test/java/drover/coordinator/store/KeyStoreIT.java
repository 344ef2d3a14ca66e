package drover.coordinator.store;

import static org.assertj.core.api.Assertions.assertThat;

import drover.kit.access.Scope;
import drover.model.Digest;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys over a real PostgreSQL. */
final class KeyStoreIT extends KeyStoreContract {
    private TestDatabase database;
    private PostgresKeyStore store;

    @BeforeEach
    void open() {
        database = TestDatabase.open();
        store = new PostgresKeyStore(database.database());
    }

    @AfterEach
    void close() {
        if (database != null) {
            database.close();
        }
    }

    @Override
    KeyStore store() {
        return store;
    }

    @Test
    void aScopeOfANewerReplicaIsLeftOut() {
        store.grant("admin", Digest.of("one"), Set.of(Scope.ROLLOUTS_READ));
        database.run("UPDATE coordinator.api_key SET scopes = scopes || '{moon:land}'");
        assertThat(store.find("admin").orElseThrow().scopes()).containsExactly(Scope.ROLLOUTS_READ);
    }
}
