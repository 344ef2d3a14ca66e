package drover.coordinator.api;

import drover.coordinator.engine.NodeRequestDesk;
import drover.coordinator.store.IncidentStore;
import drover.coordinator.store.IncidentStore.Answered;
import drover.coordinator.store.IncidentStore.Incident;
import drover.incident.v1.AcknowledgeIncidentRequest;
import drover.incident.v1.AcknowledgeIncidentResponse;
import drover.incident.v1.GetIncidentRequest;
import drover.incident.v1.GetIncidentResponse;
import drover.incident.v1.IncidentServiceGrpc;
import drover.incident.v1.ListIncidentsRequest;
import drover.incident.v1.ListIncidentsResponse;
import drover.incident.v1.ResolveIncidentRequest;
import drover.incident.v1.ResolveIncidentResponse;
import drover.kit.grpc.Principals;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.UUID;

/** Incidents for operators: read, acknowledged and resolved at any replica. */
public final class IncidentDoor extends IncidentServiceGrpc.IncidentServiceImplBase {
    private final IncidentStore store;

    /** A door over these. */
    public IncidentDoor(IncidentStore store) {
        this.store = store;
    }

    @Override
    public void listIncidents(
            ListIncidentsRequest request, StreamObserver<ListIncidentsResponse> out) {
        int size = IncidentProtos.pageSize(request);
        List<Incident> found =
                store.list(
                        IncidentProtos.query(
                                request, size + 1)); // one more tells whether another page follows
        List<Incident> page = found.subList(0, Math.min(size, found.size()));
        ListIncidentsResponse.Builder response = ListIncidentsResponse.newBuilder();
        page.forEach(incident -> response.addIncidents(IncidentProtos.incident(incident)));
        if (found.size() > size) {
            response.setNextPageToken(page.getLast().id().toString());
        }
        RolloutDoor.answer(out, response.build());
    }

    @Override
    public void getIncident(GetIncidentRequest request, StreamObserver<GetIncidentResponse> out) {
        String id = request.getIncidentId();
        Incident incident = store.find(id(id)).orElseThrow(() -> unknown(id));
        RolloutDoor.answer(
                out,
                GetIncidentResponse.newBuilder()
                        .setIncident(IncidentProtos.incident(incident))
                        .build());
    }

    @Override
    public void acknowledgeIncident(
            AcknowledgeIncidentRequest request, StreamObserver<AcknowledgeIncidentResponse> out) {
        String id = request.getIncidentId();
        Answered answered = store.acknowledge(id(id), Principals.current(), request.getNote());
        RolloutDoor.answer(
                out,
                AcknowledgeIncidentResponse.newBuilder().setIncident(now(id, answered)).build());
    }

    @Override
    public void resolveIncident(
            ResolveIncidentRequest request, StreamObserver<ResolveIncidentResponse> out) {
        NodeRequestDesk.requireReason("note", request.getNote());
        String id = request.getIncidentId();
        Answered answered = store.resolve(id(id), Principals.current(), request.getNote());
        RolloutDoor.answer(
                out, ResolveIncidentResponse.newBuilder().setIncident(now(id, answered)).build());
    }

    private static drover.incident.v1.Incident now(String id, Answered answered) {
        return switch (answered) {
            case Answered.Done(Incident incident) -> IncidentProtos.incident(incident);
            case Answered.Unknown unknown -> throw unknown(id);
            case Answered.Over(Incident incident) ->
                    throw new Refused(
                            RefusalCode.INCIDENT_RESOLVED,
                            "Incident " + id + " is over already; a new one opens when it recurs.",
                            "incident_id");
        };
    }

    private static UUID id(String text) {
        return IncidentProtos.uuid(text).orElseThrow(() -> unknown(text));
    }

    private static Refused unknown(String id) {
        return new Refused(
                RefusalCode.INCIDENT_NOT_FOUND,
                "There is no incident " + id + "; look at 'drover incident list'.",
                "incident_id");
    }
}
