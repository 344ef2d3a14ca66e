package drover.system.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.api.AnnotationsProto;
import com.google.api.HttpRule;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.DynamicMessage;
import drover.access.v1.ApiKeyServiceGrpc;
import drover.access.v1.TokenServiceGrpc;
import drover.audit.v1.AuditServiceGrpc;
import drover.event.v1.EventServiceGrpc;
import drover.gateway.Faults;
import drover.incident.v1.IncidentServiceGrpc;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.node.v1.NodeServiceGrpc;
import drover.rollout.v1.RolloutGroupServiceGrpc;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.system.api.ReflectedServer;
import drover.system.fixture.DroverProcess;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.ProtoServiceDescriptorSupplier;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The operators' doors of a real mesh, tried by those who may and by those who may not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class AccessIT {
    private static final List<ServiceDescriptor> SERVICES =
            List.of(
                    RolloutServiceGrpc.getServiceDescriptor(),
                    RolloutGroupServiceGrpc.getServiceDescriptor(),
                    NodeServiceGrpc.getServiceDescriptor(),
                    IncidentServiceGrpc.getServiceDescriptor(),
                    EventServiceGrpc.getServiceDescriptor(),
                    ManifestServiceGrpc.getServiceDescriptor(),
                    ApiKeyServiceGrpc.getServiceDescriptor(),
                    TokenServiceGrpc.getServiceDescriptor(),
                    AuditServiceGrpc.getServiceDescriptor());

    private Path folder;
    private TestDeployment deployment;

    /** A method as REST offers it, with something in the place of every capture. */
    private record Call(String verb, String path, String name) {}

    @BeforeAll
    void start(@TempDir Path place) {
        FullBuildAssumption.requireEverything();
        folder = place;
        deployment = TestDeployment.demo(place.resolve("mesh"), 1);
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            deployment.close();
        }
    }

    @Test
    @DisplayName("H5: without a key no route answers, whatever was sent")
    void noRouteAnswersWithoutAKey() {
        try (RestClient anonymous = new RestClient(deployment.standalone.deployment().httpPort())) {
            assertThat(calls()).hasSizeGreaterThan(40);
            for (Call call : calls()) {
                Answer answer = called(anonymous, call);
                assertThat(answer.status()).as("%s: %s", call, answer).isEqualTo(401);
                assertThat(answer.text("/reason")).isEqualTo("CREDENTIAL_MISSING");
            }
            assertThat(anonymous.get("/livez").status()).isEqualTo(200);
            assertThat(anonymous.get("/readyz").status()).isEqualTo(200);
            assertThat(anonymous.get("/metrics").status()).as("a door of its own").isEqualTo(404);
        }
    }

    @Test
    @DisplayName("H5: without a key no gRPC method answers; health and the contracts do")
    void noMethodAnswersWithoutAKey() {
        ManagedChannel anonymous =
                Channels.open(
                        new Address.Tcp(
                                "127.0.0.1", deployment.standalone.deployment().grpcPort()));
        try (ReflectedServer server = new ReflectedServer(anonymous)) {
            assertThat(server.services())
                    .containsAll(SERVICES.stream().map(ServiceDescriptor::getName).toList());
            assertThat(
                            HealthGrpc.newBlockingStub(anonymous)
                                    .check(HealthCheckRequest.getDefaultInstance())
                                    .getStatus()
                                    .name())
                    .isEqualTo("SERVING");
            methods()
                    .forEach(
                            method -> {
                                Refused refused =
                                        RefusalParser.from(refusal(anonymous, method))
                                                .orElseThrow();
                                assertThat(refused.code().name())
                                        .as(method.getFullName())
                                        .isEqualTo("CREDENTIAL_MISSING");
                            });
        } finally {
            anonymous.shutdownNow();
        }
    }

    @Test
    @DisplayName("H5: whoever may only look gets 403 from everything that changes anything")
    void aReaderChangesNothing() {
        try (RestClient reader =
                new RestClient(deployment.standalone.deployment().httpPort(), made("reader"))) {
            for (Call call : calls()) {
                if (call.path().equals("/api/v1/events")) {
                    continue; // it would answer, and not end
                }
                boolean reads =
                        (call.verb().equals("GET")
                                        && !call.name().equals("ListApiKeys")
                                        && !call.name().equals("ListJoinTokens")
                                        && !call.name().equals("VerifyHistory"))
                                || call.name().equals("PlanRollout")
                                || call.name().equals("ValidateManifest");
                Answer answer = called(reader, call);
                if (reads) {
                    assertThat(answer.status()).as("%s: %s", call, answer).isNotIn(401, 403);
                } else {
                    assertThat(answer.status()).as("%s: %s", call, answer).isEqualTo(403);
                    assertThat(answer.text("/reason")).isEqualTo("SCOPE_MISSING");
                    assertThat(answer.text("/detail"))
                            .matches(
                                    "key:reader lacks the scope [a-z]+:[a-z]+( or [a-z]+:[a-z]+)*, which .*");
                }
            }
        }
    }

    @Test
    @DisplayName("H6: the administrator grants itself neither more nor another like itself")
    void adminIsNotSelfAssigned() {
        for (String scope : List.of("rollouts:admin", "rollouts:approve", "tokens:write")) {
            Answer answer =
                    deployment.rest.post(
                            "/api/v1/api-keys",
                            "{\"key_id\": \"mine\", \"scopes\": [\"%s\"]}".formatted(scope));
            assertThat(answer.status()).as("%s", answer).isEqualTo(403);
            assertThat(answer.text("/reason")).isEqualTo("SCOPE_NOT_GRANTABLE");
        }
        assertThat(deployment.rest.get("/api/v1/api-keys").body().toString())
                .doesNotContain("mine");
    }

    @Test
    @DisplayName("H6: the administrator does not approve; the approver does not run the fleet")
    void administratorAndApproverAreTwo() throws IOException {
        String rollout = "/api/v1/rollouts/00000000-0000-4000-8000-000000000000";
        String approver = Files.readString(deployment.data.approverKey()).strip();
        String admin = Files.readString(deployment.data.adminKey()).strip();
        int port = deployment.standalone.deployment().httpPort();
        try (RestClient asAdmin = new RestClient(port, admin);
                RestClient asApprover = new RestClient(port, approver)) {
            for (String verb : List.of("/approve-canary", "/force")) {
                assertThat(asAdmin.post(rollout + verb, "{}").text("/reason"))
                        .isEqualTo("SCOPE_MISSING");
                assertThat(asApprover.post(rollout + verb, "{\"reason\": \"x\"}").text("/reason"))
                        .isEqualTo("ROLLOUT_NOT_FOUND");
            }
            assertThat(asApprover.post(rollout + "/pause", "{}").text("/reason"))
                    .isEqualTo("SCOPE_MISSING");
            assertThat(asApprover.post(rollout + "/start", "{}").text("/reason"))
                    .as("where a second person must start")
                    .isEqualTo("ROLLOUT_NOT_FOUND");
        }
    }

    @Test
    @DisplayName("G2: the history of a real mesh is as it was written")
    void theHistoryHoldsTogether() {
        String id =
                deployment.created(
                        """
                        {"upgrade_id": "greeter-v2", "chain_profile_id": "harbour",
                         "node_type": "edge", "source_version": "v1", "strategy": "rolling",
                         "batch_size": 1}
                        """);
        deployment.request(id, "cancel");
        deployment.awaitStill(id, "cancelled");
        Answer found = deployment.rest.get("/api/v1/audit/verification");
        assertThat(found.body().at("/histories").asInt()).as("%s", found).isPositive();
        assertThat(found.text("/entries")).isNotIn("", "0");
        assertThat(found.body().at("/findings").isEmpty()).as("%s", found).isTrue();
    }

    @Test
    @DisplayName("H7: a revoked key is refused within 5 s, and says so")
    void aRevokedKeyEnds() {
        try (RestClient rest =
                new RestClient(deployment.standalone.deployment().httpPort(), made("leaver"))) {
            assertThat(rest.get("/api/v1/rollouts").status()).isEqualTo(200);
            Answer revoked = deployment.rest.post("/api/v1/api-keys/leaver/revoke", "{}");
            assertThat(revoked.text("/key/revoked_by")).isEqualTo("key:admin");
            await().atMost(Waits.LIMIT)
                    .until(
                            () ->
                                    rest.get("/api/v1/rollouts")
                                            .text("/reason")
                                            .equals("CREDENTIAL_REVOKED"));
        }
    }

    @Test
    @DisplayName("H14: no key is in any log, any output, any table")
    @Faults(
            rule = "H14 (no secret appears in logs, history, metrics or errors)",
            sample = "PrivateHostsTest.revealsNoSecret")
    void keysAppearNowhere() throws Exception {
        Path data = folder.resolve("own");
        List<String> secrets = new ArrayList<>();
        try (DroverProcess up =
                DroverProcess.start(
                        folder,
                        java.util.Map.of("DROVER_LOG_LEVEL", "debug"),
                        "up",
                        "--data=" + data,
                        "--nodes=1",
                        "--http-port=0",
                        "--grpc-port=0",
                        "--agent-port=0",
                        "--grant=ci=rollouts:read,rollouts:admin")) {
            await().atMost(Waits.LIMIT)
                    .until(() -> Files.exists(data.resolve("mesh.json")) || !up.isAlive());
            String server = "--server=127.0.0.1:" + grpcPort(data);
            DroverProcess.Ended made =
                    DroverProcess.run(
                            folder,
                            "key",
                            "create",
                            "probe",
                            "--scope=rollouts:read",
                            server,
                            "--key-file=" + data);
            assertThat(made.exitCode()).as(made.output()).isZero();
            secrets.add(made.output().strip());
            for (String id : List.of("admin", "approver", "ci")) {
                Path file = data.resolve(id + ".key");
                secrets.add(Files.readString(file).strip());
                DroverProcess.Ended listed =
                        DroverProcess.run(folder, "rollout", "list", server, "--key-file=" + file);
                assertThat(listed.exitCode()).as(listed.output()).isZero();
                assertHides(listed.output(), secrets);
            }
            DroverProcess.Ended status = DroverProcess.run(folder, "status", "--data=" + data);
            assertThat(status.exitCode()).as(status.output()).isZero();
            assertHides(up.output() + status.output(), secrets);
        } finally {
            DroverProcess.run(folder, "down", "--data=" + data);
        }
        assertThat(secrets).hasSize(4);
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!file.toString().endsWith(".key")) {
                    String bytes =
                            new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                    assertThat(secrets.stream().anyMatch(key -> bytes.contains(secretOf(key))))
                            .as("%s", file)
                            .isFalse();
                }
            }
        }
    }

    private static void assertHides(String text, List<String> secrets) {
        secrets.forEach(key -> assertThat(text).doesNotContain(secretOf(key)));
    }

    private static String secretOf(String key) {
        return key.substring(key.lastIndexOf('.') + 1);
    }

    private static int grpcPort(Path data) {
        return drover.localenv.RunningDeployment.read(data.resolve("mesh.json"))
                .orElseThrow()
                .grpcPort();
    }

    private String made(String id) {
        Answer answer =
                deployment.rest.post(
                        "/api/v1/api-keys",
                        "{\"key_id\": \"%s\", \"scopes\": [\"rollouts:read\"]}".formatted(id));
        assertThat(answer.status()).as("%s", answer).isEqualTo(201);
        assertThat(answer.location()).isEqualTo("/api/v1/api-keys/" + id);
        assertThat(answer.text("/key/created_by")).isEqualTo("key:admin");
        return answer.text("/secret");
    }

    private static Answer called(RestClient rest, Call call) {
        return call.verb().equals("GET") ? rest.get(call.path()) : rest.post(call.path(), "{}");
    }

    private static List<Call> calls() {
        return methods()
                .map(
                        method -> {
                            HttpRule rule = method.getOptions().getExtension(AnnotationsProto.http);
                            boolean get = !rule.getGet().isEmpty();
                            String path = get ? rule.getGet() : rule.getPost();
                            assertThat(path).as("a verb that this test knows").isNotEmpty();
                            return new Call(
                                    get ? "GET" : "POST",
                                    path.replaceAll("\\{[^}]+}", "x"),
                                    method.getName());
                        })
                .toList();
    }

    private static Stream<MethodDescriptor> methods() {
        return SERVICES.stream()
                .map(ServiceDescriptor::getSchemaDescriptor)
                .map(ProtoServiceDescriptorSupplier.class::cast)
                .flatMap(supplier -> supplier.getServiceDescriptor().getMethods().stream());
    }

    private static StatusRuntimeException refusal(ManagedChannel channel, MethodDescriptor method) {
        var call =
                io.grpc.MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
                        .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
                        .setFullMethodName(
                                method.getService().getFullName() + "/" + method.getName())
                        .setRequestMarshaller(
                                ProtoUtils.marshaller(
                                        DynamicMessage.getDefaultInstance(method.getInputType())))
                        .setResponseMarshaller(
                                ProtoUtils.marshaller(
                                        DynamicMessage.getDefaultInstance(method.getOutputType())))
                        .build();
        DynamicMessage empty = DynamicMessage.getDefaultInstance(method.getInputType());
        return catchThrowableOfType(
                StatusRuntimeException.class,
                () ->
                        ClientCalls.blockingServerStreamingCall(
                                        channel, call, CallOptions.DEFAULT, empty)
                                .hasNext());
    }
}
