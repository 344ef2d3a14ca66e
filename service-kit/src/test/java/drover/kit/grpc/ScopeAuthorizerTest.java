package drover.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import drover.kit.access.AccessTable;
import drover.kit.access.Principal;
import drover.kit.access.Scope;
import drover.kit.rest.HttpServer;
import drover.kit.rest.RestTranscoder;
import drover.model.RefusalCode;
import drover.rollout.v1.GetRolloutRequest;
import drover.rollout.v1.GetRolloutResponse;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.ListRolloutsResponse;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The one check, through both doors: a real gRPC server and a real socket of HTTP before it. */
final class ScopeAuthorizerTest {
    private static final Address ENDPOINT = Address.parse("in-process:access-gate-test");

    /** Only listing is known; every other method of the service has no row. */
    private static final AccessTable ONE_ROW =
            AccessTable.builder()
                    .require(Scope.ROLLOUTS_READ, RolloutServiceGrpc.SERVICE_NAME, "ListRollouts")
                    .build();

    private static final ScopeAuthorizer GATE =
            new ScopeAuthorizer(wholeTable(), ScopeAuthorizerTest::who);

    private static GrpcServer grpc;
    private static ManagedChannel channel;
    private static HttpServer http;

    /** Says who called. */
    private static final class Echo extends RolloutServiceGrpc.RolloutServiceImplBase {
        @Override
        public void listRollouts(
                ListRolloutsRequest request, StreamObserver<ListRolloutsResponse> answer) {
            answer.onNext(
                    ListRolloutsResponse.newBuilder()
                            .addRollouts(
                                    Rollout.newBuilder()
                                            .setCreatedBy(AuthorizationInterceptor.currentActor()))
                            .build());
            answer.onCompleted();
        }

