package drover.coordinator.store.audit;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.store.audit.HistoryChecker.ChainBreak;
import drover.coordinator.store.audit.HistoryChecker.CheckedHistory;
import drover.coordinator.store.audit.HistoryChecker.HistoryKind;
import drover.coordinator.store.audit.HistoryChecker.HistoryProblem;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.RolloutId;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A history, changed behind Drover's back by somebody who may do anything in the database. */
@DisplayName("G2: no change of the history stays unseen")
class HistoryCheckerIT {
    @AutoClose private TestDatabase database;
    private HistoryChecker audit;
    private RolloutId id;
    private List<Long> rows;

    @BeforeEach
    void writeAHistory() {
        database = TestDatabase.open();
        audit = new PostgresHistoryChecker(database.database());
        LeaderStore store = new PostgresLeaderStore(database.database());
        id = StoredRollout.create(database, Plan.rolling("demo", 3, 2));
        long epoch = store.takeOver("first");
        moves(store, epoch);
        rows =
                database.texts("SELECT seq FROM history ORDER BY seq").stream()
                        .map(Long::valueOf)
                        .toList();
        assertThat(rows).hasSizeGreaterThanOrEqualTo(3);
        assertThat(found()).as("before anybody touched it").isEmpty();
        database.run("ALTER TABLE history DISABLE TRIGGER history_append_only");
    }

    private void moves(LeaderStore store, long epoch) {
        for (int i = 0; i < 3; i++) {
            store.commit(
                    StoredRollout.move(
                            epoch,
                            store.load(id).orElseThrow(),
                            new RolloutState.Running(StoredRollout.NOW)));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "at          | at + interval '1 microsecond'",
                "epoch       | epoch + 1",
                "actor       | 'somebody-else'",
                "subject     | concat(subject, '_')",
                "node_id     | 'demo-9'",
                "from_status | 'paused'",
                "to_status   | 'completed'",
                "code        | 'APPROVED'",
                "sentence    | concat(sentence, '!')",
                "hash        | prev_hash",
                "prev_hash   | hash"
            })
    void anEditOfAnyColumnIsFoundAtItsRow(String column, String value) {
        long middle = rows.get(1);
        database.run("UPDATE history SET " + column + " = " + value + " WHERE seq = ?", middle);
        assertThat(found()).extracting(ChainBreak::seq).contains(middle);
        HistoryProblem problem =
                column.equals("prev_hash") ? HistoryProblem.BROKEN_CHAIN : HistoryProblem.MODIFIED;
        assertThat(found()).first().isEqualTo(new ChainBreak(middle, problem));
    }

    @Test
    void everyColumnIsCoveredButTheRowsOwnNumber() {
        assertThat(
                        database.texts(
                                "SELECT column_name FROM information_schema.columns WHERE"
                                        + " table_schema = 'coordinator' AND table_name = 'history'"))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(
                                        Stream.of("seq", "rollout_id"),
                                        Stream.of(
                                                "at",
                                                "epoch",
                                                "actor",
                                                "subject",
                                                "node_id",
                                                "from_status",
                                                "to_status",
                                                "code",
                                                "sentence",
                                                "hash",
                                                "prev_hash"))
                                .toList());
    }

    @Test
    void aWordMovedFromOneColumnToTheNextIsFound() {
        database.run(
                "UPDATE history SET from_status = from_status || left(to_status, 1), to_status ="
                        + " substr(to_status, 2) WHERE seq = ?",
                rows.get(1));
        assertThat(found()).containsExactly(new ChainBreak(rows.get(1), HistoryProblem.MODIFIED));
    }

    @Test
    void aRowTakenOutOfTheMiddleIsFound() {
        database.run("DELETE FROM history WHERE seq = ?", rows.get(1));
        assertThat(found())
                .containsExactly(new ChainBreak(rows.get(2), HistoryProblem.BROKEN_CHAIN));
    }

    @Test
    void theFirstRowTakenOutIsFound() {
        database.run("DELETE FROM history WHERE seq = ?", rows.get(0));
        assertThat(found())
                .containsExactly(new ChainBreak(rows.get(1), HistoryProblem.BROKEN_CHAIN));
    }

    @Test
    void aTailThatWasCutOffIsFound() {
        database.run("DELETE FROM history WHERE seq = ?", rows.getLast());
        assertThat(found()).containsExactly(new ChainBreak(0, HistoryProblem.TRUNCATED));
    }

    @Test
    void findsADeletedHistory() {
        database.run("TRUNCATE history");
        assertThat(found()).containsExactly(new ChainBreak(0, HistoryProblem.TRUNCATED));
    }

    @Test
    void aRowPutInIsFound() {
        database.run(
                "INSERT INTO history (rollout_id, at, epoch, actor, subject, from_status, to_status,"
                        + " code, sentence, prev_hash, hash) SELECT rollout_id, at, epoch, actor,"
                        + " subject, from_status, to_status, code, sentence, prev_hash, hash FROM"
                        + " history WHERE seq = ?",
                rows.get(1));
        assertThat(found()).extracting(ChainBreak::problem).contains(HistoryProblem.BROKEN_CHAIN);
    }

    @Test
    void rowsThatChangedPlacesAreFound() {
        database.run("ALTER TABLE history ALTER seq SET GENERATED BY DEFAULT");
        database.run("UPDATE history SET seq = 900000 WHERE seq = ?", rows.get(0));
        assertThat(found()).extracting(ChainBreak::problem).contains(HistoryProblem.BROKEN_CHAIN);
    }

    @Test
    void aRowMovedToAnotherRolloutIsFoundInBoth() {
        RolloutId other = StoredRollout.create(database, Plan.rolling("other", 1, 1));
        database.run(
                "UPDATE history SET rollout_id = ?::uuid WHERE seq = ?",
                other.value(),
                rows.get(1));
        assertThat(
                        Stream.of(id, other)
                                .map(one -> checked(one).breaks())
                                .filter(breaks -> !breaks.isEmpty()))
                .hasSize(2);
    }

    @Test
    void aHeadThatWasTurnedBackIsFound() {
        database.run("UPDATE rollout SET history_head = 'genesis'");
        assertThat(found()).containsExactly(new ChainBreak(0, HistoryProblem.TRUNCATED));
    }

    @Test
    void twoEditsAreTwoFindings() {
        database.run("UPDATE history SET actor = 'nobody' WHERE seq <> ?", rows.get(1));
        assertThat(found())
                .extracting(ChainBreak::seq)
                .containsExactlyElementsOf(
                        rows.stream().filter(seq -> !seq.equals(rows.get(1))).toList());
    }

    @Test
    void historiesFollowOneAnotherById() {
        StoredRollout.create(database, Plan.rolling("other", 1, 1));
        String first = audit.checkNext(HistoryKind.ROLLOUT, "").orElseThrow().id();
        String second = audit.checkNext(HistoryKind.ROLLOUT, first).orElseThrow().id();
        assertThat(second).isGreaterThan(first);
        assertThat(audit.checkNext(HistoryKind.ROLLOUT, second)).isEmpty();
        assertThat(audit.checkNext(HistoryKind.GROUP, "")).isEmpty();
    }

    private List<ChainBreak> found() {
        return checked(id).breaks();
    }

    private CheckedHistory checked(RolloutId rollout) {
        String after = "";
        while (true) { // ends with the rollout, or fails
            CheckedHistory next = audit.checkNext(HistoryKind.ROLLOUT, after).orElseThrow();
            if (next.id().equals(rollout.value())) {
                return next;
            }
            after = next.id();
        }
    }
}
