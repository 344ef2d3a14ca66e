package drover.kit.rest.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.event.v1.EventServiceGrpc;
import drover.kit.access.AccessTable;
import drover.kit.access.Scope;
import drover.rollout.v1.RolloutServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What REST really does, as the document says it, over the contracts of rollouts and events. */
final class OpenApiTest {
    private static final List<ServiceDescriptor> SERVICES =
            List.of(
                    RolloutServiceGrpc.getServiceDescriptor(),
                    EventServiceGrpc.getServiceDescriptor());

    private final JsonNode document =
            JsonMapper.builder().build().readTree(OpenApiGenerator.generate(table(), SERVICES));

    private static AccessTable table() {
        AccessTable.Builder rows = AccessTable.builder();
        for (ServiceDescriptor service : SERVICES) {
            String[] methods =
                    service.getMethods().stream()
                            .map(MethodDescriptor::getBareMethodName)
                            .toArray(String[]::new);
            rows.require(Scope.ROLLOUTS_READ, service.getName(), methods);
        }
        return rows.build();
    }

    @Test
    void operationIsDescribedByItsContract() {
        JsonNode pause = operation("post", "/api/v1/rollouts/{rollout_id}/pause");
        assertThat(pause.at("/operationId").asString()).isEqualTo("RolloutService_PauseRollout");
        assertThat(pause.at("/summary").asString())
                .isEqualTo("Pauses: nothing more is dispatched, nodes that began finish.");
        assertThat(pause.at("/description").asString())
                .startsWith(
                        "Pauses: nothing more is dispatched, nodes that began finish.\n\nErrors: ")
                .endsWith("\n\nScope: rollouts:read.");
    }

    @Test
    void aBodyLeavesOutWhatThePathGivesAndTakesNothingUnknown() {
        JsonNode pause = schema("PauseRolloutRequest");
        assertThat(pause.at("/properties").propertyNames()).containsExactly("reason");
        assertThat(pause.at("/additionalProperties").isBoolean()).isTrue();
        JsonNode create = schema("CreateRolloutRequest");
        assertThat(create.at("/required").toString())
                .isEqualTo("[\"chain_profile_id\",\"strategy\"]");
        assertThat(body("/api/v1/rollouts").at("/required").asBoolean()).isTrue();
        assertThat(body("/api/v1/rollouts/{rollout_id}/pause").at("/required").asBoolean())
                .as("no body is an empty one")
                .isFalse();
    }

    @Test
    void aBodyMayBeOneFieldOfTheRequest() {
        assertThat(body("/api/v1/rollout-plans").findValuesAsString("$ref"))
                .containsExactly("#/components/schemas/CreateRolloutRequest");
    }

    @Test
    void anAnswerPromisesWhatIsAlwaysWrittenAndMayGrow() {
        JsonNode rollout = schema("Rollout");
        assertThat(rollout.at("/required").toString())
                .contains("\"total_nodes\"", "\"batches\"", "\"revision\"")
                .doesNotContain("\"id\"", "\"created_at\"", "\"status\"");
        assertThat(rollout.has("additionalProperties")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Rollout|revision|{\"type\":[\"integer\",\"string\"],\"format\":\"int64\",\"pattern\":\"^-?[0-9]+$\"}",
                "Rollout|failed_nodes|{\"type\":\"integer\",\"minimum\":0,\"maximum\":4294967295}",
                "Rollout|status|{\"$ref\":\"#/components/schemas/RolloutStatus\"}",
                "Rollout|created_at|{\"$ref\":\"#/components/schemas/Timestamp\"}",
                "Rollout|health_wait_duration|{\"$ref\":\"#/components/schemas/Duration\"}",
                "Rollout|batches|{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Batch\"}}",
                "CreateRolloutRequest|node_selector|{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}",
            })
    void aFieldHasTheFormThatRestReadsAndWrites(String message, String field, String form) {
        var property =
                (tools.jackson.databind.node.ObjectNode) schema(message).at("/properties/" + field);
        assertThat(property.remove("description").asString()).isNotBlank();
        assertThat(property.toString()).isEqualTo(form);
    }

    @Test
    void enumsHaveTheWordsOfRest() {
        assertThat(schema("RolloutStatus").at("/enum").toString())
                .contains("\"rolling_back\"")
                .doesNotContain("unspecified");
        assertThat(schema("RolloutStatus").at("/description").asString())
                .contains("- `rolling_back`: Bringing touched nodes back.");
        assertThat(schema("PauseReason").at("/enum").toString()).contains("\"FAILURE_THRESHOLD\"");
    }

    @Test
    void statusesAreThoseThatAreSent() {
        assertThat(statuses("post", "/api/v1/rollouts")).containsExactly("201", "default");
        assertThat(statuses("post", "/api/v1/rollouts/{rollout_id}/pause"))
                .containsExactly("200", "202", "default");
        assertThat(statuses("get", "/api/v1/rollouts")).containsExactly("200", "default");
    }

    @Test
    void parametersAreTheFieldsOfTheAddressAndTheKeyOfWhatMayBeRepeated() {
        assertThat(parameters("get", "/api/v1/rollouts/{rollout_id}/nodes"))
                .containsExactly("rollout_id", "page_size", "page_token");
        assertThat(parameters("post", "/api/v1/rollouts/{rollout_id}/start"))
                .containsExactly("rollout_id", "#/components/parameters/IdempotencyKey");
        assertThat(parameters("post", "/api/v1/rollout-plans")).isEmpty();
    }

    @Test
    void aStreamIsOfEvents() {
        JsonNode events = operation("get", "/api/v1/events");
        assertThat(events.at("/responses/200/content").propertyNames())
                .containsExactly("text/event-stream");
        assertThat(events.at("/responses/200/content").findValuesAsString("$ref"))
                .containsExactly("#/components/schemas/Event");
        assertThat(parameters("get", "/api/v1/events"))
                .contains("from_start", "#/components/parameters/LastEventId");
    }

    @Test
    void aProblemNamesEveryReason() {
        assertThat(schema("ErrorReason").at("/enum").toString()).contains("\"CHAIN_BUSY\"");
        assertThat(schema("Problem").at("/required").toString()).contains("\"reason\"");
    }

    @Test
    void refusesAMethodWithoutARow() {
        assertThatThrownBy(() -> OpenApiGenerator.generate(AccessTable.builder().build(), SERVICES))
                .hasMessage(
                        "drover.rollout.v1.RolloutService/CreateRollout has no row in the access"
                                + " table");
    }

    private JsonNode operation(String verb, String path) {
        JsonNode operation = document.get("paths").path(path).path(verb);
        assertThat(operation.isObject()).as(path).isTrue();
        return operation;
    }

    private JsonNode body(String path) {
        return operation("post", path).get("requestBody");
    }

    private JsonNode schema(String name) {
        JsonNode schema = document.at("/components/schemas/" + name);
        assertThat(schema.isObject()).as(name).isTrue();
        return schema;
    }

    private List<String> statuses(String verb, String path) {
        return List.copyOf(operation(verb, path).get("responses").propertyNames());
    }

    private List<String> parameters(String verb, String path) {
        return operation(verb, path)
                .path("parameters")
                .valueStream()
                .map(
                        parameter ->
                                parameter
                                        .path("name")
                                        .asString(parameter.path("$ref").asString("")))
                .toList();
    }
}
