package drover.gateway.api;

import static drover.agent.v1.AttemptOutcome.ATTEMPT_OUTCOME_FAILED;
import static drover.agent.v1.AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS;
import static drover.gateway.GatewayFixture.token;
import static drover.gateway.TestAgent.hello;
import static drover.gateway.TestAgent.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import drover.agent.v1.AgentFinding;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.ClusterState;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.Hello;
import drover.agent.v1.ProgramHealth;
import drover.agent.v1.ProgramReport;
import drover.gateway.GatewayFixture;
import drover.gateway.TestAgent;
import drover.gateway.TestLeader;
import drover.model.Digest;
import drover.model.RefusalCode;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.ProgramCondition;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Messages with values outside their limits, at the agents' endpoint. */
class InvalidMessageTest {
    @AutoClose private final GatewayFixture fixture = GatewayFixture.inProcess("invalid");
    private TestAgent agent;
    private TestAgent other;
    private TestLeader leader;

    @BeforeEach
    void connectBoth() {
        agent = fixture.connected("n1");
        other = fixture.connected("n2");
        leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1", "n2"));
    }

    @Test
    @DisplayName("H9: an invalid message ends its own stream, and its leader hears which field")
    void endsItsOwnStreamAndReportsTheField() {
        agent.send(
                Heartbeat.newBuilder()
                        .setNextHeartbeatWithin(Duration.newBuilder().setSeconds(Long.MAX_VALUE))
                        .build());

        assertThat(agent.received.refusal()).isEqualTo(RefusalCode.INVALID_FIELD);
        leaderReceives(
                "n1", "heartbeat.next_heartbeat_within must be a duration from 0 to 600 seconds.");
        assertOthersAreServed();
    }

    @Test
    void theFindingStaysWhenTheAgentReconnects() {
        agent.send(status(1L << 60, 1, ATTEMPT_OUTCOME_IN_PROGRESS));
        assertThat(agent.received.refusal()).isEqualTo(RefusalCode.INVALID_FIELD);

        TestAgent back =
                TestAgent.connect(fixture.agents, token("n1"))
                        .send(hello(1, 2))
                        .send(Heartbeat.getDefaultInstance());

        assertThat(back.session()).isNotEmpty();
        TestLeader next = TestLeader.attach(fixture.internal, 2).watches(1, List.of("n1"));
        next.received.awaitMessage(
                response ->
                        response.getFindings().getNodesList().stream()
                                .flatMap(node -> node.getFindingsList().stream())
                                .anyMatch(it -> it.getCode().equals("MESSAGE_REJECTED")));
    }

    @Test
    @DisplayName("A status that quotes a NUL is accepted with the NUL replaced")
    void repairsText() {
        agent.send(
                status(1, 1, ATTEMPT_OUTCOME_FAILED).toBuilder()
                        .setDetail("The program said \0.")
                        .build());

        leader.awaitStatus("n1", 1, 1);
        assertThat(leader.statuses())
                .extracting(node -> node.getStatus().getDetail())
                .contains("The program said ?.");
        assertThat(agent.received.ended()).isFalse();
    }

    @Test
    @DisplayName("I3: a heartbeat above 16 KiB is rejected before it is parsed")
    void rejectsALargeHeartbeatUnparsed() {
        Heartbeat.Builder bomb = Heartbeat.newBuilder();
        for (int i = 0; i < 100_000; i++) {
            bomb.addPrograms(ProgramHealth.getDefaultInstance());
        }

        agent.send(bomb.build());

        assertThat(agent.received.refusal()).isEqualTo(RefusalCode.INVALID_FIELD);
        leaderReceives("n1", "message is too large");
        assertOthersAreServed();
    }

    @Test
    void acceptsTheLargestHeartbeat() {
        Heartbeat.Builder largest = Heartbeat.newBuilder();
        for (int i = 0; i < 64; i++) {
            largest.addPrograms(ProgramHealth.newBuilder().setName("p" + i));
        }
        for (int i = 0; i < 128; i++) {
            largest.addFindings(AgentFinding.newBuilder().setCode("DRIFT").setProgram("p" + i));
        }

        agent.send(largest.build()).send(status(1, 1, ATTEMPT_OUTCOME_IN_PROGRESS));

        leader.awaitStatus("n1", 1, 1);
        assertThat(agent.received.ended()).isFalse();
    }

    @Test
    @DisplayName("A heartbeat of an earlier agent with long probe details does not end its stream")
    void acceptsALargeHeartbeatOfAnEarlierAgent() {
        Heartbeat.Builder large = Heartbeat.newBuilder();
        for (int i = 0; i < 20; i++) {
            large.addPrograms(
                    ProgramHealth.newBuilder()
                            .setName("p" + i)
                            .addProbeDetails("x".repeat(1_000))
                            .addProbeDetails("x".repeat(1_000)));
        }

        agent.send(large.build()).send(status(1, 1, ATTEMPT_OUTCOME_IN_PROGRESS));

        leader.awaitStatus("n1", 1, 1);
        assertThat(agent.received.ended()).isFalse();
    }

