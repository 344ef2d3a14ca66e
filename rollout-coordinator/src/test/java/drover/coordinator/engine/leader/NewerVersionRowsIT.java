package drover.coordinator.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.preflight.NodePreflightResult;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.export.SpanHistoryStore;
import drover.coordinator.store.group.PostgresGroupStore;
import drover.coordinator.store.group.StoredGroup;
import drover.coordinator.store.preflight.LeaderPreflightStore;
import drover.coordinator.store.preflight.PostgresPreflightStore;
import drover.coordinator.store.rollout.StoredHashChain;
import drover.coordinator.store.rollout.StoredRollout;
import drover.kit.telemetry.EndedSpan;
import drover.model.GroupId;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A leader over what a later version has written into the database. */
@DisplayName("C15: a leader of the version before")
class NewerVersionRowsIT {
    private static final Duration SOON = Waits.LIMIT;
    @AutoClose private @Nullable TermFixture rig;

    private TermFixture rig(Plan plan) {
        rig = new TermFixture(plan);
        return rig;
    }

    @Test
    @DisplayName("refuses requests that it does not know, and carries out the ones behind them")
    void refusesWhatItDoesNotKnow() {
        TermFixture rig = rig(Plan.rolling("thawed", 2, 1));
        UUID unknown = rig.submit(new OperatorRequest.Pause());
        UUID aboutANode = rig.submit(rig.node(1), OperatorNodeRequest.CLEAR);
        rig.database.run("UPDATE operator_request SET kind = 'thaw'");
        rig.database.run("UPDATE node_request SET kind = 'thaw'");
        rig.submit(new OperatorRequest.Start());

        rig.lead();

        await().atMost(SOON).until(() -> rig.rollout().state() instanceof RolloutState.Completed);
        assertThat(refusal(rig, "operator_request", unknown)).isEqualTo("WRITTEN_BY_LATER_VERSION");
        assertThat(refusal(rig, "node_request", aboutANode)).isEqualTo("WRITTEN_BY_LATER_VERSION");
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
    }

    private static String refusal(TermFixture rig, String table, UUID request) {
        return await().atMost(SOON)
                .until(
                        () ->
                                rig.database
                                        .texts(
                                                "SELECT refusal_code FROM %s WHERE id = '%s'"
                                                        .formatted(table, request))
                                        .getFirst(),
                        code -> !code.isEmpty());
    }

    @Test
    @DisplayName("leaves a state that it does not know alone, and goes on when it is one it knows")
    void leavesAloneWhatItCannotRead() {
        TermFixture rig = rig(Plan.rolling("frozen", 2, 1));
        rig.database.run("ALTER TABLE rollout DISABLE TRIGGER USER"); // it knows more moves
        rig.database.run("UPDATE rollout SET state = state || '{\"status\": \"frozen\"}'");
        rig.submit(new OperatorRequest.Start());

        rig.lead();

        await().during(Duration.ofSeconds(3)) // a round of the leader takes one
                .atMost(SOON)
                .until(() -> rig.deliveries().isEmpty());
        assertThat(rig.database.texts("SELECT status FROM rollout")).containsExactly("frozen");
        rig.database.run("UPDATE rollout SET state = state || '{\"status\": \"pending\"}'");
        rig.database.run("ALTER TABLE rollout ENABLE TRIGGER USER");
        await().atMost(SOON).until(() -> rig.rollout().state() instanceof RolloutState.Completed);
    }

    @Test
    @DisplayName("leaves groups that it cannot read alone, and carries on with the others")
    void leavesAloneTheGroupsThatItCannotRead() {
        TermFixture rig = rig(Plan.rolling("demo", 2, 1));
        for (int i = 0; i < 4; i++) { // whichever is looked at first
            StoredGroup.create(rig.database, Plan.rolling("frozen-" + i, 2, 1));
        }
        rig.database.run("ALTER TABLE rollout_group DISABLE TRIGGER USER");
        rig.database.run("UPDATE rollout_group SET state = state || '{\"status\": \"frozen\"}'");
        rig.database.run("ALTER TABLE rollout_group ENABLE TRIGGER USER");
        GroupId known = StoredGroup.create(rig.database, Plan.rolling("known", 2, 1));
        new PostgresGroupStore(rig.database.database())
                .submitRequest(known, new GroupRequest.Cancel(), "alice", "key-1", "");

        rig.lead();

        await().atMost(SOON)
                .until(
                        () -> rig.database.texts("SELECT state FROM group_request"),
                        List.of("applied")::equals);
        assertThat(rig.database.texts("SELECT status FROM rollout_group"))
                .filteredOn("frozen"::equals)
                .hasSize(4);
    }

