package drover.coordinator.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.group.GroupViews;
import drover.coordinator.store.group.PostgresGroupViews;
import drover.coordinator.store.group.StoredGroup;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore;
import drover.coordinator.store.node.PostgresOperatorNodeRequestStore;
import drover.coordinator.store.request.PostgresRolloutRequestStore;
import drover.coordinator.store.request.RolloutRequestStore;
import drover.coordinator.store.rollout.PostgresRolloutViews;
import drover.coordinator.store.rollout.RolloutViews;
import drover.coordinator.store.rollout.StoredRollout;
import drover.kit.database.SchemaMigration;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A database that a newer version has brought further than this one knows. */
final class SchemaSkewIT {
    private static final int NEWER = 9_001;

    @AutoClose private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.open();
    }

    /** As Flyway of the newer version writes it down. */
    private void newerVersionRan(String description) {
        database.run(
                """
                INSERT INTO flyway_schema_history (installed_rank, version, description, type,
                    script, checksum, installed_by, execution_time, success)
                VALUES (?, ?, ?, 'SQL', ?, 1, 'a newer version', 1, true)
                """,
                NEWER,
                Integer.toString(NEWER),
                description,
                "V" + NEWER + "__" + description.replace(' ', '_') + ".sql");
    }

    @Test
    @DisplayName("What a newer version added is left alone: both can be used at once")
    void opensWhatWasOnlyAddedTo() {
        database.run("ALTER TABLE rollout ADD COLUMN of_a_newer_version text");
        newerVersionRan("of a newer version");

        Database again = Database.migrateAndOpen(database.dataSource());

        assertThat(
                        again.<Integer>read(
                                "a test",
                                handle ->
                                        handle.createQuery("SELECT count(*) FROM rollout")
                                                .mapTo(Integer.class)
                                                .one()))
                .isZero();
    }

    @Test
    @DisplayName("Where a newer version took something away, this one does not start, and says so")
    void refusesWhatWasTakenFrom() {
        newerVersionRan("contract no more notes");

        assertThatThrownBy(() -> Database.migrateAndOpen(database.dataSource()))
                .isInstanceOf(SchemaMigration.NewerSchema.class)
                .hasMessage(
                        "A newer version of Drover has brought the database to step 9001 (contract"
                                + " no more notes), which this version cannot work with: start the"
                                + " newer one.");
    }

    @Test
    @DisplayName(
            "C15: a state that is not known is left as it is, and said to be of a later version")
    void leavesAStateOfALaterVersionAlone() {
        RolloutId id = StoredRollout.create(database, Plan.rolling("demo", 3, 2));
        database.run(
                "ALTER TABLE rollout DISABLE TRIGGER USER"); // a later version knows more moves
        database.run("UPDATE rollout SET state = state || '{\"status\": \"frozen\"}'");
        LeaderStore store = new PostgresLeaderStore(database.database());

        assertThatThrownBy(() -> store.load(id))
                .isInstanceOf(UnreadableRow.class)
                .hasMessageStartingWith("A later version wrote rollout " + id + "; upgrade");
        assertThat(database.texts("SELECT status FROM rollout")).containsExactly("frozen");
    }

    @Test
    @DisplayName("C15: what a later version only says more of a state is no obstacle to this one")
    void readsAStateWithUnknownFields() {
        RolloutId id = StoredRollout.create(database, Plan.rolling("demo", 3, 2));
        database.run("UPDATE rollout SET state = state || '{\"mood\": \"calm\"}'");

        assertThat(new PostgresLeaderStore(database.database()).load(id)).isPresent();
    }

    @Test
    @DisplayName("C15: a request that is not known is read as such, and stops no other")
    void readsRequestsOfALaterVersion() {
        RolloutId id = StoredRollout.create(database, Plan.rolling("demo", 3, 2));
        LeaderStore store = new PostgresLeaderStore(database.database());
        RolloutRequestStore requests = new PostgresRolloutRequestStore(database.database());
        requests.submitRequest(id, new OperatorRequest.Pause(), "alice", "key-1", "");
        database.run("UPDATE operator_request SET kind = 'thaw'");
        requests.submitRequest(id, new OperatorRequest.Start(), "alice", "key-2", "");

        assertThat(store.pendingRequests(id))
                .extracting(LeaderStore.PendingRequest::request)
                .containsExactly(new OperatorRequest.Unknown("thaw"), new OperatorRequest.Start());
    }

    @Test
    @DisplayName("C15: the same of requests about nodes")
    void readsRequestsAboutNodesOfALaterVersion() {
        LeaderStore store = new PostgresLeaderStore(database.database());
        new PostgresOperatorNodeRequestStore(database.database())
                .submitRequest(new NodeId("n1"), OperatorNodeRequest.CLEAR, "alice", "key-1", "");
        database.run("UPDATE node_request SET kind = 'thaw'");

        assertThat(store.nodeRequests().findPending())
                .extracting(LeaderOperatorNodeRequestStore.PendingNodeRequest::kind)
                .containsExactly(OperatorNodeRequest.UNKNOWN);
    }

    private void freeze(String table, String id) {
        database.run("ALTER TABLE " + table + " DISABLE TRIGGER USER");
        database.run(
                "UPDATE "
                        + table
                        + " SET state = state || '{\"status\": \"frozen\"}'"
                        + " WHERE id::text = ?",
                id);
    }

    @Test
    @DisplayName("C15: one rollout of a later version does not hide the others")
    void listsRolloutsOfALaterVersionByWhatEveryVersionCanRead() {
        RolloutId readable = StoredRollout.create(database, Plan.rolling("demo", 3, 2));
        RolloutId frozen = StoredRollout.create(database, Plan.rolling("frozen", 2, 1));
        freeze("rollout", frozen.value());

        List<RolloutViews.ListedRollout> listed =
                new PostgresRolloutViews(database.database())
                        .list(RolloutViews.Filter.ALL, null, 10);

        assertThat(listed)
                .extracting(RolloutViews.ListedRollout::id)
                .containsExactlyInAnyOrder(readable, frozen);
        assertThat(listed)
                .filteredOn(RolloutViews.UnreadableRollout.class::isInstance)
                .singleElement()
                .isInstanceOfSatisfying(
                        RolloutViews.UnreadableRollout.class,
                        unread -> {
                            assertThat(unread.id()).isEqualTo(frozen);
                            assertThat(unread.status()).isEqualTo("frozen");
                            assertThat(unread.chain()).isEqualTo("frozen");
                            assertThat(unread.counters().total()).isEqualTo(2);
                        });
    }

    @Test
    @DisplayName("C15: the same of one with a batch of which the phase is not known")
    void listsRolloutsWithBatchesOfALaterVersion() {
        RolloutId readable = StoredRollout.create(database, Plan.rolling("demo", 3, 2));
        RolloutId thawing = StoredRollout.create(database, Plan.rolling("thawing", 2, 1));
        database.run(
                "UPDATE rollout_batch SET phase = 'thawing' WHERE rollout_id = ?::uuid",
                thawing.value());
        RolloutViews views = new PostgresRolloutViews(database.database());

        assertThat(views.list(RolloutViews.Filter.ALL, null, 10))
                .extracting(
                        RolloutViews.ListedRollout::id,
                        RolloutViews.UnreadableRollout.class::isInstance)
                .containsExactlyInAnyOrder(tuple(readable, false), tuple(thawing, true));
        assertThatThrownBy(() -> views.find(thawing))
                .isInstanceOf(UnreadableRow.class)
                .hasMessageStartingWith("A later version wrote rollout " + thawing + "; upgrade");
    }

    @Test
    @DisplayName("C15: the same of groups, also of one with a component of a later version")
    void listsGroupsOfALaterVersionByWhatEveryVersionCanRead() {
        GroupId readable = StoredGroup.create(database, Plan.rolling("demo", 3, 2));
        GroupId frozen = StoredGroup.create(database, Plan.rolling("frozen", 2, 1));
        GroupId component = StoredGroup.create(database, Plan.rolling("component", 2, 1));
        freeze("rollout_group", frozen.value());
        database.run("ALTER TABLE rollout DISABLE TRIGGER USER");
        database.run(
                "UPDATE rollout SET state = state || '{\"status\": \"frozen\"}'"
                        + " WHERE group_id::text = ?",
                component.value());

        List<GroupViews.ListedGroup> listed =
                new PostgresGroupViews(database.database()).list("", "", null, 10);

        assertThat(listed)
                .extracting(GroupViews.ListedGroup::id)
                .containsExactlyInAnyOrder(readable, frozen, component);
        assertThat(listed)
                .filteredOn(GroupViews.UnreadableGroup.class::isInstance)
                .extracting(one -> ((GroupViews.UnreadableGroup) one).status())
                .containsExactlyInAnyOrder("frozen", "pending");
    }

    @Test
    @DisplayName("C15: what a later version did last on one node hides no other node")
    void readsTheLastWorkOnTheNodesThatItCan() {
        StoredRollout.create(database, Plan.rolling("demo", 2, 2));
        List<NodeId> nodes =
                database.texts("SELECT node_id FROM rollout_node ORDER BY 1").stream()
                        .map(NodeId::new)
                        .toList();
        database.run("ALTER TABLE rollout_node DISABLE TRIGGER USER");
        database.run("UPDATE rollout_node SET attempt = 1");
        database.run(
                "UPDATE rollout_node SET state = state || '{\"status\": \"frozen\"}'"
                        + " WHERE node_id = ?",
                nodes.getFirst().value());

        assertThat(new PostgresLeaderStore(database.database()).incidents().findLastWork(nodes))
                .hasSize(1)
                .allSatisfy((of, work) -> assertThat(of.node()).isEqualTo(nodes.getLast()));
    }
}