        @Override
        public void getRollout(
                GetRolloutRequest request, StreamObserver<GetRolloutResponse> answer) {
            answer.onNext(GetRolloutResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }

    private static AccessTable wholeTable() {
        return AccessTable.builder()
                .require(Scope.ROLLOUTS_READ, RolloutServiceGrpc.SERVICE_NAME, "ListRollouts")
                .require(
                        Scope.ROLLOUTS_ADMIN,
                        RolloutServiceGrpc.SERVICE_NAME,
                        RolloutServiceGrpc.getServiceDescriptor().getMethods().stream()
                                .map(method -> String.valueOf(method.getBareMethodName()))
                                .filter(method -> !method.equals("ListRollouts"))
                                .toArray(String[]::new))
                .build();
    }

    private static Principal who(String authorization) {
        if (!authorization.equals("Bearer reader")) {
            throw new Refused(RefusalCode.CREDENTIAL_MISSING, "Send a key.");
        }
        return new Principal(Principal.Kind.KEY, "reader", Set.of(Scope.ROLLOUTS_READ));
    }

    @BeforeAll
    static void start() {
        grpc =
                GrpcServer.builder()
                        .accessControl(GATE)
                        .withReflection()
                        .addService(new Echo())
                        .listen(ENDPOINT);
        channel = Channels.open(ENDPOINT);
        http =
                HttpServer.builder()
                        .rest(
                                RestTranscoder.of(
                                                channel, RolloutServiceGrpc.getServiceDescriptor())
                                        .withAccessControl(GATE))
                        .listen(new Address.Tcp("127.0.0.1", 0));
    }

    @AfterAll
    static void stop() {
        http.close();
        channel.shutdownNow();
        grpc.close();
    }

    @Test
    void theHandlerLearnsTheVerifiedPrincipal() {
        assertThat(
                        calling("Bearer reader")
                                .listRollouts(ListRolloutsRequest.getDefaultInstance())
                                .getRollouts(0)
                                .getCreatedBy())
                .isEqualTo("key:reader");
        assertThat(AuthorizationInterceptor.currentActor())
                .as("outside of a call")
                .isEqualTo("nobody");
    }

    @Test
    void refusesCallsWithoutAKey() {
        StatusRuntimeException refused =
                catchThrowableOfType(
                        StatusRuntimeException.class,
                        () ->
                                RolloutServiceGrpc.newBlockingStub(channel)
                                        .listRollouts(ListRolloutsRequest.getDefaultInstance()));
        assertThat(refused.getStatus().getCode().name()).isEqualTo("UNAUTHENTICATED");
        assertThat(RefusalParser.from(refused).orElseThrow().code())
                .isEqualTo(RefusalCode.CREDENTIAL_MISSING);
    }

    @Test
    void theMissingScopeIsNamed() {
        StatusRuntimeException refused =
                catchThrowableOfType(
                        StatusRuntimeException.class,
                        () ->
                                calling("Bearer reader")
                                        .getRollout(GetRolloutRequest.getDefaultInstance()));
        assertThat(refused.getStatus().getCode().name()).isEqualTo("PERMISSION_DENIED");
        assertThat(refused.getStatus().getDescription())
                .isEqualTo(
                        "key:reader lacks the scope rollouts:admin, which this call needs; use"
                                + " another key.");
    }

    @ParameterizedTest
    @CsvSource({
        "GET,  /api/v1/rollouts,             '',             401, CREDENTIAL_MISSING",
        "GET,  /api/v1/rollouts,             Bearer stranger, 401, CREDENTIAL_MISSING",
        "GET,  /api/v1/rollouts,             Bearer reader,  200, ''",
        "GET,  /api/v1/rollouts/r-1,         Bearer reader,  403, SCOPE_MISSING",
        "POST, /api/v1/rollouts,             '',             401, CREDENTIAL_MISSING",
        "POST, /api/v1/rollouts/r-1/start,   Bearer reader,  403, SCOPE_MISSING",
        "GET,  /livez,                       '',             200, ''",
        "GET,  /readyz,                      '',             200, ''"
    })
    void restChecksAccessBeforeItReadsTheBody(
            String verb, String path, String authorization, int status, String reason)
            throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http.port() + path))
                        .method(verb, HttpRequest.BodyPublishers.ofString("{not json"));
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> answer =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
            assertThat(answer.body()).contains(reason);
            assertThat(answer.headers().firstValue("WWW-Authenticate").orElse(""))
                    .isEqualTo(status == 401 ? "Bearer" : "");
        }
    }

    @Test
    void healthIsOpen() {
        assertThat(
                        HealthGrpc.newBlockingStub(channel)
                                .check(HealthCheckRequest.getDefaultInstance())
                                .getStatus())
                .isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
    }

    @Test
    @DisplayName("H5: a door that serves a method without a rule does not open")
    void aMethodWithoutARowKeepsTheEndpointShut() {
        GrpcServer.Builder plan =
                GrpcServer.builder()
                        .accessControl(
                                new ScopeAuthorizer(ONE_ROW, Authenticator.withoutAuthentication()))
                        .addService(new Echo());
        assertThatThrownBy(() -> plan.listen(Address.parse("in-process:shut")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("drover.rollout.v1.RolloutService/StartRollout")
                .hasMessageNotContaining("ListRollouts]");
    }

    @Test
    @DisplayName("H5: without a rule nobody is let in, whoever it is")
    void methodWithoutARowIsRefused() {
        ScopeAuthorizer gate = new ScopeAuthorizer(ONE_ROW, Authenticator.withoutAuthentication());
        assertThatThrownBy(() -> gate.authorize("drover.rollout.v1.RolloutService/Other", ""))
                .isInstanceOf(Refused.class)
                .hasMessage("Nobody may call drover.rollout.v1.RolloutService/Other here.");
    }

    private static RolloutServiceGrpc.RolloutServiceBlockingStub calling(String authorization) {
        Metadata headers = new Metadata();
        headers.put(
                Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), authorization);
        return RolloutServiceGrpc.newBlockingStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }
}
