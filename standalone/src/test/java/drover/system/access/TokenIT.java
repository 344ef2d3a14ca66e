package drover.system.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.RolloutServiceGrpc.RolloutServiceBlockingStub;
import drover.standalone.StandaloneConfig;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.TestDeployment;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A real mesh that takes the tokens of an identity provider, whose keys are in a file. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class TokenIT {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final String ROLLOUT =
            """
            {"chain_profile_id": "harbour", "node_type": "edge", "upgrade_id": "greeter-v2",
             "source_version": "v1", "strategy": "rolling", "batch_size": 1}
            """;

    private final TestIssuer issuer = new TestIssuer("https://issuer.example.test");
    private final TestIssuer stranger = new TestIssuer("https://issuer.example.test");
    private TestDeployment deployment;

    @BeforeAll
    void start(@TempDir Path place) throws Exception {
        FullBuildAssumption.requireEverything();
        Path keys = Files.writeString(place.resolve("keys.json"), issuer.publicKeys());
        deployment =
                TestDeployment.taking(
                        place.resolve("mesh"),
                        new StandaloneConfig.IdentityProvider(
                                issuer.name(), "drover", keys.toString()));
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            deployment.close();
        }
    }

    @Test
    @DisplayName(
            "H7: a token signed ES256 opens what its scopes say, and is told of as its subject")
    void tokenPermitsItsScopesOnly() {
        String token = issuer.token().with("scope", "rollouts:read rollouts:admin").signed();
        assertThat(listed(token)).isEmpty();
        try (RestClient alice = rest(token)) {
            Answer created = alice.post("/api/v1/rollouts", ROLLOUT);
            assertThat(created.status()).as("%s", created).isEqualTo(201);
            assertThat(created.text("/rollout/created_by")).isEqualTo("jwt:alice");
            String id = created.text("/rollout/id");
            assertThat(alice.post("/api/v1/rollouts/" + id + "/cancel", "{}").status())
                    .isIn(200, 202);
        }
        String other = issuer.token().with("scope", "rollouts:read").signed();
        try (RestClient reader = rest(other)) {
            assertThat(reader.get("/api/v1/rollouts").status()).isEqualTo(200);
            Answer refused = reader.post("/api/v1/rollouts", ROLLOUT);
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.text("/detail")).startsWith("jwt:alice lacks the scope");
        }
    }

    Stream<Arguments> refused() {
        TestIssuer.Token good = issuer.token().with("scope", "rollouts:read");
        return Stream.of(
                arguments("another audience", good.with("aud", "other").signed(), 401),
                arguments("another issuer", good.with("iss", "https://other.test").signed(), 401),
                arguments("expired", good.ended().signed(), 401),
                arguments("of a day", good.with("exp", good.issuedAt() + 86_400).signed(), 401),
                arguments("no scope", issuer.token().signed(), 403),
                arguments("signed by nobody known", stranger.token().signed(), 401),
                arguments("not signed", good.unsigned(), 401));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    @DisplayName("H7: what a token lacks is refused in one sentence, the same over REST and gRPC")
    void aTokenThatIsNotGoodIsRefused(String what, String token, int status) {
        try (RestClient caller = rest(token)) {
            Answer answer = caller.get("/api/v1/rollouts");
            assertThat(answer.status()).as("%s: %s", what, answer).isEqualTo(status);
            assertThat(answer.text("/detail")).matches("[A-Z'j].*\\.").doesNotContain(token);
            Refused refused = RefusalParser.from(refusal(token)).orElseThrow();
            assertThat(refused.code().name()).isEqualTo(answer.text("/reason"));
            assertThat(refused.sentence()).isEqualTo(answer.text("/detail"));
        }
    }

    private RestClient rest(String token) {
        return new RestClient(deployment.standalone.deployment().httpPort(), token);
    }

    private java.util.List<drover.rollout.v1.Rollout> listed(String token) {
        ManagedChannel channel = channel();
        try {
            return stub(channel, token)
                    .listRollouts(ListRolloutsRequest.getDefaultInstance())
                    .getRolloutsList();
        } finally {
            channel.shutdownNow();
        }
    }

    private StatusRuntimeException refusal(String token) {
        return catchThrowableOfType(StatusRuntimeException.class, () -> listed(token));
    }

    private ManagedChannel channel() {
        return Channels.open(
                new Address.Tcp("127.0.0.1", deployment.standalone.deployment().grpcPort()));
    }

    private static RolloutServiceBlockingStub stub(ManagedChannel channel, String token) {
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + token);
        return RolloutServiceGrpc.newBlockingStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }
}
