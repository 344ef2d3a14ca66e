package drover.system.api;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.gateway.Faults;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.Strategy;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.RestClient.Answer;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many at once at the real doors of one mesh over a real PostgreSQL. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
@Faults(
        rule = "A2 (a chain never has two owners)",
        sample = "ConcurrentCreationIT.callsAtOnceWithoutAKeyCompeteForTheChain")
class ConcurrentLoadIT {
    private static final int CALLERS = 500;
    private static final int TURNS = 15; // of each of two operators, at two requests

    /** What a client may be told to try again after; the answer then says when. */
    private static final Set<String> OVER_SOON =
            Set.of("OVERLOADED", "STORE_UNAVAILABLE", "DEADLINE", "NOT_READY", "CONNECTION_CLOSED");

    private static final int MOST_TRIES = 100; // a second apart

    private static final String HERD =
            """
            {"chain_profile_id": "harbour", "node_type": "edge", "upgrade_id": "greeter-v2",
             "source_version": "v1", "strategy": "rolling", "batch_size": 1}
            """;

    private TestDeployment deployment;

    /** What came of one call: the id of a rollout, or the reason and sentence of a refusal. */
    private record Outcome(String id, String reason, String sentence) {
        boolean again() {
            return OVER_SOON.contains(reason);
        }
    }

    /** One caller's way to create a rollout. */
    private interface Creating {
        Outcome create(String key);
    }

    @BeforeAll
    void start(@TempDir Path place) {
        FullBuildAssumption.requireEverything();
        deployment = TestDeployment.demo(place.resolve("mesh"), 2);
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
    @DisplayName("A2: of 500 creations at once for one chain one is made, and all others hear why")
    void ofManyCreationsAtOnceOneIsMade() throws Exception {
        int before = deployment.rest.get("/api/v1/rollouts").body().at("/rollouts").size();
        CountDownLatch go = new CountDownLatch(1);
        List<Outcome> outcomes = new ArrayList<>();
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Outcome>> calls = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                String key = "caller-" + i;
                Creating way = i % 5 == 0 ? this::overRest : this::overGrpc;
                calls.add(
                        callers.submit(
                                () -> {
                                    go.await();
                                    return persistently(way, key);
                                }));
            }
            go.countDown();
            for (Future<Outcome> call : calls) {
                outcomes.add(call.get(240, SECONDS)); // none hangs
            }
        }

