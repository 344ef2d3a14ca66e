package drover.coordinator.api;

import static drover.coordinator.api.ApiFixture.assertRefused;
import static drover.coordinator.api.ApiFixture.byHand;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.group.RequestToComponent;
import drover.coordinator.store.group.StoredGroup;
import drover.coordinator.store.incident.IncidentViews.UnresolvedAndDegradingCounts;
import drover.coordinator.store.incident.PostgresOperatorIncidentStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.incident.v1.AcknowledgeIncidentRequest;
import drover.incident.v1.GetIncidentRequest;
import drover.incident.v1.Incident;
import drover.incident.v1.IncidentCategory;
import drover.incident.v1.IncidentSeverity;
import drover.incident.v1.IncidentState;
import drover.incident.v1.ListIncidentsRequest;
import drover.incident.v1.ResolveIncidentRequest;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.rollout.v1.PauseRolloutRequest;
import drover.rollout.v1.RequestState;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Words in the database that only a later version has, as operators of this one meet them. */
class NewerVersionRowsApiIT {
    @AutoClose private ApiFixture rig;

    @BeforeEach
    void openServers() {
        rig = new ApiFixture();
    }

    private void opened(String node, String category, String severity, String state) {
        rig.database.run(
                "INSERT INTO incident (category, severity, state, node_id, code, sentence,"
                        + " opened_at) VALUES (?, ?, ?, ?, 'TOO_WARM', 'It is too warm.', now())",
                category,
                severity,
                state,
                node);
    }

    private List<Incident> listed() {
        return rig.incidents()
                .listIncidents(ListIncidentsRequest.getDefaultInstance())
                .getIncidentsList();
    }

    private String idAt(String node) {
        return listed().stream()
                .filter(incident -> incident.getNodeId().equals(node))
                .findFirst()
                .orElseThrow()
                .getId();
    }

    @Test
    @DisplayName("C15: an incident of a later version hides no other, and is shown by what it says")
    void listsIncidentsOfALaterVersion() {
        opened("n1", "drift", "warning", "open");
        opened("n2", "melting", "catastrophic", "open");

        assertThat(listed())
                .extracting(
                        Incident::getNodeId,
                        Incident::getCategory,
                        Incident::getSeverity,
                        Incident::getSentence)
                .containsExactlyInAnyOrder(
                        tuple(
                                "n1",
                                IncidentCategory.INCIDENT_CATEGORY_DRIFT,
                                IncidentSeverity.INCIDENT_SEVERITY_WARNING,
                                "It is too warm."),
                        tuple(
                                "n2",
                                IncidentCategory.INCIDENT_CATEGORY_UNSPECIFIED,
                                IncidentSeverity.INCIDENT_SEVERITY_UNSPECIFIED,
                                "It is too warm."));
    }

    @Test
    @DisplayName("C15: people look after an incident of a later version, and say that it is over")
    void takesAnswersToIncidentsOfALaterVersion() {
        opened("n2", "melting", "catastrophic", "open");
        String id = idAt("n2");

        rig.incidents()
                .acknowledgeIncident(
                        AcknowledgeIncidentRequest.newBuilder().setIncidentId(id).build());
        rig.incidents()
                .resolveIncident(
                        ResolveIncidentRequest.newBuilder()
                                .setIncidentId(id)
                                .setNote("cooled")
                                .build());

        assertThat(listed())
                .singleElement()
                .extracting(Incident::getState, Incident::getResolution)
                .containsExactly(IncidentState.INCIDENT_STATE_RESOLVED, "cooled");
    }

    @Test
    @DisplayName("C15: one that stands where only a later version knows is shown, and left there")
    void leavesAnIncidentWhereALaterVersionPutIt() {
        opened("n1", "drift", "warning", "muted");
        String id = idAt("n1");

        assertThat(
                        rig.incidents()
                                .getIncident(
                                        GetIncidentRequest.newBuilder().setIncidentId(id).build())
                                .getIncident()
                                .getState())
                .isEqualTo(IncidentState.INCIDENT_STATE_UNSPECIFIED);
        assertRefused(
                () ->
                        rig.incidents()
                                .acknowledgeIncident(
                                        AcknowledgeIncidentRequest.newBuilder()
                                                .setIncidentId(id)
                                                .build()),
                RefusalCode.WRITTEN_BY_LATER_VERSION,
                "");
        assertThat(rig.database.texts("SELECT state FROM incident")).containsExactly("muted");
    }

