package drover.system.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.OperatorApiDefinition;
import drover.model.Digest;
import drover.system.api.OpenApiDocument.Operation;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Every operation of the served document, on a real mesh with real programs: what is sent fits the
 * document, what is answered has a status and a body that it names, and nothing else.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(600)
class OpenApiIT {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration SOON = Waits.LIMIT; // measured 5–25 s

    private TestDeployment deployment;
    private OperationCalls calls;
    private OpenApiDocument document;

    @BeforeAll
    void start(@TempDir Path place) throws IOException {
        FullBuildAssumption.requireEverything();
        SleepProgramConfig yard = SleepProgramConfig.in(place.resolve("config"));
        for (int i = 1; i <= 9; i++) {
            yard.node("bunk-" + i, "labels: { zone: " + (i % 3 == 0 ? "north" : "south") + " }");
        }
        yard.node("gone", "agent: external");
        byte[] better = SleepProgramConfig.program("v2");
        yard.manifest("v2", yard.url("v2", better), Digest.of(better));
        byte[] falling = SleepProgramConfig.fallingOver("falls");
        yard.manifest("falls", yard.url("falls", falling), Digest.of(falling));
        byte[] breaking = SleepProgramConfig.program("breaks");
        yard.manifest(
                "breaks",
                yard.url("breaks", breaking),
                Digest.of(breaking),
                "state_compatibility: { migration_type: breaking }",
                "recovery_plan: Provision the node anew.");
        deployment = TestDeployment.of(place.resolve("mesh"), yard.folder());
        int port = deployment.standalone.deployment().httpPort();
        try (RestClient anonymous = new RestClient(port)) {
            Answer served = anonymous.get("/api/v1/openapi.json");
            assertThat(served.status()).as("it holds no data, so it needs no key").isEqualTo(200);
            assertThat(served.type()).isEqualTo("application/json");
            assertThat(served.body())
                    .isEqualTo(JSON.readTree(OperatorApiDefinition.openApiDocument()));
            document = OpenApiDocument.of(served.body());
        }
        calls =
                new OperationCalls(
                        document,
                        new RestClient(port, Files.readString(deployment.data.adminKey()).strip()),
                        new RestClient(
                                port, Files.readString(deployment.data.approverKey()).strip()));
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            calls.close();
            deployment.close();
        }
    }

    @Test
    @Order(1)
    void withoutAKeyEveryOperationIsRefusedAsDocumented() {
        try (RestClient anonymous = new RestClient(deployment.standalone.deployment().httpPort())) {
            for (Operation operation : document.operations()) {
                Answer answer = calls.sent(anonymous, operation, Map.of(), calls.sample(operation));
                calls.assertFits(operation, answer);
                assertThat(answer.status()).as(operation.id()).isEqualTo(401);
            }
        }
    }

    @Test
    @Order(2)
    void unknownIdsAreRefusedAsDocumented() {
        for (Operation operation : document.operations()) {
            if (!operation.parameters("path").isEmpty()) {
                Answer answer = calls.called(operation, Map.of(), calls.sample(operation));
                assertThat(answer.status()).as("%s: %s", operation.id(), answer).isEqualTo(404);
            }
        }
    }

    @Test
    @Order(3)
    void whatTheDocumentDoesNotKnowIsRefused() {
        for (Operation operation : document.operations()) {
            boolean inBody = !operation.bodySchema().isMissingNode();
            ObjectNode body = calls.sample(operation);
            if (inBody) {
                body.put("zzz", "strange");
                assertThat(document.against(operation, body)).as(operation.id()).isNotEmpty();
            }
            Answer answer =
                    calls.sent(
                            calls.key(operation),
                            operation,
                            inBody ? Map.of() : Map.of("zzz", "x"),
                            body);
            calls.assertFits(operation, answer);
            assertThat(answer.text("/reason")).as(operation.id()).isEqualTo("UNKNOWN_FIELD");
        }
    }

    @Test
    @Order(4)
    void whatTheDocumentRequiresIsRequired() {
        int tried = 0;
        for (Operation operation : document.operations()) {
            for (JsonNode name : document.resolved(operation.bodySchema()).path("required")) {
                ObjectNode body = calls.sample(operation);
                body.remove(name.asString());
                assertThat(document.against(operation, body)).isNotEmpty();
                Answer answer = calls.sent(calls.key(operation), operation, Map.of(), body);
                calls.assertFits(operation, answer);
                assertThat(answer.status())
                        .as("%s without %s: %s", operation.id(), name, answer)
                        .isIn(400, 404); // whether the rollout is there may be asked first
                tried++;
            }
        }
        assertThat(tried).isGreaterThan(12);
    }

    @Test
    @Order(5)
    void aPageThatCannotBeIsRefusedByName() {
        int tried = 0;
        for (Operation operation : document.operations()) {
            for (Map.Entry<String, String> wrong :
                    Map.of("page_token", "NOT+A+TOKEN", "page_size", "10001").entrySet()) {
                if (operation.parameters("query").contains(wrong.getKey())
                        && operation.parameters("path").isEmpty()) {
                    Answer answer =
                            calls.called(
                                    operation,
                                    Map.of(wrong.getKey(), wrong.getValue()),
                                    JSON.createObjectNode());
                    assertThat(answer.status()).as("%s: %s", operation.id(), answer).isEqualTo(400);
                    assertThat(answer.text("/field")).isEqualTo(wrong.getKey());
                    tried++;
                }
            }
        }
        assertThat(tried).isGreaterThan(7);
    }

    @Test
    @Order(6)
    void everyOperationRespondsAsDocumented() throws IOException {
        listsEverything();
        String done = aRolloutGoesThroughAndBack();
        failuresAreForced();
        aCanaryIsApproved();
        groupsComeAndGo();
        aNodeIsCaredFor();
        keysComeAndGo();
        tokensComeAndGo();
        assertRecorded(done);
        assertThat(calls.driven())
                .as("an operation that is not driven here is new: drive it")
                .containsExactlyInAnyOrderElementsOf(
                        document.operations().stream().map(Operation::id).toList());
    }

    private void listsEverything() {
        Map<String, String> manifest =
                Map.of("chain_profile_id", "yard", "upgrade_id", "sleeper-v2");
        calls.answered("ManifestService_ListManifests", Map.of("chain_profile_id", "yard"));
        calls.answered("ManifestService_GetManifest", manifest);
        calls.answered("ManifestService_GetContentHash", manifest);
        calls.answered("ManifestService_ValidateManifest", Map.of(), "{\"content\": \"a: b\"}");
        Answer north =
                calls.answered(
                        "NodeService_ListNodes", Map.of("label", "zone=north", "page_size", "2"));
        assertThat(north.text("/nodes/0/id")).isEqualTo("bunk-3");
        assertThat(north.text("/nodes/1/id")).isEqualTo("bunk-6");
        calls.answered("NodeService_GetNode", Map.of("node_id", "bunk-1"));
        calls.answered("NodeService_GetDesired", Map.of("node_id", "bunk-1"));
        calls.answered("NodeService_GetNodeLog", Map.of("node_id", "bunk-1", "program", "sleeper"));
        calls.answered(
                "RolloutService_PlanRollout", Map.of(), rollout("v2", "\"rolling\"", "bunk-1"));
    }

    private String aRolloutGoesThroughAndBack() {
        String id = created("v2", "\"rolling\"", "bunk-1", "bunk-2", "bunk-3");
        Map<String, String> node = Map.of("rollout_id", id, "node_id", "bunk-2");
        calls.answered("RolloutService_HoldNode", node, "{\"reason\": \"Its disk is looked at.\"}");
        calls.answered("RolloutService_ReleaseNode", node, "{}");
        calls.answered(
                "RolloutService_SkipNode",
                Map.of("rollout_id", id, "node_id", "bunk-3"),
                "{\"reason\": \"Not this one.\"}");
        calls.answered("RolloutService_PreflightRollout", Map.of("rollout_id", id), "{}");
        calls.answered("RolloutService_GetRolloutPlan", Map.of("rollout_id", id));
        steered(id, "Start");
        steered(id, "Pause");
        deployment.awaitStatus(id, "paused");
        steered(id, "Resume");
        calls.answered("RolloutService_GetRollout", Map.of("rollout_id", id));
        calls.answered(
                "RolloutService_ListRolloutNodes", Map.of("rollout_id", id, "page_size", "2"));
        deployment.awaitStill(id, "completed");
        steered(id, "Rollback");
        deployment.awaitStill(id, "rolled_back");
        String never = created("v2", "\"rolling\"", "bunk-1");
        steered(never, "Cancel");
        deployment.awaitStill(never, "cancelled");
        return id;
    }

    private void failuresAreForced() {
        String id = created("falls", "\"rolling\"", "bunk-4", "bunk-5");
        steered(id, "Start");
        deployment.awaitStill(id, "paused");
        String failed =
                deployment.node(id, "bunk-4").at("/status").asString("").equals("failed")
                        ? "bunk-4"
                        : "bunk-5";
        calls.answered(
                "RolloutService_SkipNodes",
                Map.of("rollout_id", id),
                "{\"reason\": \"Its rack is rebuilt.\"}");
        calls.answered(
                "RolloutService_RetryNode", Map.of("rollout_id", id, "node_id", failed), "{}");
        calls.answered(
                "RolloutService_ForceRollout",
                Map.of("rollout_id", id),
                "{\"reason\": \"The fork is at noon.\"}");
        deployment.awaitStill(id, "failed");
    }

    private void aCanaryIsApproved() {
        String canary = "\"canary\", \"canary_size\": 1, \"acknowledge_state_risk\": true";
        String id = created("breaks", canary, "bunk-6", "bunk-7");
        String why = "{\"reason\": \"The state moves to its new form.\"}";
        calls.answered("RolloutService_StartRollout", Map.of("rollout_id", id), why);
        deployment.awaitStatus(id, "awaiting_approval");
        calls.answered(
                "RolloutService_ApproveCanary",
                Map.of("rollout_id", id),
                "{\"evidence\": \"%s\"}"
                        .formatted(deployment.rollout(id).at("/evidence/digest").asString()));
        deployment.awaitStill(id, "completed");
    }

    private void groupsComeAndGo() {
        String through = group("bunk-8");
        calls.answered("RolloutGroupService_GetRolloutGroup", Map.of("group_id", through));
        request(through, "StartRolloutGroup");
        request(through, "PauseRolloutGroup");
        awaitGroup(through, "paused");
        request(through, "ResumeRolloutGroup");
        awaitGroup(through, "completed");
        request(through, "RollbackRolloutGroup");
        awaitGroup(through, "rolled_back");
        String left = group("bunk-8");
        request(left, "StartRolloutGroup");
        request(left, "PauseRolloutGroup");
        awaitGroup(left, "paused");
        request(left, "SkipComponent");
        awaitGroup(left, "failed", "completed"); // its one rollout may have been done by then
        String never = group("bunk-1");
        request(never, "CancelRolloutGroup");
        awaitGroup(never, "cancelled");
        calls.answered("RolloutGroupService_ListRolloutGroups", Map.of("status", "cancelled"));
        Answer components =
                calls.answered("RolloutService_ListRollouts", Map.of("group_id", through));
        assertThat(components.body().at("/rollouts")).hasSize(1);
        calls.answered("RolloutGroupService_ExplainRolloutGroup", Map.of("group_id", through));
    }

    /** One cannot be brought back, which is an incident; one is given up. */
    private void aNodeIsCaredFor() throws IOException {
        String id = created("v2", "\"rolling\"", "bunk-9");
        steered(id, "Start");
        deployment.awaitStill(id, "completed");
        deployment.spoilBackups("bunk-9");
        steered(id, "Rollback");
        deployment.awaitStill(id, "failed");
        Answer incidents =
                calls.answered("IncidentService_ListIncidents", Map.of("node_id", "bunk-9"));
        Map<String, String> incident = Map.of("incident_id", incidents.text("/incidents/0/id"));
        calls.answered("IncidentService_GetIncident", incident);
        calls.answered("IncidentService_AcknowledgeIncident", incident, "{\"note\": \"On it.\"}");
        calls.answered("IncidentService_ResolveIncident", incident, "{\"note\": \"It is well.\"}");
        String why = "{\"reason\": \"It was looked at.\"}";
        calls.answered("NodeService_ClearNode", Map.of("node_id", "bunk-9"), why);
        calls.answered("NodeService_RevokeNode", Map.of("node_id", "gone"), why);
        calls.answered("NodeService_RetireNode", Map.of("node_id", "gone"), why);
        calls.answered("NodeService_ExplainNode", Map.of("node_id", "bunk-9"));
    }

    private void keysComeAndGo() {
        String wish =
                "{\"key_id\": \"probe\", \"scopes\": [\"rollouts:read\"], \"lifetime\": \"1h\"}";
        calls.answered("ApiKeyService_CreateApiKey", Map.of(), wish);
        calls.answered("ApiKeyService_ListApiKeys", Map.of());
        calls.answered("ApiKeyService_RevokeApiKey", Map.of("key_id", "probe"), "{}");
    }

    /** Machines can join, if they have a token; the mesh of one process has its own authority. */
    private void tokensComeAndGo() {
        Answer made =
                calls.answered(
                        "TokenService_CreateJoinToken",
                        Map.of(),
                        "{\"chain_profile_id\": \"yard\", \"node_type\": \"bunk\"}");
        assertThat(made.text("/secret")).startsWith("jt1.");
        calls.answered("TokenService_ListJoinTokens", Map.of());
        calls.answered(
                "TokenService_RevokeJoinToken", Map.of("token_id", made.text("/token/id")), "{}");
    }

    /** What is told of all that. */
    private void assertRecorded(String rollout) {
        calls.answered("RolloutService_ListRollouts", Map.of("status", "rolled_back"));
        calls.answered(
                "RolloutService_ExplainRollout", Map.of("rollout_id", rollout, "limit", "5"));
        calls.answered("EventService_ListEventSinks", Map.of());
        calls.answered("EventService_ListDeadLetters", Map.of());
        calls.answered("EventService_RetryDeadLetters", Map.of(), "{\"sink\": \"pager\"}");
        calls.answered("AuditService_VerifyHistory", Map.of());
        Answer event = calls.answered("EventService_WatchEvents", Map.of("from_start", "true"));
        assertThat(event.text("/type")).startsWith("drover.");
    }

    private String created(String version, String strategy, String... nodes) {
        return calls.answered(
                        "RolloutService_CreateRollout", Map.of(), rollout(version, strategy, nodes))
                .text("/rollout/id");
    }

    private static String rollout(String version, String strategy, String... nodes) {
        return """
            {"upgrade_id": "sleeper-%s", "chain_profile_id": "yard", "node_type": "bunk",
             "source_version": "v1", "strategy": %s, "batch_size": 1,
             "health_wait_duration": "1s", "node_ids": ["%s"]}
            """
                .formatted(version, strategy, String.join("\", \"", nodes));
    }

    private void steered(String rollout, String verb) {
        calls.answered("RolloutService_" + verb + "Rollout", Map.of("rollout_id", rollout), "{}");
    }

    private String group(String node) {
        return calls.answered(
                        "RolloutGroupService_CreateRolloutGroup",
                        Map.of(),
                        """
                        {"chain_profile_id": "yard", "node_type": "bunk", "failure_policy": "manual",
                         "desired_versions": {"sleeper": "v2"},
                         "component_order": [{"binary_name": "sleeper",
                           "upgrade_id": "sleeper-v2", "source_version": "v1"}],
                         "strategy": "rolling", "batch_size": 1, "health_wait_duration": "1s",
                         "node_ids": ["%s"]}
                        """
                                .formatted(node))
                .text("/group/id");
    }

    private void request(String group, String verb) {
        calls.answered("RolloutGroupService_" + verb, Map.of("group_id", group), "{}");
    }

    private void awaitGroup(String id, String... statuses) {
        await().atMost(SOON).until(() -> List.of(statuses).contains(groupStatus(id)));
    }

    private String groupStatus(String id) {
        return calls.answered("RolloutGroupService_GetRolloutGroupStatus", Map.of("group_id", id))
                .text("/group/status");
    }
}
