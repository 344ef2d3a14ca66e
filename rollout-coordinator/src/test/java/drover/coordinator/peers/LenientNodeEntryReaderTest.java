package drover.coordinator.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import drover.agent.v1.ActionReport;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Hello;
import drover.agent.v1.PreflightReport;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.model.NodeId;
import drover.node.v1.AttachResponse;
import drover.node.v1.Connected;
import drover.node.v1.Disconnected;
import drover.node.v1.NodePreflightReport;
import drover.node.v1.NodeStatus;
import drover.node.v1.Preflights;
import drover.node.v1.Session;
import drover.node.v1.Statuses;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("H9: the leader checks again what a gateway relays, each entry on its own")
class LenientNodeEntryReaderTest {
    private final RecordedEvents events = new RecordedEvents();

    @Test
    void anInvalidStatusHidesNoOther() {
        receive(
                AttachResponse.newBuilder()
                        .setStatuses(
                                Statuses.newBuilder()
                                        .addStatuses(status("n1", AttemptStatus.newBuilder()))
                                        .addStatuses(
                                                status(
                                                        "n2",
                                                        AttemptStatus.newBuilder().setReason("\0")))
                                        .addStatuses(
                                                status(
                                                        "n3",
                                                        AttemptStatus.newBuilder()
                                                                .setRolloutId("../etc")))
                                        .addStatuses(status("No Node", AttemptStatus.newBuilder()))
                                        .addStatuses(
                                                status(
                                                        "n4",
                                                        AttemptStatus.newBuilder()
                                                                .setDetail("said \0")))));

        assertThat(events.reports)
                .extracting(report -> report.node().value())
                .containsExactly("n1", "n4");
        assertThat(events.reports.getLast().status().detail()).isEqualTo("said ?");
        assertThat(events.rejected).containsOnlyKeys(new NodeId("n2"), new NodeId("n3"));
        assertThat(events.rejected.get(new NodeId("n2")))
                .isEqualTo("status.reason must have no control characters.");
    }

    @Test
    @DisplayName("A node whose session is invalid counts as not connected")
    void anInvalidSessionIsNone() {
        receive(
                AttachResponse.newBuilder()
                        .setConnected(
                                Connected.newBuilder()
                                        .addSessions(session("n1", Hello.newBuilder()))
                                        .addSessions(
                                                session(
                                                        "n2",
                                                        Hello.newBuilder()
                                                                .setHighestAttempt(
                                                                        Long.MAX_VALUE)))));

        assertThat(events.present).extracting(node -> node.node().value()).containsExactly("n1");
        assertThat(events.removed).containsExactly(new NodeId("n2"));
        assertThat(events.rejected).containsOnlyKeys(new NodeId("n2"));
    }

    @Test
    void anInvalidPreflightReportHidesNoOther() {
        receive(
                AttachResponse.newBuilder()
                        .setPreflights(
                                Preflights.newBuilder()
                                        .addReports(preflight("n1", "\0"))
                                        .addReports(preflight("n2", "p"))));

        assertThat(events.preflights).containsOnlyKeys(new NodeId("n2"));
    }

    @Test
    void aNameThatIsNoneHidesNoOther() {
        receive(
                AttachResponse.newBuilder()
                        .setDisconnected(
                                Disconnected.newBuilder().addNodeIds("N 1").addNodeIds("n2")));

        assertThat(events.removed).containsExactly(new NodeId("n2"));
    }

    @Test
    @DisplayName("Times of actions that traces cannot write are left out, also of stored statuses")
    void timesOutOfRangeAreLeftOut() {
        byte[] stored =
                AttemptStatus.newBuilder()
                        .addActions(action("a", Long.MAX_VALUE))
                        .addActions(action("b", 1_000))
                        .addActions(action("c", -1_000_000_000_000_000L))
                        .build()
                        .toByteArray();

        assertThat(ActionReportProtos.parseActions(stored)).hasSize(1);
    }

    private static ActionReport action(String name, long seconds) {
        return ActionReport.newBuilder()
                .setName(name)
                .setStartedAt(Timestamp.newBuilder().setSeconds(seconds))
                .build();
    }

    private void receive(AttachResponse.Builder message) {
        GatewayProtoDispatcher.dispatch(message.build(), events);
    }

    private static NodeStatus status(String node, AttemptStatus.Builder status) {
        return NodeStatus.newBuilder().setNodeId(node).setStatus(status).build();
    }

    private static Session session(String node, Hello.Builder hello) {
        return Session.newBuilder().setNodeId(node).setSessionId("s").setHello(hello).build();
    }

    private static NodePreflightReport preflight(String node, String id) {
        return NodePreflightReport.newBuilder()
                .setNodeId(node)
                .setReport(PreflightReport.newBuilder().setPreflightId(id))
                .build();
    }

    private static final class RecordedEvents implements GatewayLink.Listener {
        final List<ConnectedNode> present = new ArrayList<>();
        final List<NodeId> removed = new ArrayList<>();
        final List<ReportedStatus> reports = new ArrayList<>();
        final Map<NodeId, drover.coordinator.plan.preflight.AgentPreflightReport> preflights =
                new HashMap<>();
        final Map<NodeId, String> rejected = new HashMap<>();

        @Override
        public void onOpened() {}

        @Override
        public void onConnected(List<ConnectedNode> nodes) {
            present.addAll(nodes);
        }

        @Override
        public void onDisconnected(List<NodeId> nodes) {
            removed.addAll(nodes);
        }

        @Override
        public void onStatuses(List<ReportedStatus> nodes) {
            reports.addAll(nodes);
        }

        @Override
        public void onPreflightReports(
                Map<NodeId, drover.coordinator.plan.preflight.AgentPreflightReport> nodes) {
            preflights.putAll(nodes);
        }

        @Override
        public void onRejectedMessages(Map<NodeId, String> nodes) {
            rejected.putAll(nodes);
        }

        @Override
        public void onSnapshotEnd(long revision) {}

        @Override
        public void onClosed(boolean stale) {}
    }
}
