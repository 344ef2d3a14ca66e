package drover.gateway;

import static drover.agent.v1.AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS;
import static drover.gateway.GatewayFixture.token;
import static drover.gateway.TestAgent.hello;
import static drover.gateway.TestAgent.status;
import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.ProgramHealth;
import drover.agent.v1.StopAgent;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import drover.node.v1.Acks;
import drover.node.v1.AttachRequest;
import drover.node.v1.AttachResponse;
import drover.node.v1.Delivery;
import drover.node.v1.NodeAck;
import drover.node.v1.StandbyAgent;
import drover.node.v1.Stop;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The two agents of a node that is upgrading its agent, as the gateway sees them (seed 001). */
class StandbyTest {
    private static final String NEW = "sha256:" + "2".repeat(64);

    @AutoClose private final GatewayFixture fixture = GatewayFixture.inProcess("standby");

    @Test
    @DisplayName("C13: a standby takes neither the executor's place nor its slot")
    void theExecutorStaysTheExecutor() {
        TestAgent old = fixture.connected("n1").send(status(4, 7, ATTEMPT_OUTCOME_IN_PROGRESS));
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1"));
        leader.awaitStatus("n1", 4, 7);

        TestAgent successor = standby("2.0.0");
        successor.send(status(4, 9, ATTEMPT_OUTCOME_IN_PROGRESS)).send(beat(NEW, false));
        awaitStandby(leader, StandbyAgent::getRunning);

        assertThat(leader.disconnected()).isEmpty();
        assertThat(leader.present()).extracting(s -> s.getSessionId()).containsOnly(old.session());
        assertThat(leader.statuses()).extracting(s -> s.getStatus().getSequence()).containsOnly(7L);
        assertThat(fixture.node("n1").getAgentVersion()).isEqualTo("0.1.0");
        assertThat(old.received.ended()).isFalse();
    }

    @Test
    void aHelloAloneIsNoSignOfLife() {
        var _ = fixture.connected("n1").session();
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1"));

        TestAgent successor = standby("2.0.0");

        assertThat(awaitStandby(leader, s -> !s.getSessionId().isEmpty()))
                .isEqualTo(
                        StandbyAgent.newBuilder()
                                .setNodeId("n1")
                                .setSessionId(successor.session())
                                .setAgentVersion("2.0.0")
                                .setIncarnation(2)
                                .build());
        successor.send(beat(NEW, false));
        assertThat(awaitStandby(leader, StandbyAgent::getRunning).getAgentDigest()).isEqualTo(NEW);
    }

    @Test
    void agentWithoutAVersionIsUnknown() {
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1"));

        var _ = standby("").session();

        assertThat(awaitStandby(leader, s -> !s.getSessionId().isEmpty()).getAgentVersion())
                .isEqualTo("unknown");
    }

    @Test
    void oneThatIsItselfBeingReplacedDoesNotRun() {
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1"));
        TestAgent successor = standby("2.0.0").send(beat(NEW, false));
        awaitStandby(leader, StandbyAgent::getRunning);

        successor.send(beat(NEW, true));

        awaitStandby(leader, s -> s.getAgentDigest().equals(NEW) && !s.getRunning());
    }

    @Test
    @DisplayName("C10: the next leader is told of a standby without its doing, and that it is gone")
    void nextLeaderReceivesTheFindingAndItsEnd() {
        TestAgent successor = standby("2.0.0").send(beat(NEW, false));
        awaitStandby(
                TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1")),
                StandbyAgent::getRunning);

        TestLeader next = TestLeader.attach(fixture.internal, 2).watches(1, List.of("n1"));
        awaitStandby(next, StandbyAgent::getRunning);
        successor.hangsUp();

        awaitStandby(next, s -> s.getSessionId().isEmpty());
    }

    @Test
    void reportsStandbysOfWatchedNodesOnly() {
        TestAgent successor = standby("2.0.0").send(beat(NEW, false));
        var _ = fixture.connected("n2").session();

        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n2"));
        var _ = successor.session();

        assertThat(leader.received.received().stream().filter(AttachResponse::hasStandbyAgents))
                .isEmpty();
    }

    @Test
    @DisplayName("001: only the executor is ever told to stop, and by the latest leader alone")
    void onlyTheExecutorReceivesAStop() {
        TestAgent old = fixture.connected("n1");
        TestAgent successor = standby("2.0.0");
        TestLeader leader = TestLeader.attach(fixture.internal, 7).watches(1, List.of("n1"));

        stops(leader, successor.session(), 7, "meant for the standby");
        stops(leader, old.session(), 6, "of a leader that is not one any more");
        stops(leader, old.session(), 7, "the successor was seen");
        old.received.awaitMessage(ConnectResponse::hasStopAgent);

        assertThat(stopsReceivedBy(old)).containsExactly("the successor was seen");
        assertThat(stopsReceivedBy(successor)).isEmpty();
    }

