package drover.system.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import drover.kit.grpc.RefusalParser;
import drover.model.Digest;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.Strategy;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.TestDeployment;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The operators' REST by hand, over the demo's real programs on three nodes: the seed's paths,
 * names and words, refusals by name, and the way there and back. Every test leaves all nodes on v1.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class RestApiIT {
    private static final String ROLLOUTS = "/api/v1/rollouts";

    private static final String TO_V2 =
            """
            {"upgrade_id": "greeter-v2", "chain_profile_id": "harbour", "node_type": "edge",
             "source_version": "v1", "strategy": "rolling", "batch_size": 3,
             "health_wait_duration": "1s"}
            """;

    private TestDeployment deployment;

    @BeforeAll
    void start(@TempDir Path folder) {
        FullBuildAssumption.requireEverything();
        deployment = TestDeployment.demo(folder.resolve("mesh"), 3);
    }

    @AfterEach
    void endActiveRollouts() {
        deployment.endActiveRollouts();
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            deployment.close();
        }
    }

    @Test
    void goesToANewVersionAndAFullRollbackBringsConfigsBackD5() throws IOException {
        Answer created = deployment.rest.post(ROLLOUTS, TO_V2);
        assertThat(created.status()).isEqualTo(201);
        String id = created.text("/rollout/id");
        assertThat(created.location()).isEqualTo(ROLLOUTS + "/" + id);
        assertThat(created.text("/rollout/status")).isEqualTo("pending");
        String before = Files.readString(config("berth-01"));

        assertThat(deployment.request(id, "start").text("/rollout/status")).isEqualTo("running");
        JsonNode done = deployment.awaitStill(id, "completed");
        assertThat(done.at("/succeeded_nodes").asInt()).isEqualTo(3);
        assertThat(greeting("berth-01")).isEqualTo("Ahoy");
        assertThat(Files.readString(config("berth-01"))).contains("signature = berth-01");

        deployment.request(id, "rollback");
        deployment.awaitStill(id, "rolled_back");
        for (String node : List.of("berth-01", "berth-02", "berth-03")) {
            assertThat(deployment.node(id, node).at("/status").asString()).isEqualTo("rolled_back");
            assertThat(greeting(node)).isEqualTo("Hello");
            assertThat(deployment.pids(node)).hasSize(1);
        }
        assertThat(Files.readString(config("berth-01"))).isEqualTo(before);
    }

    @Test
    void showsARolloutInTheSeedsNamesAndWords() {
        String id = deployment.created(TO_V2);
        JsonNode rollout = deployment.rollout(id);
        assertThat(rollout.propertyNames())
                .contains(
                        "chain_profile_id",
                        "binary_name",
                        "source_version",
                        "target_version",
                        "target_binary_url",
                        "target_binary_checksum",
                        "total_nodes",
                        "succeeded_nodes",
                        "failed_nodes",
                        "pending_nodes",
                        "manifest_content_hash");
        assertThat(rollout.at("/strategy").asString()).isEqualTo("rolling");
        assertThat(rollout.at("/health_wait_duration").asString()).isEqualTo("1s");
        assertThat(rollout.at("/created_by").asString()).isEqualTo("key:admin");
        assertThat(Instant.parse(rollout.at("/created_at").asString()))
                .isBefore(Instant.now().plusSeconds(1));
        JsonNode node = deployment.node(id, "berth-02");
        assertThat(node.propertyNames())
                .contains("batch_index", "previous_version", "previous_checksum");
        assertThat(node.at("/status").asString()).isEqualTo("pending");
        Answer why = deployment.rest.get(ROLLOUTS + "/" + id + "/why");
        assertThat(why.body().at("/history/0/sentence").asString()).isNotBlank();
    }

    @Test
    void pausesResumesAndCancelsBetweenBatches() throws IOException {
        String id = deployment.started(TO_V2.replace("\"batch_size\": 3", "\"batch_size\": 1"));
        Answer paused = deployment.request(id, "pause", "{\"reason\": \"lunch\"}");
        assertThat(paused.text("/rollout/pause_reason")).isEqualTo("OPERATOR");
        assertThat(refusal(deployment.rest.post(ROLLOUTS + "/" + id + "/pause", "{}"), 409))
                .isEqualTo("ALREADY");
        deployment.request(id, "resume");
        deployment.request(id, "cancel");
        JsonNode cancelled = deployment.awaitStill(id, "cancelled");
        assertThat(cancelled.at("/succeeded_nodes").asInt()).isLessThan(3);
        assertThat(refusal(deployment.rest.post(ROLLOUTS + "/" + id + "/resume", "{}"), 409))
                .isEqualTo("FINAL");
        bringBack(id);
        assertThat(greeting("berth-03")).isEqualTo("Hello");
    }

    @Test
    void listsByStatusAndChainAndRefusesAnUnknownFilter() {
        String id = deployment.created(TO_V2);
        assertThat(ids(deployment.rest.get(ROLLOUTS + "?status=pending&chain_profile_id=harbour")))
                .containsExactly(id);
        assertThat(ids(deployment.rest.get(ROLLOUTS + "?chain_profile_id=elsewhere"))).isEmpty();
        Answer unknown = deployment.rest.get(ROLLOUTS + "?state=pending");
        assertThat(refusal(unknown, 400)).isEqualTo("UNKNOWN_FIELD");
        assertThat(unknown.text("/field")).isEqualTo("state");
        assertThat(refusal(deployment.rest.get(ROLLOUTS + "?status=busy"), 400))
                .isEqualTo("UNKNOWN_VALUE");
    }

    @Test
    void refusesUnknownFieldsAndWordsByName() {
        Answer field = deployment.rest.post(ROLLOUTS, TO_V2.replace("batch_size", "batchsize"));
        assertThat(refusal(field, 400)).isEqualTo("UNKNOWN_FIELD");
        assertThat(field.text("/field")).isEqualTo("batchsize");
        assertThat(field.text("/detail")).contains("batchsize").contains("batch_size");
        Answer word = deployment.rest.post(ROLLOUTS, TO_V2.replace("\"rolling\"", "\"rollin\""));
        assertThat(refusal(word, 400)).isEqualTo("UNKNOWN_VALUE");
        assertThat(word.text("/field")).isEqualTo("strategy");
        assertThat(word.text("/detail")).contains("rollin").contains("rolling");
        assertThat(refusal(deployment.rest.post(ROLLOUTS, "{"), 400)).isEqualTo("BODY_NOT_JSON");
        assertThat(refusal(deployment.rest.get("/api/v1/nothing"), 404))
                .isEqualTo("ROUTE_NOT_FOUND");
        String anonymous = ROLLOUTS + "/" + UUID.randomUUID();
        assertThat(refusal(deployment.rest.get(anonymous), 404)).isEqualTo("ROLLOUT_NOT_FOUND");
    }

    @Test
    void aSecondActiveRolloutIsRefusedAlikeByRestAndGrpc() {
        deployment.created(TO_V2);
        Answer second = deployment.rest.post(ROLLOUTS, TO_V2);
        assertThat(refusal(second, 409)).isEqualTo("CHAIN_BUSY");
        StatusRuntimeException refused =
                catchThrowableOfType(StatusRuntimeException.class, this::createByGrpc);
        assertThat(RefusalParser.from(refused).orElseThrow().code().name()).isEqualTo("CHAIN_BUSY");
        assertThat(RefusalParser.from(refused).orElseThrow().sentence())
                .isEqualTo(second.text("/detail"));
    }

    @Test
    void oneIdempotencyKeyMakesOneRollout() {
        String key = UUID.randomUUID().toString();
        Answer first = deployment.rest.post(ROLLOUTS, TO_V2, "Idempotency-Key", key);
        Answer again = deployment.rest.post(ROLLOUTS, TO_V2, "Idempotency-Key", key);
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.text("/rollout/id")).isEqualTo(first.text("/rollout/id"));
        String other = TO_V2.replace("\"batch_size\": 3", "\"batch_size\": 2");
        assertThat(refusal(deployment.rest.post(ROLLOUTS, other, "Idempotency-Key", key), 409))
                .isEqualTo("IDEMPOTENCY_KEY_REUSED");
    }

    @Test
    void createdByHandItChangesOnlyAConfiguration() throws IOException {
        String same = byHand("");
        assertThat(refusal(deployment.rest.post(ROLLOUTS, same), 409))
                .isEqualTo("NOTHING_TO_CHANGE");
        String id =
                deployment.started(
                        byHand(
                                """
                                , "config_changes": [{"path": "/etc/greeter/greeter.conf",
                                   "template": "greeter.conf.v2.tmpl",
                                   "overrides": {"greeting": "Moin"}}]
                                """));
        deployment.awaitStill(id, "completed");
        assertThat(greeting("berth-02")).isEqualTo("Moin");
        assertThat(Files.readString(config("berth-02"))).contains("greeting = Moin");
        bringBack(id);
        assertThat(greeting("berth-02")).isEqualTo("Hello");
    }

    @Test
    void reportsLivenessAndReadiness() {
        assertThat(deployment.rest.get("/livez").status()).isEqualTo(200);
        assertThat(deployment.rest.get("/readyz").status()).isEqualTo(200);
    }

    /** T17: clients of before 2023 know only this version. */
    @Test
    void listsItsServicesByReflectionV1Alpha() throws Exception {
        var reflection =
                io.grpc.reflection.v1alpha.ServerReflectionGrpc.newBlockingV2Stub(
                                deployment.channel)
                        .serverReflectionInfo();
        assertThat(
                        reflection.write(
                                io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                                        .setListServices("")
                                        .build()))
                .isTrue();
        assertThat(reflection.read().getListServicesResponse().getServiceList())
                .extracting(service -> service.getName())
                .contains("drover.rollout.v1.RolloutService");
        reflection.cancel("done", null);
    }

    @Test
    void theCallsOfTheReadmeWorkByReflectionAlone() {
        try (ReflectedServer server = new ReflectedServer(deployment.channel)) {
            assertThat(server.services())
                    .contains(
                            "drover.rollout.v1.RolloutService",
                            "drover.node.v1.NodeService",
                            "drover.manifest.v1.ManifestService",
                            "grpc.health.v1.Health")
                    .doesNotContain(
                            "drover.node.v1.NodeDirectoryService",
                            "drover.node.v1.GatewayControlService",
                            "drover.node.v1.HeartbeatFeedService",
                            "drover.manifest.v1.ManifestCatalogService",
                            "drover.agent.v1.AgentService");
            String id = deployment.created(TO_V2);
            assertThat(server.call("drover.rollout.v1.RolloutService", "ListRollouts"))
                    .contains(id);
            assertThat(server.call("drover.node.v1.NodeService", "ListNodes"))
                    .contains("berth-01", "berth-02", "berth-03");
        }
    }

    /** The version and the program that run already, as a rollout without a manifest. */
    private String byHand(String more) throws IOException {
        Path artifact = deployment.data.config().resolve("artifacts/greeter-v1.jar");
        return """
            {"chain_profile_id": "harbour", "node_type": "edge", "binary_name": "greeter",
             "source_version": "v1", "target_version": "v1", "target_binary_url": "file://%s",
             "target_binary_checksum": "%s", "strategy": "rolling", "batch_size": 3,
             "health_wait_duration": "1s"%s}
            """
                .formatted(artifact, Digest.of(Files.readAllBytes(artifact)), more);
    }

    private void createByGrpc() {
        var _ =
                RolloutServiceGrpc.newBlockingStub(deployment.channel)
                        .createRollout(
                                CreateRolloutRequest.newBuilder()
                                        .setUpgradeId("greeter-v2")
                                        .setChainProfileId("harbour")
                                        .setNodeType("edge")
                                        .setSourceVersion("v1")
                                        .setStrategy(Strategy.STRATEGY_ROLLING)
                                        .setBatchSize(3)
                                        .build());
    }

    private void bringBack(String id) {
        deployment.request(id, "rollback");
        deployment.awaitStill(id, "rolled_back");
    }

    /** The reason of a problem document with this status. */
    private static String refusal(Answer answer, int status) {
        assertThat(answer.status()).as("%s", answer).isEqualTo(status);
        assertThat(answer.type()).isEqualTo("application/problem+json");
        assertThat(answer.text("/detail")).matches(".+[.?]");
        assertThat(answer.body().at("/status").asInt()).isEqualTo(status);
        return answer.text("/reason");
    }

    private static List<String> ids(Answer list) {
        assertThat(list.status()).isEqualTo(200);
        return list.body()
                .at("/rollouts")
                .valueStream()
                .map(it -> it.at("/id").asString())
                .toList();
    }

    private Path config(String node) {
        return deployment.root(node).resolve("etc/greeter/greeter.conf");
    }

    /** What the running process says it read. */
    private String greeting(String node) {
        int port =
                deployment.standalone.nodes().stream()
                        .filter(one -> one.name().value().equals(node))
                        .mapToInt(one -> Integer.parseInt(one.labels().get("var.port")))
                        .findFirst()
                        .orElseThrow();
        try (RestClient program = new RestClient(port)) {
            return program.get("/version").text("/config/greeting");
        }
    }
}
