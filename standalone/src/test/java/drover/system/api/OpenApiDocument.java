package drover.system.api;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import drover.system.fixture.RestClient.Answer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The OpenAPI document as a mesh serves it, and what it has against requests and answers. */
final class OpenApiDocument {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(
                    SpecificationVersion.DRAFT_2020_12,
                    builder ->
                            builder.schemaRegistryConfig(
                                    SchemaRegistryConfig.builder()
                                            .formatAssertionsEnabled(true)
                                            .build()));

    private final JsonNode document;
    private final JsonNode closed;
    private final Map<String, Operation> operations = new LinkedHashMap<>();
    private final Map<String, Schema> schemas = new HashMap<>();

    /**
     * One operation.
     *
     * @param parameters with what they refer to in their place
     */
    record Operation(
            String id, String verb, String path, JsonNode content, List<JsonNode> parameters) {
        /** The names of its parameters of a place: {@code path}, {@code query}, {@code header}. */
        List<String> parameters(String place) {
            return parameters.stream()
                    .filter(parameter -> parameter.at("/in").asString().equals(place))
                    .map(parameter -> parameter.at("/name").asString())
                    .toList();
        }

        /** Whether every caller with this scope may call it. */
        boolean takes(String scope) {
            return content.at("/security")
                    .valueStream()
                    .anyMatch(one -> one.at("/bearer/0").asString("").equals(scope));
        }

        JsonNode bodySchema() {
            return content.at("/requestBody/content/application~1json/schema");
        }

        boolean isStream() {
            return content.at("/responses/200/content").has("text/event-stream");
        }
    }

    private OpenApiDocument(JsonNode document) {
        this.document = document;
        this.closed = withoutExtensibility(document);
        document.get("paths")
                .properties()
                .forEach(
                        path ->
                                path.getValue()
                                        .properties()
                                        .forEach(
                                                verb -> {
                                                    Operation operation =
                                                            operation(
                                                                    verb.getKey(),
                                                                    path.getKey(),
                                                                    verb.getValue());
                                                    operations.put(operation.id(), operation);
                                                }));
    }

    static OpenApiDocument of(JsonNode document) {
        return new OpenApiDocument(document);
    }

    private Operation operation(String verb, String path, JsonNode reported) {
        List<JsonNode> parameters = new ArrayList<>();
        reported.path("parameters").forEach(parameter -> parameters.add(resolved(parameter)));
        return new Operation(
                reported.at("/operationId").asString(),
                verb,
                path,
                reported,
                List.copyOf(parameters));
    }

    List<Operation> operations() {
        return List.copyOf(operations.values());
    }

    Operation operation(String id) {
        return Objects.requireNonNull(operations.get(id), id);
    }

    /** What it refers to, or itself. */
    JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? document.at(node.get("$ref").asString().substring(1)) : node;
    }

    /** What the document has against a body that a caller sends. */
    List<String> against(Operation operation, JsonNode body) {
        if (operation.bodySchema().isMissingNode()) {
            return body.isEmpty() ? List.of() : List.of("it takes no body");
        }
        return against(operation.bodySchema(), document, body);
    }

    /** What the document has against an answer, which may hold nothing that it does not know. */
    List<String> against(Operation operation, Answer answer) {
        JsonNode responses = operation.content().get("responses");
        String status = Integer.toString(answer.status());
        JsonNode response =
                responses.has(status) || answer.status() < 400
                        ? responses.path(status)
                        : responses.path("default");
        if (response.isMissingNode()) {
            return List.of("it does not name the status " + status);
        }
        JsonNode content = resolved(response).path("content").path(answer.type());
        if (content.isMissingNode()) {
            return List.of("it does not name the type " + answer.type() + " of " + status);
        }
        JsonNode schema =
                operation.isStream() && answer.status() == 200
                        ? content.get("x-event-data")
                        : content.get("schema");
        return against(schema, closed, answer.body());
    }

    @SuppressWarnings("ReferenceEquality") // which of the two documents it is
    private List<String> against(JsonNode schema, JsonNode home, JsonNode value) {
        ObjectNode whole = JSON.createObjectNode();
        whole.putArray("allOf").add(schema);
        whole.set("components", home.get("components"));
        return schemas
                .computeIfAbsent(
                        (home == closed) + schema.toString(), _ -> REGISTRY.getSchema(whole))
                .validate(value)
                .stream()
                .map(Object::toString)
                .toList();
    }

    /** The same document, by which a field that no schema names is a mistake. */
    private static JsonNode withoutExtensibility(JsonNode document) {
        JsonNode copy = document.deepCopy();
        for (JsonNode schema : copy.at("/components/schemas")) {
            if (schema.has("properties")) {
                ((ObjectNode) schema).put("additionalProperties", false);
            }
        }
        return copy;
    }
}
