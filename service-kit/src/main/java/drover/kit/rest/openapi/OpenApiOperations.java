package drover.kit.rest.openapi;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.MethodDescriptor;
import drover.api.v1.Options;
import drover.kit.access.AccessRequirement;
import drover.kit.access.AccessTable;
import drover.kit.access.Scope;
import drover.kit.rest.Route;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What a caller of one route sends and is told. */
final class OpenApiOperations {
    private final ProtoComments comments;
    private final AccessTable access;
    private final OpenApiSchemas schemas;

    OpenApiOperations(ProtoComments comments, AccessTable access, OpenApiSchemas schemas) {
        this.comments = comments;
        this.access = access;
        this.schemas = schemas;
    }

    /** The name of a route's operation: {@code RolloutService_PauseRollout}. */
    static String operationId(Route route) {
        return route.method().getService().getName() + "_" + route.method().getName();
    }

    ObjectNode operationFor(Route route) {
        MethodDescriptor method = route.method();
        String text = comments.of(method);
        ObjectNode operation = JsonNodes.object("operationId", operationId(route));
        operation.putArray("tags").add(method.getService().getName());
        operation.put("summary", ProtoComments.firstSentence(text));
        ArrayNode security = JsonNodes.array();
        switch (rule(method)) {
            case AccessRequirement.Public() -> operation.put("description", text);
            case AccessRequirement.RequiresScope needs -> {
                operation.put("description", text + "\n\nScope: " + needs.displayName() + ".");
                for (Scope scope : needs.oneOf()) { // each of them lets in
                    security.addObject().putArray(OpenApiComponents.SECURITY).add(scope.wireName());
                }
            }
        }
        operation.set("security", security);
        ArrayNode parameters = parameters(route);
        if (!parameters.isEmpty()) {
            operation.set("parameters", parameters);
        }
        if (route.takesBody()) {
            operation.set("requestBody", requestBody(route));
        }
        operation.set("responses", responses(route));
        return operation;
    }

    private AccessRequirement rule(MethodDescriptor method) {
        String name = method.getService().getFullName() + "/" + method.getName();
        AccessRequirement rule = access.rows().get(name);
        if (rule == null) {
            throw new IllegalArgumentException(name + " has no row in the access table");
        }
        return rule;
    }

    private ArrayNode parameters(Route route) {
        ArrayNode parameters = JsonNodes.array();
        List<FieldDescriptor> inPath = route.pathFields();
        inPath.forEach(field -> parameters.add(parameter(field, "path").put("required", true)));
        if (!route.takesBody()) {
            route.method().getInputType().getFields().stream()
                    .filter(field -> !inPath.contains(field) && fitsIntoAQuery(field))
                    .forEach(
                            field -> {
                                boolean required = OpenApiSchemas.mustBeSent(field);
                                parameters.add(parameter(field, "query").put("required", required));
                            });
        }
        if (route.method().getOptions().getExtension(Options.idempotencyKey)) {
            parameters.add(JsonNodes.reference("parameters/" + OpenApiComponents.IDEMPOTENCY_KEY));
        }
        if (route.isStream()) {
            parameters.add(JsonNodes.reference("parameters/" + OpenApiComponents.LAST_EVENT_ID));
        }
        return parameters;
    }

    private ObjectNode parameter(FieldDescriptor field, String place) {
        ObjectNode parameter = JsonNodes.object("name", field.getName()).put("in", place);
        ObjectNode schema = schemas.fieldSchema(field);
        schema.remove("description"); // the parameter has it
        JsonNodes.addDescription(parameter, comments.of(field)).set("schema", schema);
        return parameter;
    }

    /** Objects have no form in an address, except those that are one text. */
    private static boolean fitsIntoAQuery(FieldDescriptor field) {
        return field.getJavaType() != JavaType.MESSAGE
                || field.getMessageType().getFullName().startsWith("google.protobuf.");
    }

    /** No body at all is taken for an empty object. */
    private ObjectNode requestBody(Route route) {
        boolean required =
                MessageUsage.bodyType(route).getFields().stream()
                        .anyMatch(
                                field ->
                                        OpenApiSchemas.mustBeSent(field)
                                                && !route.pathFields().contains(field));
        ObjectNode schema = schemas.addAndReference(MessageUsage.bodyType(route));
        ObjectNode body = JsonNodes.object().put("required", required);
        body.set("content", JsonNodes.content("application/json", schema));
        return body;
    }

    private ObjectNode responses(Route route) {
        ObjectNode responses = JsonNodes.object();
        for (int status : route.successStatuses()) {
            responses.set(Integer.toString(status), response(route, status));
        }
        responses.set("default", JsonNodes.reference("responses/" + OpenApiComponents.PROBLEM));
        return responses;
    }

    private ObjectNode response(Route route, int status) {
        ObjectNode answer = JsonNodes.object("description", description(route, status));
        if (status == 201) {
            ObjectNode location = answer.putObject("headers").putObject("Location");
            location.put("description", "Where it is shown, when it is shown by itself.");
            location.putObject("schema").put("type", "string").put("format", "uri-reference");
        }
        answer.set("content", route.isStream() ? eventContent(route) : jsonContent(route));
        return answer;
    }

    private String description(Route route, int status) {
        return switch (status) {
            case 201 -> "It is made.";
            case 202 -> "The request is written down and not decided yet; look again.";
            default ->
                    route.isStream()
                            ? "Server-sent events, each with its `id` and, as `event`, its type;"
                                    + " the `data` is one line of JSON. Comments are signs of life."
                            : comments.of(route.method().getOutputType());
        };
    }

    private ObjectNode jsonContent(Route route) {
        return JsonNodes.content(
                route.contentType(), schemas.addAndReference(route.method().getOutputType()));
    }

    /**
     * OpenAPI 3.1 has no schema for the parts of a stream, so an extension names that of the data.
     */
    private ObjectNode eventContent(Route route) {
        FieldDescriptor event = route.method().getOutputType().findFieldByNumber(1);
        ObjectNode content =
                JsonNodes.content(route.contentType(), JsonNodes.object("type", "string"));
        ((ObjectNode) content.get(route.contentType()))
                .set("x-event-data", schemas.addAndReference(event.getMessageType()));
        return content;
    }
}
