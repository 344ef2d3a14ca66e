package drover.kit.rest.openapi;

import drover.error.v1.ErrorReason;
import drover.kit.rest.ProblemDetails;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What many operations share, beside the schemas of messages. */
final class OpenApiComponents {
    static final String SECURITY = "bearer";
    static final String PROBLEM = "Problem";
    static final String IDEMPOTENCY_KEY = "IdempotencyKey";
    static final String LAST_EVENT_ID = "LastEventId";

    private OpenApiComponents() {}

    /** All of them; called last, when every schema is known. */
    static ObjectNode build(OpenApiSchemas schemas) {
        schemas.add(PROBLEM, problemSchema(schemas));
        ObjectNode components = JsonNodes.object();
        components.set("schemas", schemas.components());
        components.putObject("responses").set(PROBLEM, problemResponse());
        ObjectNode parameters = components.putObject("parameters");
        parameters.set(IDEMPOTENCY_KEY, idempotencyKey());
        parameters.set(LAST_EVENT_ID, lastEventId());
        components
                .putObject("securitySchemes")
                .putObject(SECURITY)
                .put("type", "http")
                .put("scheme", "bearer")
                .put(
                        "description",
                        "An API key, or a token of the identity provider. Each operation names the"
                                + " scope that it needs.");
        return components;
    }

    private static ObjectNode problemResponse() {
        ObjectNode refusal =
                JsonNodes.object(
                        "description",
                        "Refused or failed. `reason` is stable and made for programs, `detail` is"
                                + " one sentence for people. Nothing is half done.");
        refusal.set(
                "content",
                JsonNodes.content(
                        ProblemDetails.CONTENT_TYPE, JsonNodes.reference("schemas/" + PROBLEM)));
        return refusal;
    }

    private static ObjectNode problemSchema(OpenApiSchemas schemas) {
        ObjectNode problem =
                JsonNodes.object("type", "object")
                        .put("description", "Why a call was refused or failed, by RFC 9457.");
        ObjectNode properties = problem.putObject("properties");
        addTextProperty(properties, "type", "`urn:drover:reason:` and the reason in lower case.")
                .put("format", "uri");
        addTextProperty(properties, "title", "The reason in words.");
        properties
                .putObject("status")
                .put("type", "integer")
                .put("description", "The status of the answer.");
        addTextProperty(
                properties, "detail", "One sentence that says what is wrong and what to do.");
        properties.set("reason", reasonSchema(schemas));
        addTextProperty(
                properties, "field", "The field concerned, as a path; absent when none is.");
        addTextProperty(properties, "instance", "The path of the call.");
        problem.set(
                "required",
                JsonNodes.texts(
                        List.of("type", "title", "status", "detail", "reason", "instance")));
        return problem;
    }

    private static ObjectNode reasonSchema(OpenApiSchemas schemas) {
        ObjectNode reason = JsonNodes.object("description", "Stable: never renamed, never reused.");
        ArrayNode either = reason.putArray("anyOf");
        either.add(schemas.addAndReference(ErrorReason.getDescriptor()));
        either.addObject()
                .put("const", ProblemDetails.NOT_READY)
                .put("description", "Drover is starting or stopping; try again in a second.");
        return reason;
    }

    private static ObjectNode addTextProperty(
            ObjectNode properties, String name, String description) {
        return properties.putObject(name).put("type", "string").put("description", description);
    }

    private static ObjectNode idempotencyKey() {
        ObjectNode header =
                JsonNodes.object("name", "Idempotency-Key")
                        .put("in", "header")
                        .put("required", false)
                        .put(
                                "description",
                                "Makes a repeated call safe: the same key of the same caller"
                                        + " answers with what became of the first call and changes"
                                        + " nothing. With another request it is refused"
                                        + " (`IDEMPOTENCY_KEY_REUSED`).");
        header.putObject("schema")
                .put("type", "string")
                .put("pattern", "^[!-~]+$")
                .put("maxLength", 200);
        return header;
    }

    private static ObjectNode lastEventId() {
        ObjectNode header =
                JsonNodes.object("name", "Last-Event-ID")
                        .put("in", "header")
                        .put("required", false)
                        .put(
                                "description",
                                "Id of the last event that was seen; browsers send it by"
                                        + " themselves when they come back.");
        header.putObject("schema").put("type", "string");
        return header;
    }
}