        assertThat(outcomes.stream().filter(it -> !it.id().isEmpty())).hasSize(1);
        assertThat(
                        outcomes.stream()
                                .map(Outcome::reason)
                                .filter(reason -> !reason.isEmpty())
                                .collect(Collectors.toSet()))
                .containsExactly("CHAIN_BUSY");
        assertThat(outcomes.stream().map(Outcome::sentence).filter(it -> !it.isEmpty()))
                .allSatisfy(
                        it ->
                                assertThat(it)
                                        .contains("is active for chain harbour")
                                        .endsWith(".")
                                        .doesNotContain("\n", "Exception"));
        assertThat(deployment.rest.get("/api/v1/rollouts").body().at("/rollouts").size())
                .isEqualTo(before + 1);
    }

    @Test
    @DisplayName(
            "A17 G2: two who pause and resume at once leave one legal state and a whole history")
    void twoOperatorsAtOnceLeaveALegalState() throws Exception {
        String id =
                deployment.started(
                        HERD.replace(
                                "\"batch_size\"",
                                "\"health_wait_duration\": \"20s\", \"batch_size\""));
        deployment.awaitStatus(id, "running");
        Set<Integer> statuses = new HashSet<>();
        Set<String> reasons = new HashSet<>();
        int answers = 0;
        try (ExecutorService people = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<List<Answer>>> all =
                    List.of(
                            people.submit(() -> request(id, "pause", "resume")),
                            people.submit(() -> request(id, "resume", "pause")));
            for (Future<List<Answer>> one : all) {
                for (Answer answer : one.get(240, SECONDS)) {
                    answers++;
                    statuses.add(answer.status());
                    reasons.add(answer.text("/reason"));
                }
            }
        }

        assertThat(answers).isEqualTo(4 * TURNS);
        assertThat(statuses).as("%s", reasons).isSubsetOf(200, 202, 409);
        assertThat(statuses).contains(200);
        assertThat(reasons).doesNotContain("INTERNAL");
        await().atMost(Waits.LIMIT)
                .until(
                        () ->
                                count(
                                                "SELECT count(*) FROM coordinator.operator_request"
                                                        + " WHERE state = 'pending' AND rollout_id = ?::uuid",
                                                id)
                                        == 0);
        assertThat(deployment.status(id)).isIn("running", "paused");
        assertThat(
                        count(
                                "SELECT count(*) FROM (SELECT prev_hash, lag(hash, 1, 'genesis')"
                                        + " OVER (ORDER BY seq) AS before FROM coordinator.history"
                                        + " WHERE rollout_id = ?::uuid) it WHERE prev_hash <> before",
                                id))
                .as("breaks in the chain")
                .isZero();
        assertThat(
                        count(
                                "SELECT count(*) FROM coordinator.rollout r WHERE id = ?::uuid AND"
                                        + " history_head = (SELECT hash FROM coordinator.history h"
                                        + " WHERE h.rollout_id = r.id ORDER BY seq DESC LIMIT 1)",
                                id))
                .as("the head is the last row")
                .isOne();
    }

    private List<Answer> request(String id, String first, String second) {
        List<Answer> answers = new ArrayList<>();
        for (int turn = 0; turn < TURNS; turn++) {
            answers.add(deployment.rest.post("/api/v1/rollouts/" + id + "/" + first, "{}"));
            answers.add(deployment.rest.post("/api/v1/rollouts/" + id + "/" + second, "{}"));
        }
        return answers;
    }

    /** As a client does that is told to come back: the same call, under the same key. */
    private static Outcome persistently(Creating way, String key) throws InterruptedException {
        Outcome outcome = way.create(key);
        for (int tries = 1; outcome.again() && tries < MOST_TRIES; tries++) {
            var _ = new CountDownLatch(1).await(Refused.RETRY_SECONDS * 1_000L, MILLISECONDS);
            outcome = way.create(key);
        }
        return outcome;
    }

    private Outcome overGrpc(String key) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("idempotency-key", Metadata.ASCII_STRING_MARSHALLER), key);
        try {
            return new Outcome(
                    RolloutServiceGrpc.newBlockingStub(deployment.channel) // names no deadline
                            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                            .createRollout(
                                    CreateRolloutRequest.newBuilder()
                                            .setChainProfileId("harbour")
                                            .setNodeType("edge")
                                            .setUpgradeId("greeter-v2")
                                            .setSourceVersion("v1")
                                            .setStrategy(Strategy.STRATEGY_ROLLING)
                                            .setBatchSize(1)
                                            .build())
                            .getRollout()
                            .getId(),
                    "",
                    "");
        } catch (StatusRuntimeException e) {
            if (isConnectionClosed(e)) {
                return new Outcome("", "CONNECTION_CLOSED", "");
            }
            Refused refused =
                    RefusalParser.from(e)
                            .orElseThrow(() -> new AssertionError("It carries no reason", e));
            return new Outcome("", refused.code().name(), refused.sentence());
        }
    }

    /** All calls share a connection; the server closes one on which too many calls were reset. */
    private static boolean isConnectionClosed(StatusRuntimeException e) {
        return String.valueOf(e.getStatus().getDescription()).startsWith("Connection closed after");
    }

    private Outcome overRest(String key) {
        Answer answer = deployment.rest.post("/api/v1/rollouts", HERD, "Idempotency-Key", key);
        return answer.status() == 201
                ? new Outcome(answer.text("/rollout/id"), "", "")
                : new Outcome("", answer.text("/reason"), answer.text("/detail"));
    }

    private long count(String sql, String id) throws SQLException {
        String url = EmbeddedOrExternalDatabase.findRunningUrl(deployment.data).orElseThrow();
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, id);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }
}