    @Test
    void aStandbyThatTakesOverIsTheExecutorAndNoStandbyAnyMore() {
        TestAgent old = fixture.connected("n1");
        TestAgent successor = standby("2.0.0").send(beat(NEW, false));
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1"));
        awaitStandby(leader, StandbyAgent::getRunning);

        old.hangsUp();
        TestAgent executor =
                TestAgent.connect(fixture.agents, token("n1"))
                        .send(hello(2, 2).setAgentVersion("2.0.0"));

        awaitStandby(leader, s -> s.getSessionId().isEmpty());
        String session = executor.session();
        leader.received.awaitMessage(
                response ->
                        response.getConnected().getSessionsList().stream()
                                .anyMatch(present -> present.getSessionId().equals(session)));
        assertThat(successor.received.refusal()).isEqualTo(RefusalCode.SESSION_SUPERSEDED);
        assertThat(fixture.node("n1").getAgentVersion()).isEqualTo("2.0.0");
    }

    @Test
    @DisplayName("001 Verifying: a self-test is welcomed, and disturbs and leaves nothing")
    void aProbeIsWelcomedAndLeavesNothing() {
        TestAgent old = fixture.connected("n1");
        TestAgent successor = standby("2.0.0").send(beat(NEW, false));
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1"));
        awaitStandby(leader, StandbyAgent::getRunning);

        TestAgent probe =
                TestAgent.connect(fixture.agents, token("n1"))
                        .send(hello(99, 1).setProbe(true).setExecutor(true));
        assertThat(probe.session()).isEmpty();
        probe.hangsUp();

        stops(leader, old.session(), 1, "still the executor");
        old.received.awaitMessage(ConnectResponse::hasStopAgent);
        assertThat(successor.received.ended()).isFalse();
        assertThat(leader.present()).hasSize(1);
        assertThat(fixture.node("n1").getAgentVersion()).isEqualTo("0.1.0");
    }

    @Test
    void aProbeWithAnUnknownTokenIsRefused() {
        TestAgent probe =
                TestAgent.connect(fixture.agents, "nobody's").send(hello(1, 1).setProbe(true));

        assertThat(probe.received.refusal()).isEqualTo(RefusalCode.NODE_CREDENTIAL_UNKNOWN);
    }

    @Test
    void oldAgentReceivesThatItsSuccessorWasSeen() {
        TestAgent old = fixture.connected("n1").send(status(4, 7, ATTEMPT_OUTCOME_IN_PROGRESS));
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1"));
        leader.awaitStatus("n1", 4, 7);

        leader.acknowledges("n1", 4, 7);
        leader.send(
                AttachRequest.newBuilder()
                        .setAcks(
                                Acks.newBuilder()
                                        .addAcks(
                                                NodeAck.newBuilder()
                                                        .setNodeId("n1")
                                                        .setAttempt(4)
                                                        .setSequence(7)
                                                        .setSuccessorSeen(true)))
                        .build());

        old.received.awaitMessage(
                response -> response.hasAck() && response.getAck().getSuccessorSeen());
        assertThat(old.received.received().stream().filter(ConnectResponse::hasAck).findFirst())
                .hasValueSatisfying(
                        first -> assertThat(first.getAck().getSuccessorSeen()).isFalse());
    }

    private TestAgent standby(String version) {
        fixture.register("n1");
        TestAgent agent =
                TestAgent.connect(fixture.agents, token("n1"))
                        .send(hello(2, 1).setExecutor(false).setAgentVersion(version));
        var _ = agent.session();
        return agent;
    }

    private static Heartbeat beat(String digest, boolean draining) {
        return Heartbeat.newBuilder()
                .setDraining(draining)
                .addPrograms(
                        ProgramHealth.newBuilder()
                                .setName(BinaryName.AGENT.value())
                                .setRunId("boot/12/34")
                                .setRunningDigest(digest))
                .build();
    }

    private static StandbyAgent awaitStandby(
            TestLeader leader, java.util.function.Predicate<StandbyAgent> wanted) {
        return leader
                .received
                .awaitMessage(
                        response ->
                                response.getStandbyAgents().getAgentsList().stream()
                                        .anyMatch(wanted))
                .getStandbyAgents()
                .getAgentsList()
                .stream()
                .filter(wanted)
                .findFirst()
                .orElseThrow();
    }

    private static void stops(TestLeader leader, String session, long epoch, String reason) {
        leader.deliver(
                Delivery.newBuilder()
                        .setNodeId("n1")
                        .setSessionId(session)
                        .setStop(
                                Stop.newBuilder()
                                        .setEpoch(epoch)
                                        .setStopAgent(StopAgent.newBuilder().setReason(reason)))
                        .build());
    }

    private static List<String> stopsReceivedBy(TestAgent agent) {
        return agent.received.received().stream()
                .filter(ConnectResponse::hasStopAgent)
                .map(response -> response.getStopAgent().getReason())
                .toList();
    }
}
