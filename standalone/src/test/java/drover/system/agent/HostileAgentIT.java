package drover.system.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Hello;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.model.Digest;
import drover.model.NodeId;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** An agent with a valid credential that sends what no agent sends, in a complete system. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class HostileAgentIT {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Metadata.Key<String> TOKEN =
            Metadata.Key.of("drover-node-token", Metadata.ASCII_STRING_MARSHALLER);
    private static final int RANDOM_MESSAGES = 300;

    /** A gateway admits ten calls of a node at once, and each message needs one. */
    private static final List<String> HOSTILE =
            IntStream.range(0, 150).mapToObj(i -> "hostile-" + i).toList();

    private TestDeployment deployment;
    private ManagedChannel agents;
    private long connections;

    @BeforeAll
    void start(@TempDir Path place) throws IOException {
        FullBuildAssumption.requireEverything();
        SleepProgramConfig yard =
                SleepProgramConfig.in(place.resolve("config")).node("bunk-1").node("bunk-2");
        for (String node : HOSTILE) {
            var _ = yard.node(node, "agent: external"); // this test is its agent
        }
        for (String version : List.of("v2", "v3")) {
            byte[] program = SleepProgramConfig.program(version);
            yard.manifest(version, yard.url(version, program), Digest.of(program));
        }
        deployment = TestDeployment.of(place.resolve("mesh"), yard.folder());
        agents =
                Channels.open(
                        new Address.Tcp(
                                "127.0.0.1", deployment.standalone.deployment().agentPort()));
    }

    @AfterAll
    void close() {
        if (agents != null) {
            agents.shutdownNow();
        }
        if (deployment != null) {
            deployment.close();
        }
    }

    @Test
    @DisplayName("H9, I3: whatever one agent sends, the rollouts of other nodes finish")
    void otherNodesFinishDespiteAHostileAgent() throws InterruptedException {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("HostileAgentIT: -Dseed=" + seed);
        Random random = new Random(seed);
        List<ConnectRequest> corpus = new ArrayList<>(HostileMessages.ofEachField());
        for (int i = 0; i < RANDOM_MESSAGES; i++) {
            corpus.add(HostileMessages.random(random));
        }
        assertThat(corpus).hasSizeGreaterThan(500).hasSizeLessThanOrEqualTo(10 * HOSTILE.size());

        String during = deployment.started(rollout("v1", "v2"));
        for (int i = 0; i < corpus.size(); i++) {
            send(HOSTILE.get(i % HOSTILE.size()), corpus.get(i));
        }

        deployment.awaitStill(during, "completed");
        deployment.awaitStill(deployment.started(rollout("v2", "v3")), "completed");
        assertThat(incidents())
                .as("one incident for each node, not one for each message")
                .extracting(incident -> incident.at("/node_id").asString())
                .doesNotHaveDuplicates()
                .allMatch(HOSTILE::contains);
        assertThat(HOSTILE)
                .allSatisfy(
                        node ->
                                assertThat(node(node).toString().length())
                                        .as("what is kept of the node")
                                        .isLessThan(300_000));
    }

    /** Sends it as the executor of a later start, and waits until the gateway has handled it. */
    private void send(String node, ConnectRequest message) throws InterruptedException {
        Metadata token = new Metadata();
        token.put(TOKEN, deployment.data.node(new NodeId(node)).readOrCreateToken());
        CountDownLatch welcome = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicReference<Status.Code> failure = new AtomicReference<>(Status.Code.OK);
        StreamObserver<ConnectRequest> stream =
                AgentServiceGrpc.newStub(agents)
                        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(token))
                        .connect(new ResponseObserver(welcome, end, failure));
        Hello.Builder hello =
                Hello.newBuilder()
                        .setProtocol(1)
                        .setIncarnation(1_000_000)
                        .setConnectionNumber(++connections)
                        .setExecutor(true);
        if (message.hasHello()) {
            stream.onNext(
                    ConnectRequest.newBuilder()
                            .setHello(hello.mergeFrom(message.getHello()))
                            .build());
        } else {
            stream.onNext(ConnectRequest.newBuilder().setHello(hello).build());
            assertThat(welcome.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            stream.onNext(message);
        }
        stream.onCompleted();
        assertThat(end.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).as("%s", message).isTrue();
        assertThat(failure.get()).as("%s", message).isNotEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }

    private List<JsonNode> incidents() {
        return await().atMost(TIMEOUT)
                .until(
                        () -> {
                            List<JsonNode> found = new ArrayList<>();
                            for (JsonNode one :
                                    deployment
                                            .rest
                                            .get("/api/v1/incidents")
                                            .body()
                                            .at("/incidents")) {
                                if (one.at("/category").asString().equals("agent_message_rejected")
                                        && !one.at("/state").asString().equals("resolved")) {
                                    found.add(one);
                                }
                            }
                            return found;
                        },
                        found -> !found.isEmpty());
    }

    private JsonNode node(String id) {
        return deployment.rest.get("/api/v1/nodes/" + id).body();
    }

    private static String rollout(String from, String to) {
        return """
        {"upgrade_id": "sleeper-%s", "chain_profile_id": "yard", "node_type": "bunk",
         "source_version": "%s", "node_ids": ["bunk-1", "bunk-2"], "strategy": "rolling",
         "batch_size": 1, "health_wait_duration": "1s"}
        """
                .formatted(to, from);
    }

    private record ResponseObserver(
            CountDownLatch welcome, CountDownLatch end, AtomicReference<Status.Code> failure)
            implements StreamObserver<ConnectResponse> {
        @Override
        public void onNext(ConnectResponse message) {
            welcome.countDown();
        }

        @Override
        public void onError(Throwable error) {
            failure.set(Status.fromThrowable(error).getCode());
            welcome.countDown(); // refused: nothing more is sent on this stream
            end.countDown();
        }

        @Override
        public void onCompleted() {
            end.countDown();
        }
    }
}
