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
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Join tokens in the audited history, over a real PostgreSQL. */
final class JoinTokenHistoryWriterIT {
    private static final Instant LATER = Instant.parse("2999-01-01T00:00:00Z");

    @AutoClose private TestDatabase database;
    private PostgresJoinTokenHistoryWriter history;

    @BeforeEach
    void open() {
        database = TestDatabase.open();
        history = new PostgresJoinTokenHistoryWriter(database.database());
    }

    private static GatewayJoinTokenReport token(
            String id, int uses, Instant expires, String revokedBy) {
        return new GatewayJoinTokenReport(
                id, "node berth-01 of harbour/edge", uses, 2, "key:ann", expires, revokedBy);
    }

    private void record(GatewayJoinTokenReport... tokens) {
        history.recordTokens(List.of(tokens));
    }

    private List<String> entries() {
        return database.texts(
                "SELECT concat_ws(' ', key_id, code, actor, to_status) FROM key_history"
                        + " ORDER BY seq");
    }

    private List<ChainBreak> breaks() {
        return new PostgresHistoryChecker(database.database())
                .checkNext(HistoryKind.KEYS, "")
                .orElseThrow()
                .breaks();
    }

    @Test
    @DisplayName("G2: the history contains creation, uses and end of a join token, once each")
    void recordsCreationUsesAndEnd() {
        record(token("t1", 0, LATER, ""));
        record(token("t1", 0, LATER, ""));
        record(token("t1", 1, LATER, ""), token("t2", 0, LATER, ""));
        record(token("t1", 2, LATER, ""), token("t2", 0, LATER, "key:bob"));
        record(token("t1", 2, LATER, ""), token("t2", 0, LATER, "key:bob"));
        record(token("t3", 1, Instant.EPOCH, ""));
        assertThat(entries())
                .containsExactly(
                        "join-token:t1 JOIN_TOKEN_MADE key:ann good",
                        "join-token:t1 JOIN_TOKEN_USED gateway good",
                        "join-token:t2 JOIN_TOKEN_MADE key:ann good",
                        "join-token:t1 JOIN_TOKEN_USED gateway good",
                        "join-token:t1 JOIN_TOKEN_USED_UP gateway used up",
                        "join-token:t2 JOIN_TOKEN_REVOKED key:bob revoked",
                        "join-token:t3 JOIN_TOKEN_MADE key:ann good",
                        "join-token:t3 JOIN_TOKEN_USED gateway good",
                        "join-token:t3 JOIN_TOKEN_EXPIRED gateway expired");
        assertThat(
                        database.texts(
                                "SELECT sentence FROM key_history WHERE key_id = 'join-token:t3'"
                                        + " AND code = 'JOIN_TOKEN_USED'"))
                .containsExactly(
                        "It was used: 1 of 2 uses: node berth-01 of harbour/edge, 2 uses, until"
                                + " 1970-01-01T00:00:00Z.");
        assertThat(breaks()).isEmpty();
    }

    @Test
    void readsOnlyTheTokensThatAreRecorded() {
        record(token("t1", 2, LATER, ""), token("t2", 2, LATER, ""));
        List<String> before = entries();
        database.run("ALTER TABLE join_token_recorded RENAME TO recorded_tokens");
        database.run(
                "CREATE VIEW join_token_recorded AS SELECT token_id, ended,"
                        + " uses / CASE token_id WHEN 't2' THEN 0 ELSE 1 END AS uses"
                        + " FROM recorded_tokens"); // reading the second token fails

        record(token("t1", 2, LATER, ""));

        assertThat(entries()).isEqualTo(before);
    }

    @Test
    @DisplayName("G2: one chain contains keys and join tokens; a removed entry is found")
    void sharesTheChainOfTheKeys() {
        new PostgresApiKeyStore(database.database())
                .putBackendKey("admin", Digest.of("one"), Set.of(Scope.ROLLOUTS_READ));
        record(token("t1", 0, LATER, ""));
        assertThat(breaks()).isEmpty();
        assertThatThrownBy(() -> database.run("DELETE FROM key_history"))
                .hasStackTraceContaining("append-only");
        database.run("ALTER TABLE key_history DISABLE TRIGGER key_history_append_only");
        database.run("DELETE FROM key_history WHERE key_id = 'join-token:t1'");
        assertThat(breaks())
                .extracting(ChainBreak::problem)
                .containsExactly(HistoryProblem.TRUNCATED);
    }
}
