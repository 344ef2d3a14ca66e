package drover.kit.rest;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A refusal as REST sends it: RFC 9457, {@code application/problem+json}.
 *
 * @param field the field concerned; empty when none is
 * @param instance path of the call
 */
public record ProblemDetails(
        int status, String reason, String detail, String field, String instance) {
    /** The type of its body. */
    public static final String CONTENT_TYPE = "application/problem+json";

    /**
     * The reason while the service behind the door is starting or stopping. No gRPC status of
     * Drover carries it: it means that there was nobody to send one.
     */
    public static final String NOT_READY = "NOT_READY";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    static ProblemDetails of(Refused refused, String instance) {
        return new ProblemDetails(
                statusOf(refused.code()),
                refused.code().name(),
                refused.sentence(),
                refused.field(),
                instance);
    }

    /** The same with the status that HTTP has for exactly this. */
    ProblemDetails withStatus(int other) {
        return new ProblemDetails(other, reason, detail, field, instance);
    }

    static ProblemDetails notReady(String detail, String instance) {
        return new ProblemDetails(503, NOT_READY, detail, "", instance);
    }

    HttpResponse toResponse() {
        ObjectNode body = JSON.createObjectNode();
        body.put("type", "urn:drover:reason:" + reason.toLowerCase(Locale.ROOT));
        body.put("title", title());
        body.put("status", status);
        body.put("detail", detail);
        body.put("reason", reason);
        if (!field.isEmpty()) {
            body.put("field", field);
        }
        body.put("instance", instance);
        HttpResponse response =
                HttpResponse.of(status, CONTENT_TYPE, JSON.writeValueAsString(body));
        return switch (status) {
            case 401 -> response.with("WWW-Authenticate", "Bearer");
            case 429, 503 -> response.with("Retry-After", Integer.toString(Refused.RETRY_SECONDS));
            default -> response;
        };
    }

    /** The code in words: {@code CHAIN_BUSY} becomes {@code Chain busy}. */
    private String title() {
        String words = reason.toLowerCase(Locale.ROOT).replace('_', ' ');
        return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }

    private static int statusOf(RefusalCode code) {
        if (code == RefusalCode.BODY_TOO_LARGE) {
            return 413; // HTTP has a word of its own for this one
        }
        if (code == RefusalCode.MISDIRECTED) {
            return 421; // and for this one
        }
        return switch (code.kind()) {
            case INVALID_ARGUMENT -> 400;
            case UNAUTHENTICATED -> 401;
            case PERMISSION_DENIED -> 403;
            case NOT_FOUND -> 404;
            case UNIMPLEMENTED -> 405;
            case FAILED_PRECONDITION, ALREADY_EXISTS, ABORTED -> 409;
            case RESOURCE_EXHAUSTED -> 429;
            case INTERNAL -> 500;
            case UNAVAILABLE -> 503;
            case DEADLINE_EXCEEDED -> 504;
        };
    }
}
