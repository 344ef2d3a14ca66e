package drover.kit.rest;

import static org.assertj.core.api.Assertions.assertThat;

import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.GrpcServer;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.node.v1.NodeServiceGrpc;
import drover.rollout.v1.RolloutServiceGrpc;
import io.grpc.ManagedChannel;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** REST as a caller sees it: a real socket before the real interceptors and a small service. */
final class RestTranscoderTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Address ENDPOINT = Address.parse("in-process:rest-mapping-test");

    private static GrpcServer grpc;
    private static ManagedChannel channel;
    private static HttpServer http;

    @BeforeAll
    static void start() {
        grpc =
                GrpcServer.builder()
                        .addService(new FakeRolloutService())
                        .accessControl(FakeRolloutService.GATE)
                        .addInterceptor(new FakeRolloutService.HeaderWatch())
                        .listen(ENDPOINT);
        channel = Channels.open(ENDPOINT);
        RestTranscoder mapping =
                RestTranscoder.of(
                                channel,
                                RolloutServiceGrpc.getServiceDescriptor(),
                                NodeServiceGrpc.getServiceDescriptor(),
                                ManifestServiceGrpc.getServiceDescriptor())
                        .withDeadline(Duration.ofSeconds(5));
        http = HttpServer.builder().rest(mapping).listen(new Address.Tcp("127.0.0.1", 0));
    }

    @AfterAll
    static void stop() {
        http.close();
        channel.shutdownNow();
        grpc.close();
    }

    @Test
    void createsFromABodyAndReturnsItsLocation() throws Exception {
        Answer answer =
                post(
                        "/api/v1/rollouts",
                        """
                        {"chain_profile_id":"celestia","strategy":"rolling",
                         "health_wait_duration":"5m"}""");
        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.header("location")).isEqualTo("/api/v1/rollouts/r-1");
        assertThat(answer.header("content-type")).isEqualTo("application/json");
        JsonNode rollout = answer.json().get("rollout");
        assertThat(rollout.get("strategy").stringValue()).isEqualTo("rolling");
        assertThat(rollout.get("status").stringValue()).isEqualTo("pending");
        assertThat(rollout.get("health_wait_duration").stringValue()).isEqualTo("300s");
        assertThat(rollout.get("created_by").stringValue()).isEqualTo("local");
        assertThat(rollout.get("failed_nodes").intValue()).isZero();
    }

    @Test
    void aBodyMayBeOneFieldOfTheRequest() throws Exception {
        Answer answer = post("/api/v1/rollout-plans", "{\"chain_profile_id\":\"celestia\"}");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().at("/plan/rollout/chain_profile_id").stringValue())
                .isEqualTo("celestia");
        assertThat(post("/api/v1/rollout-plans", "{\"rollout\":{}}").reason())
                .isEqualTo("UNKNOWN_FIELD");
    }

    @Test
    void passesIdempotencyKeyAndTraceOn() throws Exception {
        Answer answer =
                send(
                        "POST",
                        "/api/v1/rollouts",
                        "{}",
                        "Idempotency-Key",
                        "key-7",
                        "traceparent",
                        "00-aa-bb-01");
        assertThat(answer.json().at("/rollout/explanation").stringValue())
                .isEqualTo("key-7 00-aa-bb-01");
        assertThat(send("POST", "/api/v1/rollouts", "{}", "Idempotency-Key", "two words"))
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo("INVALID_FIELD"));
    }

    @Test
    void readsFieldsFromTheQuery() throws Exception {
        Answer answer =
                get("/api/v1/rollouts?chain_profile_id=a%20b&status=rolling_back&page_size=5");
        assertThat(answer.json().at("/rollouts/0/chain_profile_id").stringValue()).isEqualTo("a b");
        assertThat(answer.json().at("/rollouts/0/status").stringValue()).isEqualTo("rolling_back");
        assertThat(answer.json().at("/rollouts/0/batch_size").intValue()).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/rollouts?statu=running,UNKNOWN_FIELD,statu",
        "/api/v1/rollouts?status=Running,UNKNOWN_VALUE,status",
        "/api/v1/rollouts?page_size=many,INVALID_FIELD,page_size",
        "/api/v1/rollouts?page_size=1&page_size=2,INVALID_FIELD,page_size",
        "/api/v1/rollouts/r-1?rollout_id=r-2,INVALID_FIELD,rollout_id",
    })
    void refusesAQueryThatDoesNotFit(String path, String reason, String field) throws Exception {
        Answer answer = get(path);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.reason()).isEqualTo(reason);
        assertThat(answer.json().get("field").stringValue()).isEqualTo(field);
    }

    @Test
    void takesPathFieldsAndAnEmptyBody() throws Exception {
        Answer answer = send("POST", "/api/v1/rollouts/r%2D9/nodes/node-3/retry", "");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().at("/rollout/id").stringValue()).isEqualTo("r-9");
        assertThat(answer.json().at("/rollout/explanation").stringValue()).isEqualTo("node-3");
    }

    @Test
    void refusesABodyThatContradictsThePath() throws Exception {
        Answer answer = post("/api/v1/rollouts/r-1/pause", "{\"rollout_id\":\"r-2\"}");
        assertThat(answer.reason()).isEqualTo("INVALID_FIELD");
        assertThat(answer.json().get("field").stringValue()).isEqualTo("rollout_id");
    }

    @Test
    void answers202WhileARequestIsPendingAnd200WhenItIsApplied() throws Exception {
        assertThat(post("/api/v1/rollouts/r-1/pause", "{\"reason\":\"later\"}").status())
                .isEqualTo(202);
        assertThat(post("/api/v1/rollouts/r-1/pause", "{\"reason\":\"now\"}").status())
                .isEqualTo(200);
    }

    @Test
    void rendersRefusalsAsProblems() throws Exception {
        Answer answer = get("/api/v1/rollouts/nope");
        assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
        assertThat(answer.body())
                .isEqualTo(
                        "{\"type\":\"urn:drover:reason:rollout_not_found\",\"title\":\"Rollout not"
                                + " found\",\"status\":404,\"detail\":\"There is no rollout"
                                + " 'nope'.\",\"reason\":\"ROLLOUT_NOT_FOUND\",\"field\":"
                                + "\"rollout_id\",\"instance\":\"/api/v1/rollouts/nope\"}");
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/api/v1/rollouts/slow,504,DEADLINE",
        "GET,/api/v1/rollouts/bug,500,INTERNAL",
        "GET,/api/v1/rollouts/busy,429,OVERLOADED",
        "GET,/api/v1/rollouts/away,503,STORE_UNAVAILABLE",
        "POST,/api/v1/rollouts/done/pause,409,FINAL",
        "GET,/api/v1/rollout,404,ROUTE_NOT_FOUND",
        "GET,/,404,ROUTE_NOT_FOUND",
        "DELETE,/api/v1/rollouts,405,METHOD_NOT_ALLOWED",
        "GET,/api/v1/nodes,503,NOT_READY", // the contract is mapped, its service is not there
    })
    void givesEachKindOfFailureItsStatus(String verb, String path, int status, String reason)
            throws Exception {
        Answer answer = send(verb, path, "");
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.reason()).isEqualTo(reason);
        assertThat(answer.body()).doesNotContain("secret internals").doesNotContain("Exception");
        assertThat(answer.header("retry-after"))
                .isEqualTo(status == 429 || status == 503 ? "1" : "");
    }

    @Test
    void listsTheMethodsOfAPath() throws Exception {
        assertThat(send("DELETE", "/api/v1/rollouts", "").header("allow"))
                .isEqualTo("GET, HEAD, POST");
    }

    /** B23: monitors of reverse proxies send HEAD. */
    @Test
    void answersHeadAsGetWithoutABody() throws Exception {
        Answer get = send("GET", "/api/v1/rollouts", "");
        Answer head = send("HEAD", "/api/v1/rollouts", "");
        assertThat(head.status()).isEqualTo(get.status()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.header("content-length"))
                .isEqualTo(get.header("content-length"))
                .isEqualTo(Integer.toString(get.body().length()));
        assertThat(send("HEAD", "/api/v1/rollouts/bug", "").status()).isEqualTo(500);
        assertThat(send("HEAD", "/api/v1/manifests/validate", "").status()).isEqualTo(405);
    }

    @Test
    void prefersALiteralSegmentToACapture() throws Exception {
        Answer answer = send("GET", "/api/v1/manifests/validate", "");
        assertThat(answer.header("allow")).isEqualTo("POST");
        assertThat(
                        post("/api/v1/manifests/validate", "{\"contents\":\"\"}")
                                .json()
                                .get("detail")
                                .stringValue())
                .contains("did you mean 'content'?");
    }

    @Test
    void refusesABodyBeyondOneMebibyte() throws Exception {
        String large = "{\"reason\":\"" + "x".repeat(1024 * 1024) + "\"}";
        Answer answer = post("/api/v1/rollouts/r-1/pause", large);
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.reason()).isEqualTo("BODY_TOO_LARGE");
    }

    private static Answer get(String path) throws Exception {
        return send("GET", path, "");
    }

    private static Answer post(String path, String body) throws Exception {
        return send("POST", path, body);
    }

    private static Answer send(String verb, String path, String body, String... headers)
            throws Exception {
        var request =
                java.net.http.HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + http.port() + path))
                        .method(
                                verb,
                                body.isEmpty()
                                        ? BodyPublishers.noBody()
                                        : BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return new Answer(CLIENT.send(request.build(), BodyHandlers.ofString()));
    }

    private record Answer(java.net.http.HttpResponse<String> response) {
        int status() {
            return response.statusCode();
        }

        String body() {
            return response.body();
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        JsonNode json() {
            return JSON.readTree(body());
        }

        String reason() {
            return json().get("reason").stringValue();
        }
    }
}
