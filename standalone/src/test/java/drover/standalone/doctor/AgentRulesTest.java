package drover.standalone.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import drover.node.v1.Node;
import drover.node.v1.NodeHealth;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentRulesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    @Test
    void reportsHealthyNodesAsOk() {
        Node received = node("a-1").setClockOffset(Durations.fromMillis(-5_000)).build();

        assertThat(judged(received, node("a-2").build()))
                .containsExactly(
                        DoctorFinding.ok(
                                "agents",
                                "The agents of all 2 nodes are connected, of version 1.0."),
                        DoctorFinding.ok(
                                "nodes", "The programs of all 2 connected nodes are well."),
                        DoctorFinding.ok(
                                "clock",
                                "The clocks of 1 connected nodes agree with the server's."));
    }

    @Test
    void aDeploymentWithoutNodesIsNoFault() {
        assertThat(judged())
                .containsExactly(DoctorFinding.ok("nodes", "No node is registered yet."));
    }

    @Test
    void anAgentThatNeverConnectedIsNamed() {
        assertThat(judged(offlineNode("a-1").build()))
                .containsExactly(
                        DoctorFinding.warn(
                                "agents",
                                "The agent of node a-1 never connected: start it, and read its log"
                                        + " for the reason; if the node will not come, 'drover node"
                                        + " retire a-1 --reason WHY'."));
    }

    @ParameterizedTest
    @CsvSource({"0,0 s", "59,59 s", "60,1 min", "3599,59 min", "3600,1 h", "-30,0 s"})
    void namesAnOfflineAgentWithTheDuration(long seconds, String words) {
        Instant seen = NOW.minusSeconds(seconds);
        Node node =
                offlineNode("a-1")
                        .setLastSeenAt(Timestamp.newBuilder().setSeconds(seen.getEpochSecond()))
                        .build();

        assertThat(judged(node))
                .containsExactly(
                        DoctorFinding.warn(
                                "agents",
                                ("The agent of node a-1 is away since %s (%s): see that its machine"
                                                + " runs, and start it; if the node is gone for"
                                                + " good, 'drover node retire a-1 --reason WHY'.")
                                        .formatted(seen, words)));
    }

    @Test
    void anAgentOfAnotherVersionIsNamedOnlyWhileItIsConnected() {
        assertThat(judged(node("a-1").setAgentVersion("0.9").build()))
                .contains(
                        DoctorFinding.warn(
                                "agents",
                                "The agent of node a-1 has version 0.9, this Drover 1.0: start the"
                                        + " agent that came with it."));
        assertThat(judged(offlineNode("a-1").setAgentVersion("0.9").build()))
                .noneSatisfy(finding -> assertThat(finding.sentence()).contains("0.9"));
    }

    @Test
    void aNodeThatIsNotHealthyIsNamedWithWhy() {
        Node down =
                node("a-1")
                        .setHealth(NodeHealth.NODE_HEALTH_DOWN)
                        .setHealthDetail("greeter does not run.")
                        .build();
        Node unsaid = node("a-2").setHealth(NodeHealth.NODE_HEALTH_UNSPECIFIED).build();

        assertThat(judged(down, unsaid))
                .contains(
                        DoctorFinding.warn(
                                "nodes",
                                "Node a-1: greeter does not run. See 'drover node why a-1'."),
                        DoctorFinding.warn(
                                "nodes",
                                "Node a-2: Its gateway does not say how it is. See 'drover node why"
                                        + " a-2'."));
    }

    @ParameterizedTest
    @CsvSource({"5001,5.0 s ahead of", "-3600000,3600.0 s behind"})
    void aClockThatIsMoreThanFiveSecondsOffIsNamed(long millis, String words) {
        assertThat(judged(node("a-1").setClockOffset(Durations.fromMillis(millis)).build()))
                .contains(
                        DoctorFinding.warn(
                                "clock",
                                ("The clock of node a-1 is %s the server's: let NTP keep both."
                                                + " Upgrades do not depend on it, times in its log"
                                                + " and traces do.")
                                        .formatted(words)));
    }

    @Test
    void offlineFleetIsSummarized() {
        Node[] fleet =
                IntStream.range(0, 100)
                        .mapToObj(i -> offlineNode("a-" + i).build())
                        .toArray(Node[]::new);

        assertThat(judged(fleet))
                .hasSize(21)
                .last()
                .isEqualTo(
                        DoctorFinding.warn(
                                "agents", "And 80 more like these: see 'drover node list'."));
    }

    private static List<DoctorFinding> judged(Node... nodes) {
        return AgentRules.check(List.of(nodes), NOW, "1.0");
    }

    private static Node.Builder node(String id) {
        return Node.newBuilder()
                .setId(id)
                .setOnline(true)
                .setAgentVersion("1.0")
                .setHealth(NodeHealth.NODE_HEALTH_OK);
    }

    private static Node.Builder offlineNode(String id) {
        return Node.newBuilder().setId(id).setHealth(NodeHealth.NODE_HEALTH_OFFLINE);
    }
}
