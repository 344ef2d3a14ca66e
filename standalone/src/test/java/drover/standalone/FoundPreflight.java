package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.standalone.Rest.Answer;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** What a preflight found, as the plan shows it. */
record FoundPreflight(JsonNode json) {
    /** Asks for one, and waits until the plan has all of it. */
    static FoundPreflight of(TestMesh mesh, String rollout) {
        Answer answer = mesh.asked(rollout, "preflight");
        String asked = answer.text("/preflight/id");
        await().atMost(Waits.LIMIT)
                .until(() -> !inPlan(mesh, rollout).at("/finished_at").isMissingNode());
        JsonNode found = inPlan(mesh, rollout);
        assertThat(found.at("/id").asString()).isEqualTo(asked);
        return new FoundPreflight(found);
    }

    private static JsonNode inPlan(TestMesh mesh, String rollout) {
        return mesh.rest.get("/api/v1/rollouts/" + rollout + "/plan").body().at("/plan/preflight");
    }

    JsonNode node(String node) {
        for (JsonNode one : json.at("/nodes")) {
            if (one.at("/node_id").asString().equals(node)) {
                return one;
            }
        }
        throw new AssertionError(node + " is not in " + json);
    }

    /** The reason of each action that would fail on a node. */
    Map<String, String> problems(String node) {
        Map<String, String> problems = new TreeMap<>();
        for (JsonNode check : node(node).at("/checks")) {
            if (!check.at("/ok").asBoolean()) {
                problems.put(check.at("/action").asString(), check.at("/reason").asString());
                assertThat(check.at("/sentence").asString()).endsWith(".");
            }
        }
        return problems;
    }
}