    @Test
    @DisplayName("An invalid cluster state is dropped, with a finding, and its stream continues")
    void dropsAnInvalidClusterState() {
        ClusterState.Builder twice = ClusterStates.valid().toBuilder();
        twice.getReportBuilder().addVoters("st-2");
        Heartbeat beat =
                Heartbeat.newBuilder()
                        .addPrograms(
                                ProgramHealth.newBuilder()
                                        .setName("a")
                                        .setRole("leader")
                                        .setCluster(twice))
                        .addPrograms(
                                ProgramHealth.newBuilder()
                                        .setName("b")
                                        .setRole("leader")
                                        .setCluster(ClusterStates.valid()))
                        .build();

        agent.send(beat).send(status(1, 1, ATTEMPT_OUTCOME_IN_PROGRESS));

        leader.awaitStatus("n1", 1, 1);
        assertThat(agent.received.ended()).isFalse();
        leaderReceives("n1", "heartbeat.programs[0].cluster: voters lists a member twice.");
        ListDirectoryRequest request =
                ListDirectoryRequest.newBuilder()
                        .addNodeIds("n1")
                        .setWithProbeDetails(true)
                        .build();
        assertThat(fixture.directory().listDirectory(request).getNodes(0).getConditionsList())
                .extracting(ProgramCondition::getProgram, each -> each.getCluster().getProblem())
                .containsExactlyInAnyOrder(
                        tuple("a", "The gateway rejected the report: voters lists a member twice."),
                        tuple("b", ""));
    }

    @Test
    @DisplayName("A heartbeat that cluster states make too large loses them, and no more")
    void acceptsAHeartbeatThatClusterStatesMakeTooLarge() {
        Heartbeat.Builder large = Heartbeat.newBuilder();
        for (int i = 0; i < 20; i++) {
            ClusterState.Builder state = ClusterStates.valid().toBuilder();
            state.getReportBuilder().setReason("x".repeat(1_000));
            large.addPrograms(ProgramHealth.newBuilder().setName("p" + i).setCluster(state));
        }

        agent.send(large.build()).send(status(1, 1, ATTEMPT_OUTCOME_IN_PROGRESS));

        leader.awaitStatus("n1", 1, 1);
        assertThat(agent.received.ended()).isFalse();
    }

    @Test
    @DisplayName("The largest Hello is accepted, and all of its programs are known")
    void acceptsTheLargestHello() {
        Hello.Builder largest = hello(1, 2).clearPrograms();
        for (int i = 0; i < 20; i++) {
            ProgramReport.Builder program = largest.addProgramsBuilder().setName("p" + i);
            for (int j = 0; j < 64; j++) {
                program.addConfigFilesBuilder()
                        .setPath("/" + "x".repeat(75) + "/" + j)
                        .setDigest(Digest.of("x").value());
            }
        }

        TestAgent back = TestAgent.connect(fixture.agents, token("n1")).send(largest);

        assertThat(back.session()).isNotEmpty();
        assertThat(fixture.node("n1").getProgramsCount()).isEqualTo(20);
    }

    @Test
    @DisplayName("J1: a node in a loop of calls is rejected before its query, and others are not")
    void limitsTheCallsOfOneNode() {
        for (int i = 0; i < 20; i++) {
            TestAgent.connect(fixture.agents, token("n1")).hangsUp();
        }

        TestAgent next = TestAgent.connect(fixture.agents, token("n1"));

        assertThat(next.received.refusal()).isEqualTo(RefusalCode.OVERLOADED);
        assertOthersAreServed();
    }

    @Test
    void rejectsAnInvalidHello() {
        TestAgent hostile =
                TestAgent.connect(fixture.agents, token("n1")).send(hello(1, 2).setRuntime("\0"));

        assertThat(hostile.received.refusal()).isEqualTo(RefusalCode.INVALID_FIELD);
        leaderReceives("n1", "hello.runtime must have no control characters.");
        assertThat(agent.received.ended()).as("the session before it").isFalse();
    }

    @Test
    @DisplayName("C15: unknown fields of a later agent are accepted")
    void acceptsUnknownFields() throws com.google.protobuf.InvalidProtocolBufferException {
        ConnectRequest later =
                ConnectRequest.parseFrom(
                        ByteString.copyFrom(new byte[] {(byte) 0xfa, 0x06, 2, 0, 0})); // field 111

        agent.send(later).send(status(1, 1, ATTEMPT_OUTCOME_IN_PROGRESS));

        leader.awaitStatus("n1", 1, 1);
    }

    private void leaderReceives(String node, String sentence) {
        leader.received.awaitMessage(
                response ->
                        response.getFindings().getNodesList().stream()
                                .filter(it -> it.getNodeId().equals(node))
                                .flatMap(it -> it.getFindingsList().stream())
                                .anyMatch(
                                        it ->
                                                it.getCode().equals("MESSAGE_REJECTED")
                                                        && it.getDetail().contains(sentence)));
    }

    private void assertOthersAreServed() {
        AttemptStatus status = status(1, 1, ATTEMPT_OUTCOME_IN_PROGRESS);
        other.send(status);
        leader.awaitStatus("n2", 1, 1);
        assertThat(other.received.ended()).isFalse();
    }
}
