package drover.coordinator.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.AttemptStatus;
import drover.agent.v1.CommandBody;
import drover.coordinator.event.EventHistoryEntry;
import drover.coordinator.event.EventKind;
import drover.coordinator.event.EventMapper;
import drover.coordinator.event.RolloutEvent;
import drover.coordinator.plan.group.GroupPauseReason;
import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentSeverity;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.replay.DecisionReplay;
import drover.coordinator.plan.replay.RecordedDecisionInput;
import drover.coordinator.store.access.PostgresApiKeyStore;
import drover.coordinator.store.audit.HistoryChecker;
import drover.coordinator.store.audit.HistoryChecker.CheckedHistory;
import drover.coordinator.store.audit.HistoryChecker.HistoryKind;
import drover.coordinator.store.audit.PostgresHistoryChecker;
import drover.coordinator.store.export.DecisionInputExporter;
import drover.coordinator.store.export.EventViews.RolloutAndNodeFilter;
import drover.coordinator.store.export.PostgresEventDeliveryStore;
import drover.coordinator.store.group.GroupViews.GroupWithComponents;
import drover.coordinator.store.group.PostgresGroupViews;
import drover.coordinator.store.incident.IncidentViews;
import drover.coordinator.store.incident.IncidentViews.Incident;
import drover.coordinator.store.incident.PostgresOperatorIncidentStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.rollout.NodeHistory;
import drover.coordinator.store.rollout.PostgresRolloutViews;
import drover.coordinator.store.rollout.RolloutViews;
import drover.coordinator.store.rollout.StoredRollout;
import drover.model.AttemptOutcome;
import drover.model.GroupId;
import drover.model.OptionalEnumParser;
import drover.model.RolloutId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Everything that a control plane of an earlier version stored is read as it was meant (C15).
 * {@code state-8a38980e/README.md} describes it.
 */
class EarlierDatabaseIT {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int ALL = 1_000;
    private static final RolloutId COMPLETED =
            new RolloutId("3b1379cd-a1c9-2020-7185-f45a3ac84979");
    private static final RolloutId AWAITING = new RolloutId("5c0d5883-8af0-25c8-89b1-0a0e838653ac");
    private static final RolloutId CANARY_FAILED =
            new RolloutId("9678d7ab-90c3-4ff2-c0da-7be9dd30ffc8");
    private static final RolloutId CANARY_UNHEALTHY =
            new RolloutId("9e4c0436-335c-848c-3480-be8241abae91");
    private static final RolloutId ROLLED_BACK =
            new RolloutId("898fbc03-4322-7c9c-6a99-ede103664d51");
    private static final GroupId GROUP = new GroupId("810ef39e-e9b8-71db-c9e2-d63760d4305a");

    /** Names that the run of the dump did not store: they need an outage, or a copied machine. */
    private static final String MORE_NAMES =
            """
            SET session_replication_role = replica;
            UPDATE coordinator.rollout SET state = jsonb_set(state, '{reason}', '"BLIND"')
                WHERE id = '9678d7ab-90c3-4ff2-c0da-7be9dd30ffc8';
            UPDATE coordinator.rollout_group SET state =
                '{"status": "paused", "from": {"status": "rolling_back",
                  "since": "2026-11-27T21:50:00Z"}, "reason": "STEERING_REFUSED",
                  "since": "2026-11-27T21:50:00Z"}';
            INSERT INTO coordinator.incident
                (category, severity, node_id, rollout_id, code, sentence, opened_at)
                VALUES ('upgrade_stalled', 'major', 'mill-1',
                    '9678d7ab-90c3-4ff2-c0da-7be9dd30ffc8', 'BLIND', 'It paused.', now()),
                ('identity_copied', 'critical', 'mill-3', NULL, 'IDENTITY_COPIED', 'Two.', now()),
                ('identity_misplaced', 'major', 'mill-3', NULL, 'IDENTITY_MISPLACED', 'No.', now());
            SET session_replication_role = origin;
            """;

    @AutoClose private TestDatabase database;
    private RolloutViews views;
    private LeaderStore leader;

    @BeforeEach
    void restore() throws IOException {
        open("");
    }

    private void open(String more) throws IOException {
        database = TestDatabase.restore(dump() + more);
        views = new PostgresRolloutViews(database.database());
        leader = new PostgresLeaderStore(database.database());
    }

