package drover.coordinator.engine.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.rollout.PinnedReservationsFleetView;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.ReportedProgramHealth;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.observed.AgentFinding;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramHealth;
import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.coordinator.plan.observed.NodeView.ProgramView;
import drover.coordinator.plan.replay.RecordedDecisionInput.RecordedNode;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FleetCacheTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final NodeId NODE = SampleRollout.node("demo", 1);
    private static final BinaryName PROGRAM = new BinaryName("web");

    private Instant now = START;
    private final FleetCache mirror = new FleetCache(() -> now, NoReservations.ofAnyNode());

    @BeforeEach
    void seeTheWholeFleet() {
        long revision = mirror.addInterest(List.of(NODE));
        mirror.setGateways(Set.of("g1", "g2"));
        mirror.confirmFence();
        mirror.applyConnected("g1", List.of(present(1, 1)));
        mirror.applySnapshotEnd("g1", revision);
        mirror.applySnapshotEnd("g2", revision);
    }

    private static ConnectedNode present(long incarnation, long connectionNumber) {
        String session = "session-" + incarnation + "-" + connectionNumber;
        return new ConnectedNode(
                NODE,
                incarnation,
                connectionNumber,
                new NodeView.Present(session, "process", Set.of(), 0, Map.of()));
    }

    private String session() {
        return mirror.session(NODE).orElseThrow().session();
    }

    @Test
    @DisplayName("C13: a gateway that holds a broken stream does not hide the node's later dial")
    void theLaterConnectionIsTheNodes() {
        mirror.applyConnected("g2", List.of(present(2, 1)));
        assertThat(session()).isEqualTo("session-2-1");
        mirror.applyConnected("g1", List.of(present(1, 1)));
        mirror.applyConnected("g1", List.of(present(1, 9)));
        assertThat(session()).isEqualTo("session-2-1");
        mirror.applyConnected("g1", List.of(present(2, 2)));
        assertThat(session()).isEqualTo("session-2-2");
        mirror.applyConnected("g1", List.of(present(1, 1)));
        assertThat(session()).as("a gateway knows its own sessions").isEqualTo("session-1-1");
    }

    @Test
    @DisplayName("H3: a seat at a gateway that looks comes first, whatever the node counts")
    void nodeIsAtTheGatewayThatReportsIt() {
        mirror.setGatewaysWithoutDatabase(Set.of("g1"));
        mirror.applyConnected("g1", List.of(present(57, 1))); // the machine before
        mirror.applyConnected("g2", List.of(present(1, 1)));
        assertThat(mirror.gatewayOf(NODE)).hasValue("g2");
        mirror.applyConnected("g1", List.of(present(57, 2)));
        assertThat(mirror.gatewayOf(NODE)).as("in the other order").hasValue("g2");
        mirror.setGatewaysWithoutDatabase(Set.of());
        assertThat(mirror.gatewayOf(NODE)).as("it has yet to look").hasValue("g2");
    }

    @Test
    @DisplayName("H3: a new machine is found that was told of before its gateway was cut off")
    void staleSessionIsFoundOnceItsRivalIsCutOff() {
        mirror.applyConnected("g1", List.of(present(57, 1)));
        mirror.applyConnected("g2", List.of(present(1, 1)));
        assertThat(mirror.gatewayOf(NODE)).hasValue("g1");
        mirror.setGatewaysWithoutDatabase(Set.of("g1"));
        assertThat(mirror.gatewayOf(NODE)).hasValue("g2");
        mirror.applyDisconnected("g1", List.of(NODE));
        assertThat(mirror.gatewayOf(NODE)).hasValue("g2");
    }

    @Test
    @DisplayName(
            "A7: a node that went to a gateway that cannot look is found there, with its floor")
    void nodeThatMovedToAnUnwatchedGatewayIsFound() {
        mirror.applyConnected("g2", List.of(present(1, 2)));
        mirror.setGatewaysWithoutDatabase(Set.of("g1"));
        mirror.applyConnected("g1", List.of(present(1, 3)));
        AttemptStatus seventh =
                new AttemptStatus(
                        7, 3, AttemptOutcome.SUCCEEDED, null, "", 0, "", "", "", "", "run");
        mirror.removeStatus(new ReportedStatus(NODE, new RolloutId("r"), seventh, new byte[0]));
        mirror.applyDisconnected("g2", List.of(NODE));
        assertThat(session()).isEqualTo("session-1-3");
        assertThat(mirror.session(NODE).orElseThrow().attemptFloor()).isEqualTo(7);

        mirror.applyConnected("g2", List.of(present(1, 4)));
        mirror.markGatewayLost("g2");
        assertThat(mirror.session(NODE)).as("it had left before: a broken stream").isEmpty();
    }

    @Test
    @DisplayName("R3, C13: what one gateway says of a node counts when the others have answered")
    void waitsForEveryGatewaysAnswer() {
        mirror.removeInterest(List.of(NODE));
        long revision = mirror.addInterest(List.of(NODE));
        mirror.applyConnected("g2", List.of(present(1, 1)));
        mirror.applySnapshotEnd("g2", revision);
        assertThat(mirror.snapshot().node(NODE)).isInstanceOf(NodeView.Unknown.class);
        mirror.applyConnected("g1", List.of(present(2, 1)));
        mirror.applySnapshotEnd("g1", revision);
        assertThat(mirror.snapshot().node(NODE)).isInstanceOf(NodeView.Present.class);
        assertThat(session()).isEqualTo("session-2-1");

        mirror.markGatewayLost("g2");
        assertThat(mirror.snapshot().node(NODE))
                .as("a gateway that is away does not take others' nodes from sight")
                .isInstanceOf(NodeView.Present.class);
    }

    @Test
    @DisplayName("F6: what an agent noticed holds while it is there to say so")
    void forgetsFindingsOfADisconnectedNode() {
        AgentFinding falls = new AgentFinding(AgentFinding.CRASH_LOOP, "web", "It falls.");
        mirror.findings().replaceFindings(Map.of(NODE, List.of(falls)));
        mirror.applyDisconnected("g2", List.of(NODE));
        assertThat(mirror.findings().findings()).as("it is at the other one").containsKey(NODE);
        mirror.applyDisconnected("g1", List.of(NODE));
        assertThat(mirror.findings().findings()).isEmpty();
    }

    @Test
    @DisplayName(
            "A4: a retired node is absent, also while a gateway still tells of its last session")
    void retiredNodeIsNotListed() {
        mirror.markRetired(NODE);
        assertThat(mirror.snapshot().node(NODE)).isEqualTo(new NodeView.Absent(START));
        mirror.applyConnected("g1", List.of(present(1, 1)));
        assertThat(mirror.session(NODE)).isEmpty();
        mirror.applyConnected("g1", List.of(present(1, 2)));
        assertThat(session()).as("it was registered again").isEqualTo("session-1-2");
    }

    @Test
    @DisplayName("R3: the fleet is in view when every gateway has answered and it could commit")
    void seesTheFleetWhole() {
        assertThat(mirror.snapshot().completeViewSince()).isEqualTo(START);
        assertThat(mirror.snapshot().visibilityLostSince()).isNull();
    }

    @Test
    @DisplayName("R3: without the database nothing is seen, and sight begins anew")
    void hasNoFleetVisibilityWithoutTheDatabase() {
        now = START.plusSeconds(60);
        mirror.confirmFence();
        mirror.markStoreUnavailable();
        assertThat(mirror.snapshot().completeViewSince()).isNull();
        assertThat(mirror.snapshot().visibilityLostSince()).isEqualTo(now);

        now = START.plusSeconds(70);
        mirror.confirmFence();
        assertThat(mirror.snapshot().completeViewSince()).isEqualTo(now);
        assertThat(mirror.snapshot().visibilityLostSince()).isNull();
    }

    @Test
    @DisplayName("R3: a leader that stood still has seen nothing meanwhile")
    void hasNoFleetVisibilityAfterAFreeze() {
        now = START.plus(Duration.ofMinutes(5));
        assertThat(mirror.snapshot().completeViewSince()).as("before its next round").isNull();

        mirror.confirmFence();
        assertThat(mirror.snapshot().completeViewSince()).as("sight begins anew").isEqualTo(now);
    }

    @Test
    @DisplayName("R3: of a node at a gateway that cannot be heard nothing is concluded")
    void concludesNothingOfANodeAtALostGateway() {
        mirror.markGatewayLost("g1");
        assertThat(mirror.snapshot().node(NODE)).isInstanceOf(NodeView.Unknown.class);
        assertThat(mirror.snapshot().completeViewSince()).isNull();
    }

    @Test
    @DisplayName("A7: a node whose gateway is no more becomes offline")
    void aNodeWhoseGatewayIsNoMoreIsAbsentSinceThen() {
        now = START.plusSeconds(1);
        mirror.setGateways(Set.of("g2"));
        assertThat(mirror.snapshot().node(NODE)).isEqualTo(new NodeView.Absent(now));

        Instant disconnectedAt = now;
        now = START.plusSeconds(61);
        assertThat(mirror.snapshot().node(NODE)).isEqualTo(new NodeView.Absent(disconnectedAt));
    }

    @Test
    @DisplayName("R3: a node can be heard since its connection, and since somebody else is asked")
    void nodeHasDataSinceItsLastConnection() {
        now = START.plusSeconds(10);
        mirror.applyConnected("g1", List.of(present(1, 1)));
        assertThat(mirror.snapshot().observableSince(NODE)).as("the same").isEqualTo(START);
        mirror.applyConnected("g2", List.of(present(1, 2)));
        assertThat(mirror.snapshot().observableSince(NODE)).isEqualTo(now);
        assertThat(new PinnedReservationsFleetView(mirror.snapshot()).observableSince(NODE))
                .isEqualTo(now);

        now = START.plusSeconds(20);
        mirror.verdicts().resetAfterEvaluatorSwitch(Map.of(NODE, 1L));
        assertThat(mirror.snapshot().observableSince(NODE)).isEqualTo(now);
        mirror.applyDisconnected("g2", List.of(NODE));
        now = START.plusSeconds(30);
        mirror.applyConnected("g2", List.of(present(1, 3)));
        assertThat(mirror.snapshot().observableSince(NODE)).isEqualTo(now);
    }

    @Test
    @DisplayName("A20: a silence begins for whoever decides when it does for whoever records that")
    void heartbeatGapIsRecordedAsItIsSeen() {
        mirror.applyVerdicts(Map.of(NODE, new HealthVerdict.Settling(1, "It is not up.")));
        now = START.plusSeconds(9);
        mirror.applyVerdicts(Map.of(NODE, new HealthVerdict.NoData(1, "No heartbeat.")));
        FleetView steady = new PinnedReservationsFleetView(mirror.snapshot());

        assertThat(steady.noHealthDataSince(NODE)).isEqualTo(now);
        assertThat(RecordedNode.of(steady, NODE).unheardSince()).isEqualTo(now);
    }

    private Optional<ProgramHealth> reportedHealth() {
        NodeView.Present present = (NodeView.Present) mirror.snapshot().node(NODE);
        return Optional.ofNullable(present.programs().get(PROGRAM)).map(ProgramView::health);
    }

    private void connectWithProgram(long connectionNumber) {
        ProgramView program = new ProgramView(new Version("v1"), "", "", true);
        NodeView.Present view =
                new NodeView.Present(
                        "session-" + connectionNumber,
                        "process",
                        Set.of(),
                        0,
                        Map.of(PROGRAM, program));
        mirror.applyConnected("g1", List.of(new ConnectedNode(NODE, 1, connectionNumber, view)));
    }

    @Test
    @DisplayName("R3: a connected node is not healthy before its first heartbeat")
    void healthIsUnknownUntilTheFirstHeartbeatOfAConnection() {
        connectWithProgram(2);
        assertThat(reportedHealth()).as("a gateway of an earlier version").isEmpty();
        mirror.applyProgramHealth(
                "g1", Map.of(NODE, List.of(new ReportedProgramHealth(PROGRAM, Level.HEALTHY, ""))));
        assertThat(reportedHealth().map(ProgramHealth::level)).contains(Level.HEALTHY);

        mirror.applyDisconnected("g1", List.of(NODE));
        now = START.plusSeconds(30);
        connectWithProgram(3);

        assertThat(reportedHealth().map(ProgramHealth::level)).contains(Level.UNKNOWN);
        assertThat(reportedHealth().map(ProgramHealth::since)).contains(now);
    }

    @Test
    void anotherGatewaysWordDoesNotEndASession() {
        mirror.applyDisconnected("g2", List.of(NODE));
        assertThat(mirror.snapshot().node(NODE)).isInstanceOf(NodeView.Present.class);
        mirror.applyDisconnected("g1", List.of(NODE));
        assertThat(mirror.snapshot().node(NODE)).isInstanceOf(NodeView.Absent.class);
    }

    @Test
    void dropsUnwatchedHeartbeats() {
        mirror.removeInterest(List.of(NODE));
        assertThat(mirror.nodesOfInterest()).isEmpty();
        assertThat(mirror.session(NODE)).isEmpty();
    }
}
