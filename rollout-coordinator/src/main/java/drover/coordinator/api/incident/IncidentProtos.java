package drover.coordinator.api.incident;

import drover.coordinator.api.PageSizeParser;
import drover.coordinator.api.RolloutIdCallHelpers;
import drover.coordinator.api.rollout.RolloutProtos;
import drover.coordinator.engine.create.RefusingFieldParser;
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

    static Incident toIncident(IncidentViews.Incident incident) {
        Incident.Builder proto =
                Incident.newBuilder()
                        .setId(incident.id().toString())
                        .setCategory(toCategory(incident.category()))
                        .setSeverity(toSeverity(incident.severity()))
                        .setState(toState(incident.state()))
                        .setNodeId(incident.node().value())
                        .setCode(incident.because().code())
                        .setSentence(incident.because().sentence())
                        .setRecoveryPlan(incident.recoveryPlan())
                        .setOpenedAt(RolloutProtos.toTimestamp(incident.openedAt()));
        RolloutId rollout = incident.rollout();
        if (rollout != null) {
            proto.setRolloutId(rollout.value());
        }
        setNotes(proto, incident.acknowledged(), incident.resolved());
        return proto.build();
    }

    /** What a later version opened says nothing here; its code and its sentence tell of it. */
    private static IncidentCategory toCategory(
            drover.coordinator.plan.incident.IncidentCategory category) {
        return category == drover.coordinator.plan.incident.IncidentCategory.UNKNOWN
                ? IncidentCategory.INCIDENT_CATEGORY_UNSPECIFIED
                : IncidentCategory.valueOf("INCIDENT_CATEGORY_" + category.name());
    }

    private static IncidentSeverity toSeverity(
            drover.coordinator.plan.incident.IncidentSeverity severity) {
        return severity == drover.coordinator.plan.incident.IncidentSeverity.UNKNOWN
                ? IncidentSeverity.INCIDENT_SEVERITY_UNSPECIFIED
                : IncidentSeverity.valueOf("INCIDENT_SEVERITY_" + severity.name());
    }

    private static IncidentState toState(State state) {
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
                    .setAcknowledgedAt(RolloutProtos.toTimestamp(acknowledged.at()))
                    .setNote(acknowledged.text());
        }
        if (resolved != null) {
            proto.setResolvedBy(resolved.by())
                    .setResolvedAt(RolloutProtos.toTimestamp(resolved.at()))
                    .setResolution(resolved.text());
        }
    }

    static int parsePageSize(ListIncidentsRequest request) {
        return PageSizeParser.parse("page_size", request.getPageSize(), DEFAULT_PAGE, MOST);
    }

    static Query toQuery(ListIncidentsRequest request, int limit) {
        if (!request.getNodeId().isEmpty()) {
            RefusingFieldParser.parse("node_id", request.getNodeId(), NodeId::new);
        }
        return new Query(
                toState(request),
                toCategory(request),
                request.getNodeId(),
                parseRolloutId(request.getRolloutId()),
                parsePageToken(request.getPageToken()),
                limit);
    }

    private static @Nullable State toState(ListIncidentsRequest request) {
        return switch (request.getState()) {
            case INCIDENT_STATE_UNSPECIFIED -> null;
            case INCIDENT_STATE_OPEN -> State.OPEN;
            case INCIDENT_STATE_ACKNOWLEDGED -> State.ACKNOWLEDGED;
            case INCIDENT_STATE_RESOLVED -> State.RESOLVED;
            case UNRECOGNIZED ->
                    throw invalidFieldRefusal(
                            "state", "There is no such state; leave it out to see all.");
        };
    }

    private static drover.coordinator.plan.incident.@Nullable IncidentCategory toCategory(
            ListIncidentsRequest request) {
        IncidentCategory category = request.getCategory();
        if (category == IncidentCategory.UNRECOGNIZED) {
            throw invalidFieldRefusal(
                    "category", "There is no such category; leave it out to see all.");
        }
        return category == IncidentCategory.INCIDENT_CATEGORY_UNSPECIFIED
                ? null
                : drover.coordinator.plan.incident.IncidentCategory.valueOf(
                        category.name().substring("INCIDENT_CATEGORY_".length()));
    }

    private static @Nullable RolloutId parseRolloutId(String text) {
        if (text.isEmpty()) {
            return null;
        }
        RolloutId id = RolloutIdCallHelpers.parseRolloutId(text);
        RolloutIdCallHelpers.requireUuid(id);
        return id;
    }

    private static @Nullable UUID parsePageToken(String text) {
        return text.isEmpty()
                ? null
                : parseUuid(text)
                        .orElseThrow(
                                () ->
                                        invalidFieldRefusal(
                                                "page_token",
                                                "Give the next_page_token of an earlier answer as"
                                                        + " page_token."));
    }

    /** A UUID as they are written out; Java alone would read less. */
    static Optional<UUID> parseUuid(String text) {
        try {
            UUID id = UUID.fromString(text);
            return id.toString().equals(text) ? Optional.of(id) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Refused invalidFieldRefusal(String field, String sentence) {
        return new Refused(RefusalCode.INVALID_FIELD, sentence, field);
    }
}