    @Test
    @DisplayName("C15: an incident that nobody here knows is no sign that its node is well")
    void countsWhatItDoesNotKnowAsDegrading() {
        opened("n1", "melting", "catastrophic", "open");
        opened("n2", "melting", "warning", "open");
        opened("n3", "drift", "major", "open");
        Set<NodeId> nodes = Set.of(new NodeId("n1"), new NodeId("n2"), new NodeId("n3"));

        assertThat(
                        new PostgresOperatorIncidentStore(rig.database.database())
                                .countUnresolvedByNode(nodes))
                .containsEntry(new NodeId("n1"), new UnresolvedAndDegradingCounts(1, 1))
                .containsEntry(new NodeId("n2"), new UnresolvedAndDegradingCounts(1, 0))
                .containsEntry(new NodeId("n3"), new UnresolvedAndDegradingCounts(1, 0));
    }

    @Test
    @DisplayName("C15: a leader compares what it notices with the incidents that it knows alone")
    void leadersLeaveIncidentsOfALaterVersionAlone() {
        opened("n1", "drift", "catastrophic", "muted");
        opened("n2", "melting", "warning", "open");

        assertThat(
                        new PostgresLeaderStore(rig.database.database())
                                .incidents()
                                .findOpenWhileReported()
                                .keySet())
                .singleElement()
                .satisfies(one -> assertThat(one.node()).isEqualTo(new NodeId("n1")));
    }

    @Test
    @DisplayName("C15: whom a later leader refused hears its sentence, whatever its code")
    void reportsTheRefusalOfALaterVersion() {
        rig.chain("demo", 2);
        PauseRolloutRequest pause =
                PauseRolloutRequest.newBuilder()
                        .setRolloutId(rig.create(byHand("demo")).getId())
                        .build();
        assertThat(rig.operatorWithKey("k1").pauseRollout(pause).getRequest().getState())
                .as("nobody leads")
                .isEqualTo(RequestState.REQUEST_STATE_PENDING);
        rig.database.run(
                "UPDATE operator_request SET state = 'refused', refusal_code = 'TOO_WARM',"
                        + " refusal_sentence = 'It is too warm to pause.', decided_at = now()");

        assertRefused(
                () -> rig.operatorWithKey("k1").pauseRollout(pause),
                RefusalCode.WRITTEN_BY_LATER_VERSION,
                "");
        assertThatThrownBy(() -> rig.operatorWithKey("k1").pauseRollout(pause))
                .hasMessageContaining("It is too warm to pause.");
    }

    @Test
    @DisplayName("C15: a group whose component was refused so is loaded all the same")
    void loadsAGroupThatALaterVersionRefused() {
        GroupId group = StoredGroup.create(rig.database, Plan.rolling("demo", 2, 1));
        rig.database.run(
                "INSERT INTO operator_request (id, rollout_id, actor, idempotency_key, kind, reason,"
                        + " state, refusal_code, refusal_sentence, decided_at)"
                        + " SELECT gen_random_uuid(), id, ?, '0/1/Start', 'start', '', 'refused',"
                        + " 'TOO_WARM', 'It is too warm to start.', now()"
                        + " FROM rollout ORDER BY component_index LIMIT 1",
                RequestToComponent.groupActor(group));

        assertThat(
                        new PostgresLeaderStore(rig.database.database())
                                .groups()
                                .load(group)
                                .orElseThrow()
                                .requestStatuses())
                .containsEntry(
                        "0/1/Start",
                        new RequestToComponent.Status.Refused(
                                RefusalCode.WRITTEN_BY_LATER_VERSION, "It is too warm to start."));
    }
}
