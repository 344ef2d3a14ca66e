package drover.coordinator.api.incident;

import drover.coordinator.api.RolloutIdCallHelpers;
import drover.coordinator.engine.request.IncidentUpdateService;
import drover.coordinator.store.incident.IncidentViews;
import drover.coordinator.store.incident.IncidentViews.Incident;
import drover.incident.v1.AcknowledgeIncidentRequest;
import drover.incident.v1.AcknowledgeIncidentResponse;
import drover.incident.v1.GetIncidentRequest;
import drover.incident.v1.GetIncidentResponse;
import drover.incident.v1.IncidentServiceGrpc;
import drover.incident.v1.ListIncidentsRequest;
import drover.incident.v1.ListIncidentsResponse;
import drover.incident.v1.ResolveIncidentRequest;
import drover.incident.v1.ResolveIncidentResponse;
import drover.kit.grpc.AuthorizationInterceptor;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.UUID;

/** Incidents for operators: read, acknowledged and resolved at any replica. */
public final class IncidentGrpcService extends IncidentServiceGrpc.IncidentServiceImplBase {
    private final IncidentViews views;
    private final IncidentUpdateService service;

    /** A door that reads these, and answers there. */
    public IncidentGrpcService(IncidentViews views, IncidentUpdateService service) {
        this.views = views;
        this.service = service;
    }

    @Override
    public void listIncidents(
            ListIncidentsRequest request, StreamObserver<ListIncidentsResponse> out) {
        int size = IncidentProtos.parsePageSize(request);
        List<Incident> found =
                views.list(
                        IncidentProtos.toQuery(
                                request, size + 1)); // one more tells whether another page follows
        List<Incident> page = found.subList(0, Math.min(size, found.size()));
        ListIncidentsResponse.Builder response = ListIncidentsResponse.newBuilder();
        page.forEach(incident -> response.addIncidents(IncidentProtos.toIncident(incident)));
        if (found.size() > size) {
            response.setNextPageToken(page.getLast().id().toString());
        }
        RolloutIdCallHelpers.respond(out, response.build());
    }

    @Override
    public void getIncident(GetIncidentRequest request, StreamObserver<GetIncidentResponse> out) {
        String id = request.getIncidentId();
        Incident incident =
                views.find(parseId(id))
                        .orElseThrow(() -> IncidentUpdateService.notFoundRefusal(id));
        RolloutIdCallHelpers.respond(
                out,
                GetIncidentResponse.newBuilder()
                        .setIncident(IncidentProtos.toIncident(incident))
                        .build());
    }

    @Override
    public void acknowledgeIncident(
            AcknowledgeIncidentRequest request, StreamObserver<AcknowledgeIncidentResponse> out) {
        UUID id = parseId(request.getIncidentId());
        Incident incident =
                service.acknowledge(id, AuthorizationInterceptor.currentActor(), request.getNote());
        RolloutIdCallHelpers.respond(
                out,
                AcknowledgeIncidentResponse.newBuilder()
                        .setIncident(IncidentProtos.toIncident(incident))
                        .build());
    }

    @Override
    public void resolveIncident(
            ResolveIncidentRequest request, StreamObserver<ResolveIncidentResponse> out) {
        UUID id = parseId(request.getIncidentId());
        Incident incident =
                service.resolve(id, AuthorizationInterceptor.currentActor(), request.getNote());
        RolloutIdCallHelpers.respond(
                out,
                ResolveIncidentResponse.newBuilder()
                        .setIncident(IncidentProtos.toIncident(incident))
                        .build());
    }

    private static UUID parseId(String text) {
        return IncidentProtos.parseUuid(text)
                .orElseThrow(() -> IncidentUpdateService.notFoundRefusal(text));
    }
}