    /** Of a later version are the state, the specification, or a batch's phase; due before all. */
    private static List<RolloutId> ofALaterVersion(TermFixture rig) {
        List<RolloutId> written =
                List.of(
                        StoredRollout.create(
                                rig.database, Plan.rolling("frozen", 2, 1).inRealTime()),
                        StoredRollout.create(
                                rig.database, Plan.rolling("sideways", 2, 1).inRealTime()),
                        StoredRollout.create(
                                rig.database, Plan.rolling("thawing", 2, 1).inRealTime()));
        rig.database.run("ALTER TABLE rollout DISABLE TRIGGER USER");
        rig.database.run(
                "UPDATE rollout SET state = state || '{\"status\": \"frozen\"}'"
                        + " WHERE chain_profile_id = 'frozen'");
        rig.database.run(
                "UPDATE rollout SET spec = spec || '{\"migration\": \"SIDEWAYS\"}'"
                        + " WHERE chain_profile_id = 'sideways'");
        rig.database.run(
                "UPDATE rollout SET created_at = created_at - interval '1 hour'"
                        + " WHERE chain_profile_id <> 'demo'");
        rig.database.run("ALTER TABLE rollout ENABLE TRIGGER USER");
        rig.database.run(
                "UPDATE rollout_batch SET phase = 'thawing' WHERE rollout_id = ?::uuid",
                written.getLast().value());
        return written;
    }

    @Test
    @DisplayName("leaves preflights of what it cannot read alone, and carries the others out")
    void carriesOutThePreflightsThatItCan() {
        TermFixture rig = rig(Plan.rolling("demo", 2, 1));
        List<RolloutId> later = ofALaterVersion(rig);
        PostgresPreflightStore preflights = new PostgresPreflightStore(rig.database.database());
        later.forEach(rollout -> preflights.requestPreflight(rollout, "alice"));
        preflights.requestPreflight(rig.id, "alice"); // the last that is looked at

        rig.lead();

        await().atMost(SOON)
                .until(() -> preflights.find(rig.id).orElseThrow().finishedAt() != null);
        assertThat(later)
                .allMatch(rollout -> preflights.find(rollout).orElseThrow().finishedAt() == null);
    }

    @Test
    @DisplayName(
            "looks once at a preflight that it cannot carry out, so that it takes nobody's turn")
    void checksOnceWhatItCannotCarryOut() {
        TermFixture rig = rig(Plan.rolling("demo", 2, 1));
        PostgresPreflightStore preflights = new PostgresPreflightStore(rig.database.database());
        Set<UUID> later = new HashSet<>();
        ofALaterVersion(rig)
                .forEach(it -> later.add(preflights.requestPreflight(it, "alice").id()));
        List<Set<UUID>> aside = new CopyOnWriteArrayList<>();

        rig.lead(
                rig.around(
                        (method, arguments, real) ->
                                method.equals("preflights")
                                        ? noting((LeaderPreflightStore) real.go(), aside)
                                        : real.go()));

        await().atMost(SOON).until(() -> aside.contains(later));
        UUID own = preflights.requestPreflight(rig.id, "alice").id();
        assertThat(rig.store.preflights().findUnfinished(later))
                .allSatisfy(open -> assertThat(open.id()).isEqualTo(own));
    }

    private static LeaderPreflightStore noting(LeaderPreflightStore ledger, List<Set<UUID>> aside) {
        return new LeaderPreflightStore() {
            @Override
            public List<UnfinishedPreflight> findUnfinished(Set<UUID> left) {
                aside.add(Set.copyOf(left));
                return ledger.findUnfinished(left);
            }

            @Override
            public boolean finishIfLatest(
                    long epoch,
                    UnfinishedPreflight requested,
                    Instant at,
                    List<NodePreflightResult> nodes) {
                return ledger.finishIfLatest(epoch, requested, at, nodes);
            }
        };
    }

    @Test
    @DisplayName("keeps spans of what it cannot read for later, and sends the others")
    void sendsTheSpansThatItCan() {
        TermFixture rig = rig(Plan.rolling("demo", 2, 1));
        RolloutId unread = ofALaterVersion(rig).get(1);
        rig.submit(new OperatorRequest.Start());

        rig.lead();

        await().atMost(SOON)
                .until(
                        () -> rig.spans.exported().stream().map(EndedSpan::name).toList(),
                        names -> names.contains("rollout"));
        assertThat(
                        rig.database.count(
                                "SELECT count(*) FROM span_mark WHERE rollout_id = ?::uuid",
                                unread.value()))
                .as("it is sent whole by whoever can read it")
                .isZero();
        assertThat(rig.spanStore.findDue(Set.of()))
                .extracting(SpanHistoryStore.RolloutWithUnsentSpans::id)
                .contains(unread);
        assertThat(rig.spanStore.findDue(Set.of(unread)))
                .extracting(SpanHistoryStore.RolloutWithUnsentSpans::id)
                .doesNotContain(unread);
    }
}
