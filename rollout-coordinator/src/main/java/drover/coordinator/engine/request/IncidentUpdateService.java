package drover.coordinator.engine.request;

import drover.coordinator.store.incident.IncidentViews.Incident;
import drover.coordinator.store.incident.OperatorIncidentStore;
import drover.coordinator.store.incident.OperatorIncidentStore.UpdateResult;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.UUID;

/** Takes people's answers to incidents, at any replica. */
public final class IncidentUpdateService {
    private final OperatorIncidentStore store;

    /** A desk over the table of incidents. */
    public IncidentUpdateService(OperatorIncidentStore store) {
        this.store = store;
    }

    /**
     * Somebody looks after it.
     *
     * @throws Refused when there is no such incident, or it is over
     */
    public Incident acknowledge(UUID id, String actor, String note) {
        return requireIncident(id, store.acknowledge(id, actor, note));
    }

    /**
     * A person says that it is over.
     *
     * @param note why; refused when it is blank
     * @throws Refused when there is no such incident, or it is over already
     */
    public Incident resolve(UUID id, String actor, String note) {
        OperatorNodeRequestSubmitter.requireReason("note", note);
        return requireIncident(id, store.resolve(id, actor, note));
    }

    private static Incident requireIncident(UUID id, UpdateResult answered) {
        return switch (answered) {
            case UpdateResult.Done(Incident incident) -> incident;
            case UpdateResult.NotFound unknown -> throw notFoundRefusal(id.toString());
            case UpdateResult.AlreadyResolved(Incident incident) ->
                    throw new Refused(
                            RefusalCode.INCIDENT_RESOLVED,
                            "Incident " + id + " is over already; a new one opens when it recurs.",
                            "incident_id");
        };
    }

    /** The refusal of an id that no incident has. */
    public static Refused notFoundRefusal(String id) {
        return new Refused(
                RefusalCode.INCIDENT_NOT_FOUND,
                "There is no incident " + id + "; look at 'drover incident list'.",
                "incident_id");
    }
}
