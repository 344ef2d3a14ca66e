package drover.coordinator.api.incident;

import drover.coordinator.api.GrpcCalls;
import drover.coordinator.api.rollout.RolloutProtos;
import drover.coordinator.engine.create.FieldParser;
import drover.coordinator.store.incident.IncidentViews;
import drover.coordinator.store.incident.IncidentViews.Note;
import drover.coordinator.store.incident.IncidentViews.Query;
import drover.coordinator.store.incident.IncidentViews.State;
import drover.incident.v1.Incident;
import drover.incident.v1.IncidentCategory;
import drover.incident.v1.IncidentSeverity;
import drover.incident.v1.IncidentState;
import drover.incident.v1.ListIncidentsRequest;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Incidents as the contracts say them. */
final class IncidentProtos {
    private static final int DEFAULT_PAGE = 100;
    private static final int MOST = 1_000;

    private IncidentProtos() {}

    static Incident incident(IncidentViews.Incident incident) {
        Incident.Builder proto =
                Incident.newBuilder()
                        .setId(incident.id().toString())
                        .setCategory(category(incident.category()))
                        .setSeverity(severity(incident.severity()))
                        .setState(state(incident.state()))
                        .setNodeId(incident.node().value())
                        .setCode(incident.because().code())
                        .setSentence(incident.because().sentence())
                        .setRecoveryPlan(incident.recoveryPlan())
                        .setOpenedAt(RolloutProtos.time(incident.openedAt()));
        RolloutId rollout = incident.rollout();
        if (rollout != null) {
            proto.setRolloutId(rollout.value());
        }
        setNotes(proto, incident.acknowledged(), incident.resolved());
        return proto.build();
    }

    /** What a later version opened says nothing here; its code and its sentence tell of it. */
    private static IncidentCategory category(
            drover.coordinator.plan.incident.IncidentCategory category) {
        return category == drover.coordinator.plan.incident.IncidentCategory.UNKNOWN
                ? IncidentCategory.INCIDENT_CATEGORY_UNSPECIFIED
                : IncidentCategory.valueOf("INCIDENT_CATEGORY_" + category.name());
    }

    private static IncidentSeverity severity(
            drover.coordinator.plan.incident.IncidentSeverity severity) {
        return severity == drover.coordinator.plan.incident.IncidentSeverity.UNKNOWN
                ? IncidentSeverity.INCIDENT_SEVERITY_UNSPECIFIED
                : IncidentSeverity.valueOf("INCIDENT_SEVERITY_" + severity.name());
    }

    private static IncidentState state(State state) {
        return switch (state) {
            case OPEN -> IncidentState.INCIDENT_STATE_OPEN;
            case ACKNOWLEDGED -> IncidentState.INCIDENT_STATE_ACKNOWLEDGED;
            case RESOLVED -> IncidentState.INCIDENT_STATE_RESOLVED;
            case UNKNOWN -> IncidentState.INCIDENT_STATE_UNSPECIFIED;
        };
    }

    private static void setNotes(
            Incident.Builder proto, @Nullable Note acknowledged, @Nullable Note resolved) {
        if (acknowledged != null) {
            proto.setAcknowledgedBy(acknowledged.by())
                    .setAcknowledgedAt(RolloutProtos.time(acknowledged.at()))
                    .setNote(acknowledged.text());
        }
        if (resolved != null) {
            proto.setResolvedBy(resolved.by())
                    .setResolvedAt(RolloutProtos.time(resolved.at()))
                    .setResolution(resolved.text());
        }
    }

    static int pageSize(ListIncidentsRequest request) {
        int size = request.getPageSize();
        if (size < 0 || size > MOST) {
            throw invalid("page_size", "page_size is 1 to " + MOST + ".");
        }
        return size == 0 ? DEFAULT_PAGE : size;
    }

    static Query query(ListIncidentsRequest request, int limit) {
        if (!request.getNodeId().isEmpty()) {
            FieldParser.parse("node_id", request.getNodeId(), NodeId::new);
        }
        return new Query(
                state(request),
                category(request),
                request.getNodeId(),
                rollout(request.getRolloutId()),
                token(request.getPageToken()),
                limit);
    }

    private static @Nullable State state(ListIncidentsRequest request) {
        return switch (request.getState()) {
            case INCIDENT_STATE_UNSPECIFIED -> null;
            case INCIDENT_STATE_OPEN -> State.OPEN;
            case INCIDENT_STATE_ACKNOWLEDGED -> State.ACKNOWLEDGED;
            case INCIDENT_STATE_RESOLVED -> State.RESOLVED;
            case UNRECOGNIZED ->
                    throw invalid("state", "There is no such state; leave it out to see all.");
        };
    }

    private static drover.coordinator.plan.incident.@Nullable IncidentCategory category(
            ListIncidentsRequest request) {
        IncidentCategory category = request.getCategory();
        if (category == IncidentCategory.UNRECOGNIZED) {
            throw invalid("category", "There is no such category; leave it out to see all.");
        }
        return category == IncidentCategory.INCIDENT_CATEGORY_UNSPECIFIED
                ? null
                : drover.coordinator.plan.incident.IncidentCategory.valueOf(
                        category.name().substring("INCIDENT_CATEGORY_".length()));
    }

    private static @Nullable RolloutId rollout(String text) {
        if (text.isEmpty()) {
            return null;
        }
        RolloutId id = GrpcCalls.rolloutId(text);
        GrpcCalls.requireUuid(id);
        return id;
    }

    private static @Nullable UUID token(String text) {
        return text.isEmpty()
                ? null
                : uuid(text)
                        .orElseThrow(
                                () ->
                                        invalid(
                                                "page_token",
                                                "Give the next_page_token of an earlier answer as"
                                                        + " page_token."));
    }

    /** A UUID as they are written out; Java alone would read less. */
    static Optional<UUID> uuid(String text) {
        try {
            UUID id = UUID.fromString(text);
            return id.toString().equals(text) ? Optional.of(id) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Refused invalid(String field, String sentence) {
        return new Refused(RefusalCode.INVALID_FIELD, sentence, field);
    }
}
