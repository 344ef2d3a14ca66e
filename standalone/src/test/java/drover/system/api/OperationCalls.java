package drover.system.api;

import static org.assertj.core.api.Assertions.assertThat;

import drover.system.api.OpenApiDocument.Operation;
import drover.system.fixture.RestClient;
import drover.system.fixture.RestClient.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Calls operations by their names, and holds what is sent and answered against the document. */
final class OperationCalls implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String NONE = "00000000-0000-4000-8000-000000000000";

    /** Something for every field that a request must have, and for every part of a path. */
    private static final Map<String, String> EXAMPLES =
            Map.ofEntries(
                    Map.entry("rollout_id", '"' + NONE + '"'),
                    Map.entry("group_id", '"' + NONE + '"'),
                    Map.entry("incident_id", '"' + NONE + '"'),
                    Map.entry("node_id", "\"nobody\""),
                    Map.entry("program", "\"nothing\""),
                    Map.entry("chain_profile_id", "\"yard\""),
                    Map.entry("upgrade_id", "\"nothing\""),
                    Map.entry("key_id", "\"nobody\""),
                    Map.entry("token_id", "\"nobody\""),
                    Map.entry("node_type", "\"bunk\""),
                    Map.entry("scopes", "[\"rollouts:read\"]"),
                    Map.entry("strategy", "\"rolling\""),
                    Map.entry("failure_policy", "\"manual\""),
                    Map.entry("desired_versions", "{\"sleeper\": \"v2\"}"),
                    Map.entry("component_order", "[]"),
                    Map.entry("evidence", "\"sha256:" + "0".repeat(64) + '"'),
                    Map.entry("content", "\"upgrade_id: nothing\""),
                    Map.entry("note", "\"It was looked at.\""),
                    Map.entry("reason", "\"It was looked at.\""));

    private final Set<String> driven = new TreeSet<>();
    private final OpenApiDocument document;
    private final RestClient admin;
    private final RestClient approver;

    OperationCalls(OpenApiDocument document, RestClient admin, RestClient approver) {
        this.document = document;
        this.admin = admin;
        this.approver = approver;
    }

    /** The operations that have done what they are for. */
    Set<String> driven() {
        return Set.copyOf(driven);
    }

    @Override
    public void close() {
        admin.close();
        approver.close();
    }

    Answer answered(String id, Map<String, String> given) {
        return answered(id, given, "{}");
    }

    /** A call that must do what it is for. */
    Answer answered(String id, Map<String, String> given, String json) {
        Operation operation = document.operation(id);
        JsonNode body = JSON.readTree(json);
        assertThat(document.against(operation, body)).as("%s is sent %s", id, body).isEmpty();
        Answer answer = called(operation, given, body);
        assertThat(answer.status()).as("%s: %s", id, answer).isLessThan(300);
        driven.add(id);
        return answer;
    }

    Answer called(Operation operation, Map<String, String> given, JsonNode body) {
        Answer answer;
        if (operation.parameters("header").contains("Idempotency-Key")) {
            String key = UUID.randomUUID().toString();
            answer = sent(key(operation), operation, given, body, "Idempotency-Key", key);
            if (answer.status() < 300) {
                Answer again = sent(key(operation), operation, given, body, "Idempotency-Key", key);
                assertFits(operation, again);
                assertThat(sign(again))
                        .as("%s again with its key: %s", operation.id(), again)
                        .isNotEmpty()
                        .isEqualTo(sign(answer));
            }
        } else {
            answer = sent(key(operation), operation, given, body);
        }
        assertFits(operation, answer);
        return answer;
    }

    /** What an answer that is given for a repeated request has in common with the first one. */
    private static String sign(Answer answer) {
        return answer.text("/request/id") + answer.location();
    }

    RestClient key(Operation operation) {
        boolean takesApprover =
                operation.takes("rollouts:approve") && !operation.takes("rollouts:admin");
        return takesApprover ? approver : admin;
    }

    void assertFits(Operation operation, Answer answer) {
        assertThat(document.against(operation, answer))
                .as("%s answers %s", operation.id(), answer)
                .isEmpty();
    }

    /** Puts what is given into its place; parts of the path that are not given are examples. */
    Answer sent(
            RestClient rest,
            Operation operation,
            Map<String, String> given,
            JsonNode body,
            String... headers) {
        String path = operation.path();
        List<String> query = new ArrayList<>();
        for (String name : operation.parameters("path")) {
            String text = given.getOrDefault(name, JSON.readTree(example(name)).asString());
            path = path.replace("{" + name + "}", text);
        }
        for (Map.Entry<String, String> one : given.entrySet()) {
            if (!operation.parameters("path").contains(one.getKey())) {
                query.add(one.getKey() + "=" + one.getValue());
            }
        }
        String address = query.isEmpty() ? path : path + "?" + String.join("&", query);
        if (operation.isStream() && given.containsKey("from_start")) {
            return rest.event(address);
        }
        return switch (operation.verb()) {
            case "get" -> rest.get(address);
            case "post" -> rest.post(address, body.toString(), headers);
            default -> throw new AssertionError("a new verb: " + operation.verb());
        };
    }

    /** A body with everything that the document requires, and nothing else. */
    ObjectNode sample(Operation operation) {
        ObjectNode body = JSON.createObjectNode();
        for (JsonNode name : document.resolved(operation.bodySchema()).path("required")) {
            body.set(name.asString(), JSON.readTree(example(name.asString())));
        }
        return body;
    }

    private static String example(String name) {
        String example = EXAMPLES.get(name);
        if (example == null) {
            throw new AssertionError("This test has no example of " + name + "; give one.");
        }
        return example;
    }
}