    private static String dump() throws IOException {
        try (InputStream packed =
                        EarlierDatabaseIT.class.getResourceAsStream(
                                "/state-8a38980e/coordinator.sql.gz");
                InputStream text = new GZIPInputStream(Objects.requireNonNull(packed))) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    @DisplayName("C15: no value of a JSON column is lost when it is read and written again")
    void keepsEveryValue() {
        keepsEveryValue("SELECT spec FROM rollout", StateJson::readRolloutSpec, 13);
        keepsEveryValue("SELECT state FROM rollout", StateJson::readRolloutState, 13);
        keepsEveryValue("SELECT target FROM rollout_node", StateJson::readNodeTarget, 20);
        keepsEveryValue("SELECT state FROM rollout_node", StateJson::readNodeState, 20);
        keepsEveryValue("SELECT progress FROM rollout_node", StateJson::readProgress, 20);
        keepsEveryValue("SELECT spec FROM rollout_group", StateJson::readGroupSpec, 1);
        keepsEveryValue("SELECT state FROM rollout_group", StateJson::readGroupState, 1);
        keepsEveryValue("SELECT inputs FROM decision", StateJson::readDecision, 134);
    }

    private void keepsEveryValue(String column, Function<String, Object> read, int rows) {
        List<String> stored = database.texts(column);
        assertThat(stored).as(column).hasSize(rows);
        for (String json : stored) {
            List<String> missing =
                    values(JSON.readTree(json.replace("CANARY_UNWELL", "CANARY_UNHEALTHY")));
            values(JSON.readTree(StateJson.write(read.apply(json)))).forEach(missing::remove);
            assertThat(missing).as("%s: %s", column, json).isEmpty();
        }
    }

    /** What a column contains, without the names. */
    private static List<String> values(JsonNode node) {
        List<String> inside = new ArrayList<>();
        if (node.isContainer()) {
            node.forEach(element -> inside.addAll(values(element)));
        } else if (!node.isNull()) {
            inside.add(node.asString());
        }
        return inside;
    }

    @Test
    void readsRollouts() {
        assertThat(views.list(RolloutViews.Filter.ALL, null, ALL))
                .hasSize(13)
                .noneMatch(RolloutViews.UnreadableRollout.class::isInstance);
        assertThat(state(COMPLETED)).isInstanceOf(RolloutState.Completed.class);
        assertThat(state(AWAITING)).isInstanceOf(RolloutState.AwaitingApproval.class);
        assertThat(state(ROLLED_BACK)).isInstanceOf(RolloutState.RolledBack.class);
        assertThat(pauseReason(CANARY_FAILED)).isEqualTo(PauseReason.CANARY_FAILED);
        assertThat(pauseReason(CANARY_UNHEALTHY)).isEqualTo(PauseReason.CANARY_UNHEALTHY);
        Rollout completed = leader.load(COMPLETED).orElseThrow().rollout();
        assertThat(completed.spec().conduct().expected().atMost()).isEqualTo(1);
        assertThat(completed.nodes().values())
                .hasSize(2)
                .allMatch(node -> node.state() instanceof NodeState.Succeeded);
        assertThat(leader.findActiveOrRequested()).contains(AWAITING, CANARY_UNHEALTHY);
    }

    @Test
    void readsCommandsAndStatusesOfAttempts() {
        NodeHistory yard = views.nodeHistory("yard-1", Instant.parse("2100-01-01T00:00:00Z"), ALL);
        assertThat(yard.attempts())
                .extracting(NodeHistory.Attempt::outcome)
                .containsExactlyInAnyOrder("SUCCEEDED", "FAILED");
        assertThat(yard.requests()).allMatch(request -> request.state().equals("applied"));
        for (byte[] body : bytes("SELECT body FROM node_attempt")) {
            assertThat(parse(() -> CommandBody.parseFrom(body)).getUnknownFields().asMap())
                    .isEmpty();
        }
        for (byte[] status : bytes("SELECT report FROM node_attempt WHERE report IS NOT NULL")) {
            assertThat(parse(() -> AttemptStatus.parseFrom(status)).getOutcomeValue()).isPositive();
        }
        assertThat(database.texts("SELECT DISTINCT outcome FROM node_attempt WHERE outcome <> ''"))
                .isNotEmpty()
                .allMatch(
                        word -> OptionalEnumParser.byName(AttemptOutcome.class, word).isPresent());
    }

    private interface Parse<T> {
        T run() throws IOException;
    }

    private static <T> T parse(Parse<T> parse) {
        try {
            return parse.run();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<byte[]> bytes(String query) {
        return database.database()
                .read("a test", handle -> handle.createQuery(query).mapTo(byte[].class).list());
    }

    @Test
    @DisplayName("G2: the chains of hashes are whole")
    void verifiesHistories() {
        HistoryChecker audit = new PostgresHistoryChecker(database.database());
        assertThat(checked(audit, HistoryKind.ROLLOUT)).hasSize(13);
        assertThat(checked(audit, HistoryKind.GROUP)).hasSize(1);
        assertThat(checked(audit, HistoryKind.KEYS)).hasSize(1);
        assertThat(new PostgresApiKeyStore(database.database()).list())
                .hasSize(3)
                .allMatch(key -> !key.scopes().isEmpty());
    }

    private static List<CheckedHistory> checked(HistoryChecker audit, HistoryKind kind) {
        List<CheckedHistory> results = new ArrayList<>();
        Optional<CheckedHistory> next = audit.checkNext(kind, "");
        while (next.isPresent()) {
            results.add(next.get());
            String id = next.get().id();
            next = id.isEmpty() ? Optional.empty() : audit.checkNext(kind, id); // keys have one
        }
        assertThat(results).allMatch(result -> result.rows() > 0 && result.breaks().isEmpty());
        return results;
    }

    @Test
    @DisplayName("G4: earlier moves lead to the same events, with reasons that have a name")
    void readsEvents() {
        List<EventHistoryEntry> rows =
                new PostgresEventDeliveryStore(database.database())
                        .findAfter(0, RolloutAndNodeFilter.ALL, ALL);
        assertThat(rows).hasSize(126).noneMatch(row -> row.code().isEmpty());
        assertThat(EventMapper.of(rows))
                .extracting(RolloutEvent::kind)
                .contains(
                        EventKind.CREATED,
                        EventKind.STARTED,
                        EventKind.AWAITING_APPROVAL,
                        EventKind.PAUSED,
                        EventKind.ROLLBACK_STARTED,
                        EventKind.ROLLED_BACK,
                        EventKind.CANCELLED,
                        EventKind.UPGRADE_COMPLETED,
                        EventKind.COMPLETED);
        assertThat(
                        rows.stream()
                                .filter(
                                        row ->
                                                row.subject().equals("rollout")
                                                        && row.to().equals("paused")))
                .hasSize(3)
                .allMatch(row -> PauseReason.ofCode(row.code()).isPresent());
    }

    @Test
    @DisplayName("A20: decisions of an earlier version are read, and tell that they may differ now")
    void readsRecordedDecisions() {
        DecisionInputExporter store = new DecisionInputExporter(database.database());
        List<RecordedDecisionInput> decisions =
                store.exportJsonLines(COMPLETED).stream()
                        .map(DecisionInputExporter::parseJsonLine)
                        .toList();

        assertThat(decisions).hasSize(15).allMatch(decision -> decision.version() == 4);
        assertThat(RecordedDecisionInput.VERSION).isGreaterThan(4);
        assertThat(DecisionReplay.replay(decisions))
                .extracting(replayed -> replayed.transition().to())
                .contains("running", "assigned", "succeeded");
    }

    @Test
    void readsIncidents() {
        assertThat(incidents())
                .hasSize(5)
                .noneMatch(incident -> incident.category() == IncidentCategory.UNKNOWN)
                .noneMatch(incident -> incident.severity() == IncidentSeverity.UNKNOWN)
                .noneMatch(incident -> incident.state() == IncidentViews.State.UNKNOWN)
                .extracting(Incident::category)
                .contains(IncidentCategory.COMMAND_REJECTED, IncidentCategory.CRASH_LOOP);
    }

    @Test
    @DisplayName("An incident that reports a pause under an earlier name ends with the pause")
    void closesIncidentsOfEarlierNames() throws IOException {
        database.close();
        open(MORE_NAMES);
        assertThat(pauseReason(CANARY_FAILED)).isEqualTo(PauseReason.NO_FLEET_VISIBILITY);
        assertThat(incidents())
                .extracting(incident -> incident.because().code())
                .contains("NO_FLEET_VISIBILITY", "IDENTITY_CLONED", "IDENTITY_MISMATCH")
                .doesNotContain("BLIND", "IDENTITY_COPIED", "IDENTITY_MISPLACED");

        leader.commit(
                StoredRollout.move(
                        leader.takeOver("later"),
                        leader.load(CANARY_FAILED).orElseThrow(),
                        new RolloutState.Running(StoredRollout.NOW)));

        assertThat(incidents())
                .filteredOn(incident -> CANARY_FAILED.equals(incident.rollout()))
                .extracting(Incident::state)
                .containsExactly(IncidentViews.State.RESOLVED);
    }

    @Test
    void readsGroups() throws IOException {
        GroupWithComponents group = group();
        assertThat(group.group().state()).isInstanceOf(GroupState.Completed.class);
        assertThat(group.components()).hasSize(2);
        database.close();
        open(MORE_NAMES);
        assertThat(group().group().state())
                .isInstanceOfSatisfying(
                        GroupState.Paused.class,
                        paused ->
                                assertThat(paused.reason())
                                        .isEqualTo(GroupPauseReason.COMPONENT_REQUEST_REFUSED));
    }

    private GroupWithComponents group() {
        return new PostgresGroupViews(database.database()).find(GROUP).orElseThrow();
    }

    private List<Incident> incidents() {
        return new PostgresOperatorIncidentStore(database.database())
                .list(new IncidentViews.Query(null, null, "", null, null, ALL));
    }

    private RolloutState state(RolloutId id) {
        return views.find(id).orElseThrow().rollout().state();
    }

    private PauseReason pauseReason(RolloutId id) {
        return ((RolloutState.Paused) state(id)).reason();
    }
}
