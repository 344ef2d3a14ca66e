package drover.coordinator.api.incident;

import static drover.coordinator.api.ApiFixture.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.api.ApiFixture;
import drover.coordinator.api.rollout.RolloutProtos;
import drover.incident.v1.AcknowledgeIncidentRequest;
import drover.incident.v1.GetIncidentRequest;
import drover.incident.v1.Incident;
import drover.incident.v1.IncidentCategory;
import drover.incident.v1.IncidentState;
import drover.incident.v1.ListIncidentsRequest;
import drover.incident.v1.ListIncidentsResponse;
import drover.incident.v1.ResolveIncidentRequest;
import drover.model.RefusalCode;
import drover.rollout.v1.HoldNodeRequest;
import drover.rollout.v1.OnFailure;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.ScheduleStatus;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IncidentGrpcServiceIT {
    @AutoClose private ApiFixture rig;

    @BeforeEach
    void openServers() {
        rig = new ApiFixture();
        rig.database.run(
                "INSERT INTO incident (category, severity, node_id, code, sentence, opened_at)"
                        + " SELECT 'drift', 'warning', 'demo-0000' || n, 'DRIFT', 'The file changed.',"
                        + " now() - n * interval '1 hour' FROM generate_series(1, 3) n");
    }

    private ListIncidentsResponse list(ListIncidentsRequest.Builder request) {
        return rig.incidents().listIncidents(request.build());
    }

    private Incident newest() {
        return list(ListIncidentsRequest.newBuilder()).getIncidents(0);
    }

    private void acknowledge(String id) {
        rig.incidents()
                .acknowledgeIncident(
                        AcknowledgeIncidentRequest.newBuilder()
                                .setIncidentId(id)
                                .setNote("I look at it")
                                .build());
    }

    private void resolve(String id, String note) {
        rig.incidents()
                .resolveIncident(
                        ResolveIncidentRequest.newBuilder()
                                .setIncidentId(id)
                                .setNote(note)
                                .build());
    }

    @Test
    void listsNewestFirstPageByPage() {
        ListIncidentsResponse first = list(ListIncidentsRequest.newBuilder().setPageSize(2));
        ListIncidentsResponse second =
                list(
                        ListIncidentsRequest.newBuilder()
                                .setPageSize(2)
                                .setPageToken(first.getNextPageToken()));

        assertThat(first.getIncidentsList())
                .extracting(Incident::getNodeId)
                .containsExactly("demo-00001", "demo-00002");
        assertThat(second.getIncidentsList())
                .extracting(Incident::getNodeId)
                .containsExactly("demo-00003");
        assertThat(second.getNextPageToken()).isEmpty();
    }

    @Test
    void aPersonAcknowledgesAndResolvesWithANote() {
        String id = newest().getId();
        acknowledge(id);
        assertThat(newest().getState()).isEqualTo(IncidentState.INCIDENT_STATE_ACKNOWLEDGED);
        resolve(id, "put right");

        Incident now =
                rig.incidents()
                        .getIncident(GetIncidentRequest.newBuilder().setIncidentId(id).build())
                        .getIncident();
        assertThat(now.getState()).isEqualTo(IncidentState.INCIDENT_STATE_RESOLVED);
        assertThat(now.getNote()).isEqualTo("I look at it");
        assertThat(now.getResolution()).isEqualTo("put right");
        assertThat(now.getResolvedBy()).isNotEmpty();
        assertThat(
                        list(ListIncidentsRequest.newBuilder()
                                        .setState(IncidentState.INCIDENT_STATE_OPEN)
                                        .setCategory(IncidentCategory.INCIDENT_CATEGORY_DRIFT))
                                .getIncidentsList())
                .hasSize(2);
    }

    @Test
    void refusesWhatMakesNoSense() {
        String id = newest().getId();
        assertRefused(() -> resolve(id, " "), RefusalCode.MISSING_FIELD, "note");
        resolve(id, "put right");
        assertRefused(() -> acknowledge(id), RefusalCode.INCIDENT_RESOLVED, "incident_id");
        assertRefused(
                () -> resolve("nonsense", "x"), RefusalCode.INCIDENT_NOT_FOUND, "incident_id");
        assertRefused(
                () -> list(ListIncidentsRequest.newBuilder().setPageSize(1_001)),
                RefusalCode.INVALID_FIELD,
                "page_size");
        assertRefused(
                () -> list(ListIncidentsRequest.newBuilder().setPageToken("x")),
                RefusalCode.INVALID_FIELD,
                "page_token");
        assertRefused(
                () -> list(ListIncidentsRequest.newBuilder().setStateValue(77)),
                RefusalCode.INVALID_FIELD,
                "state");
    }

    @Test
    void rolloutShowsItsFailurePolicyAndDeadline() {
        rig.chain("demo", 2);
        com.google.protobuf.Timestamp later =
                RolloutProtos.toTimestamp(java.time.Instant.now().plusSeconds(86_400));

        Rollout rollout =
                rig.create(
                        ApiFixture.byHand("demo")
                                .setOnFailure(OnFailure.ON_FAILURE_ROLLBACK)
                                .setFinishBy(later));

        assertThat(rollout.getOnFailure()).isEqualTo(OnFailure.ON_FAILURE_ROLLBACK);
        assertThat(rollout.getFinishBy()).isEqualTo(later);
        assertThat(rollout.getScheduleStatus()).isEqualTo(ScheduleStatus.SCHEDULE_STATUS_UNKNOWN);
        assertRefused(
                () ->
                        rig.create(
                                ApiFixture.byHand("demo")
                                        .setFinishBy(
                                                RolloutProtos.toTimestamp(
                                                        java.time.Instant.EPOCH))),
                RefusalCode.INVALID_FIELD,
                "finish_by");
    }

    @Test
    void aHoldNeedsAReasonAndAnEndThatIsNear() {
        rig.chain("demo", 2);
        String id = rig.create(ApiFixture.byHand("demo")).getId();
        HoldNodeRequest.Builder hold =
                HoldNodeRequest.newBuilder()
                        .setRolloutId(id)
                        .setNodeId(ApiFixture.id("demo", 1).value());

        assertRefused(
                () -> rig.operator().holdNode(hold.build()), RefusalCode.MISSING_FIELD, "reason");
        assertRefused(
                () ->
                        rig.operator()
                                .holdNode(
                                        hold.clone()
                                                .setReason("disk")
                                                .setUntil(
                                                        RolloutProtos.toTimestamp(
                                                                java.time.Instant.EPOCH))
                                                .build()),
                RefusalCode.INVALID_FIELD,
                "until");
        assertThat(rig.operator().holdNode(hold.setReason("disk").build()).getRequest().getId())
                .isNotEmpty(); // nobody leads here, so it waits
    }
}
