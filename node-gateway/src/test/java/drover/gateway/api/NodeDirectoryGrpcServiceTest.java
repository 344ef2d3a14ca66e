package drover.gateway.api;

import static drover.gateway.GatewayFixture.registration;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import drover.agent.v1.AgentFinding;
import drover.agent.v1.ApplicationHealth;
import drover.agent.v1.ClusterState;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.ProgramHealth;
import drover.gateway.GatewayFixture;
import drover.gateway.TestAgent;
import drover.gateway.Waits;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.Node;
import drover.node.v1.NodeHealth;
import drover.node.v1.RegisterNodeRequest;
import drover.node.v1.RetireDirectoryNodeRequest;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class NodeDirectoryGrpcServiceTest {
    /** Most by which the wall clock and the monotonic clock differ during this test. */
    private static final Duration TWO_CLOCKS = Duration.ofMillis(100);

    @AutoClose
    private final GatewayFixture fixture = GatewayFixture.inProcess(UUID.randomUUID().toString());

    @Test
    void showsARegisteredNodeThatNeverConnected() {
        fixture.register("n1");

        Node node = fixture.node("n1");

        assertThat(node.getChainProfileId()).isEqualTo("testchain");
        assertThat(node.getNodeType()).isEqualTo("full");
        assertThat(node.getLabelsMap()).containsEntry("zone", "a");
        assertThat(node.getOnline()).isFalse();
        assertThat(node.hasLastSeenAt()).isFalse();
        assertThat(node.getAgentVersion()).isEqualTo("unknown");
        assertThat(node.getGatewayId()).isEmpty();
    }

    @Test
    void showsTheReportOfAConnectedAgentAtOnce() {
        TestAgent agent = fixture.connected("n1");

        Node node = fixture.node("n1");

        assertThat(agent.received.ended()).isFalse();
        assertThat(node.getOnline()).isTrue();
        assertThat(node.hasLastSeenAt()).isTrue();
        assertThat(node.getGatewayId()).isEqualTo("gateway-1");
        assertThat(node.getRuntime()).isEqualTo("simulated");
        assertThat(node.getPrograms(0).getRunningDigest()).isEqualTo("sha256:1");
    }

    @Test
    void showsHowAConnectedNodeIs() {
        fixture.register("n2");
        TestAgent agent = fixture.connected("n1");
        assertThat(fixture.node("n1").getHealth()).isEqualTo(NodeHealth.NODE_HEALTH_UNKNOWN);
        assertThat(fixture.node("n2").getHealth()).isEqualTo(NodeHealth.NODE_HEALTH_OFFLINE);

        agent.send(beat("run-1", ApplicationHealth.APPLICATION_HEALTH_OK));
        await(NodeHealth.NODE_HEALTH_OK, "");
        agent.send(beat("run-1", ApplicationHealth.APPLICATION_HEALTH_CRITICAL));
        await(NodeHealth.NODE_HEALTH_CRITICAL, "chain is critical: door: nobody listens");
        agent.send(beat("", ApplicationHealth.APPLICATION_HEALTH_UNSPECIFIED));
        await(NodeHealth.NODE_HEALTH_DOWN, "chain does not run: door: nobody listens");
        agent.send(
                beat("", ApplicationHealth.APPLICATION_HEALTH_UNSPECIFIED).toBuilder()
                        .addFindings(
                                AgentFinding.newBuilder().setCode("CRASH_LOOP").setProgram("chain"))
                        .build());
        await(NodeHealth.NODE_HEALTH_CRASH_LOOP, "chain crashes repeatedly: door: nobody listens");
        agent.hangsUp();
        await(NodeHealth.NODE_HEALTH_OFFLINE, "Its agent is not connected.");
    }

    @Test
    void showsHowFarTheClockOfAConnectedNodeIsFromOurs() {
        TestAgent agent = fixture.connected("n1");
        assertThat(fixture.node("n1").hasClockOffset()).isFalse();

        Instant first = Instant.now();
        agent.send(sentAt(first.plusSeconds(3_600)));
        awaitClockAhead(Duration.ofHours(1), first);
        Instant second = Instant.now();
        agent.send(sentAt(second.minusSeconds(90)));
        awaitClockAhead(Duration.ofSeconds(-90), second);
        agent.send(Heartbeat.newBuilder().setSentAt(Timestamps.MAX_VALUE).build());
        Awaitility.await()
                .atMost(Waits.LIMIT)
                .untilAsserted(
                        () ->
                                assertThat(fixture.node("n1").getClockOffset().getSeconds())
                                        .isGreaterThan(1_000_000_000));
        agent.send(Heartbeat.newBuilder().setSentAt(Timestamp.newBuilder().setNanos(-1)).build());
        Awaitility.await()
                .atMost(Waits.LIMIT)
                .untilAsserted(() -> assertThat(fixture.node("n1").hasClockOffset()).isFalse());
    }

    /** The message takes no longer than the time that has passed since it was sent. */
    private void awaitClockAhead(Duration ahead, Instant sent) {
        Awaitility.await()
                .atMost(Waits.LIMIT)
                .untilAsserted(
                        () -> {
                            long shown = Durations.toNanos(fixture.node("n1").getClockOffset());
                            Duration passed = Duration.between(sent, Instant.now());
                            assertThat(Duration.ofNanos(shown))
                                    .isBetween(
                                            ahead.minus(passed).minus(TWO_CLOCKS),
                                            ahead.plus(TWO_CLOCKS));
                        });
    }

    private static Heartbeat sentAt(Instant at) {
        return Heartbeat.newBuilder().setSentAt(Timestamps.fromMillis(at.toEpochMilli())).build();
    }

    private void await(NodeHealth health, String detail) {
        Awaitility.await()
                .atMost(Waits.LIMIT)
                .untilAsserted(
                        () -> {
                            Node node = fixture.node("n1");
                            assertThat(node.getHealth()).isEqualTo(health);
                            assertThat(node.getHealthDetail()).isEqualTo(detail);
                        });
    }

    private static Heartbeat beat(String runId, ApplicationHealth health) {
        return Heartbeat.newBuilder()
                .addPrograms(
                        ProgramHealth.newBuilder()
                                .setName("chain")
                                .setRunId(runId)
                                .setApplicationHealth(health)
                                .addProbeDetails("door: nobody listens"))
                .build();
    }

    @Test
    void showsEveryFailingProbeOnRequest() {
        List<String> problems = List.of("a: 1", "b: 2", "c: 3", "d: 4", "e: 5");
        Heartbeat.Builder beat =
                beat("run-1", ApplicationHealth.APPLICATION_HEALTH_CRITICAL).toBuilder();
        beat.getProgramsBuilder(0).clearProbeDetails().addAllProbeDetails(problems);
        fixture.connected("n1").send(beat.build());
        await(NodeHealth.NODE_HEALTH_CRITICAL, "chain is critical: a: 1; b: 2; c: 3; and 2 more");

        assertThat(nodeWithDetails().getConditions(0).getProbeDetailsList()).isEqualTo(problems);
        assertThat(fixture.node("n1").getConditions(0).getProbeDetailsList()).isEmpty();
    }

    private Node nodeWithDetails() {
        ListDirectoryRequest request =
                ListDirectoryRequest.newBuilder()
                        .addNodeIds("n1")
                        .setWithProbeDetails(true)
                        .build();
        return fixture.directory().listDirectory(request).getNodes(0);
    }

    @Test
    void showsTheStateOfAClusterWithItsPresentAgeOnRequest() {
        Heartbeat.Builder beat =
                beat("run-1", ApplicationHealth.APPLICATION_HEALTH_CRITICAL).toBuilder();
        beat.getProgramsBuilder(0).setCluster(ClusterStates.valid());
        TestAgent agent = fixture.connected("n1").send(beat.build());
        await(NodeHealth.NODE_HEALTH_CRITICAL, "chain is critical: door: nobody listens");

        ClusterState shown = nodeWithDetails().getConditions(0).getCluster();
        assertThat(shown.getReport()).isEqualTo(ClusterStates.valid().getReport());
        assertThat(Durations.toNanos(shown.getAge())).isGreaterThan(3_000_000_000L);
        assertThat(fixture.node("n1").getConditions(0).hasCluster()).isFalse();

        beat.getProgramsBuilder(0).clearCluster();
        agent.send(beat.build());
        Awaitility.await()
                .atMost(Waits.LIMIT)
                .until(() -> !nodeWithDetails().getConditions(0).hasCluster());
    }

    @Test
    void registeringAgainIsIdempotentAndIdentityIsFixed() {
        fixture.register("n1");
        fixture.register("n1");

        refuses(
                RefusalCode.NODE_IDENTITY_FIXED,
                () -> register(registration("n1").setNodeType("light")));
        refuses(
                RefusalCode.NODE_IDENTITY_FIXED,
                () -> register(registration("n1").setChainProfileId("other")));
        refuses(
                RefusalCode.INVALID_FIELD,
                () ->
                        register(
                                registration("n2")
                                        .setTokenSha256(registration("n1").getTokenSha256())));
        assertThat(fixture.nodes()).hasSize(1);
    }

    @Test
    void retiresOfflineNodesOnly() {
        fixture.connected("n1");
        fixture.register("n2");

        refuses(RefusalCode.NODE_ONLINE, () -> retire("n1"));
        refuses(RefusalCode.NODE_NOT_FOUND, () -> retire("n3"));
        assertThat(retire("n2").hasRetiredAt()).isTrue();
        assertThat(fixture.nodes()).extracting(Node::getId).containsExactly("n1");
    }

    private Node retire(String id) {
        return fixture.directory()
                .retireDirectoryNode(RetireDirectoryNodeRequest.newBuilder().setNodeId(id).build())
                .getNode();
    }

    @Test
    void refusesMalformedFields() {
        List<RegisterNodeRequest.Builder> malformed =
                List.of(
                        registration("Upper"),
                        registration("n1").setChainProfileId("a/b"),
                        registration("n1").setNodeType(""),
                        registration("n1").setTokenSha256("secret"),
                        registration("n1").putLabels("", "x"),
                        registration("n1").putLabels("zone", "a\u0000b"));
        malformed.forEach(request -> refuses(RefusalCode.INVALID_FIELD, () -> register(request)));
        refuses(
                RefusalCode.INVALID_FIELD,
                () -> {
                    var _ =
                            fixture.directory()
                                    .listDirectory(
                                            ListDirectoryRequest.newBuilder()
                                                    .setPageSize(10_001)
                                                    .build());
                });
    }

    private void register(RegisterNodeRequest.Builder request) {
        var _ = fixture.directory().registerNode(request.build());
    }

    private static void refuses(RefusalCode code, ThrowingCallable call) {
        assertThatExceptionOfType(StatusRuntimeException.class)
                .isThrownBy(call)
                .satisfies(
                        failure ->
                                assertThat(RefusalParser.from(failure).map(Refused::code))
                                        .contains(code));
    }
}
