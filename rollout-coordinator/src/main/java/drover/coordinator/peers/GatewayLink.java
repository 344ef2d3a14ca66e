package drover.coordinator.peers;

import drover.coordinator.plan.observed.AgentFinding;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.coordinator.plan.preflight.AgentPreflightReport;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One gateway, attached for as long as this leader leads. Nothing here blocks; what cannot be
 * written yet waits in slots.
 */
public interface GatewayLink extends AutoCloseable {
    /**
     * Changes which nodes the leader is interested in; answered by {@link Listener#onSnapshotEnd}
     * with the same revision.
     */
    void sendInterest(long revision, Collection<NodeId> add, Collection<NodeId> remove);

    /**
     * Sends commands and withdrawals; dropped by the gateway when the session is no longer current.
     */
    void send(List<MessageToNode> deliveries);

    /**
     * Commands for these nodes that wait still do not go out any more; what takes work away does.
     * Where whatever is sent goes out at once, none waits.
     */
    default void dropCommands(Collection<NodeId> nodes) {}

    /** Says that statuses are committed. */
    void acknowledge(List<StatusAcknowledgementToAgent> acknowledgements);

    @Override
    void close();

    /** Something to send to a node's session. */
    sealed interface MessageToNode {
        /** Node concerned. */
        NodeId node();

        /** Session it is meant for. */
        String session();

        /** A command; the body is what was serialized when the attempt was assigned. */
        @SuppressWarnings("ArrayRecordComponent") // sent as they are, never compared
        record Command(
                NodeId node,
                String session,
                boolean restore,
                long epoch,
                String traceparent,
                byte[] body,
                Map<String, byte[]> contents)
                implements MessageToNode {}

        /** The old agent of a self-upgrade shall go. */
        record StopOldAgent(
                NodeId node,
                String session,
                long epoch,
                long attempt,
                String successorVersion,
                Digest successorDigest)
                implements MessageToNode {}

        /** A withdrawal. */
        record Withdraw(NodeId node, String session, long through, long epoch)
                implements MessageToNode {}
    }

    /**
     * A committed status.
     *
     * @param successorSeen whether it is committed too that the agent's successor was heard
     */
    record StatusAcknowledgementToAgent(
            NodeId node, long attempt, long sequence, boolean successorSeen) {
        /** Of an attempt in which no agent is replaced. */
        public StatusAcknowledgementToAgent(NodeId node, long attempt, long sequence) {
            this(node, attempt, sequence, false);
        }
    }

    /**
     * A connected node.
     *
     * @param incarnation counts the starts of agents on the node
     * @param connectionCount counts the connections of this incarnation
     */
    record ConnectedNode(
            NodeId node, long incarnation, long connectionCount, NodeView.Present view) {
        /** Whether this connection was made after the other, as the node counts (C13). */
        public boolean isLaterThan(ConnectedNode other) {
            return incarnation == other.incarnation
                    ? connectionCount > other.connectionCount
                    : incarnation > other.incarnation;
        }
    }

    /**
     * A status with its bytes, which are stored as they came.
     *
     * @param rollout the rollout it belongs to; null when the agent never saw the work and so does
     *     not know, as with a withdrawal
     */
    @SuppressWarnings("ArrayRecordComponent") // stored as they are, compared by identity
    record ReportedStatus(
            NodeId node, @Nullable RolloutId rollout, AttemptStatus status, byte[] bytes) {}

    /**
     * Health of one program by the latest heartbeat of its agent.
     *
     * @param detail one sentence for people; empty when healthy
     */
    record ReportedProgramHealth(BinaryName program, Level level, String detail) {}

    /** What a gateway says. Called one after the other. */
    interface Listener {
        /** The gateway accepted this leader. */
        void onOpened();

        /** Nodes of interest that are connected. */
        void onConnected(List<ConnectedNode> nodes);

        /** Nodes of interest that are not connected here. */
        void onDisconnected(List<NodeId> nodes);

        /** Latest statuses. */
        void onStatuses(List<ReportedStatus> reports);

        /**
         * What agents noticed by themselves: all that each of these nodes says now. A gateway that
         * is too old to know says nothing.
         */
        default void onFindings(Map<NodeId, List<AgentFinding>> findings) {}

        /**
         * The second agents of these nodes; a node with none has none here any more. A gateway that
         * is too old to know says nothing.
         */
        default void onStandbys(Map<NodeId, Optional<StandbyAgent>> standbys) {}

        /**
         * Health of all programs of these nodes. A gateway that is too old to know sends nothing.
         */
        default void onProgramHealth(Map<NodeId, List<ReportedProgramHealth>> nodes) {}

        /** What preflights found. Said once. A gateway that is too old to know says nothing. */
        default void onPreflightReports(Map<NodeId, AgentPreflightReport> reports) {}

        /**
         * All nodes that are locked, since their identity was in use at two places. A gateway that
         * is too old to know says nothing.
         */
        default void onLockedNodes(Set<NodeId> nodes) {}

        /**
         * All nodes whose credential was shown at this gateway lately by an agent that takes itself
         * for another. A gateway that is too old to know says nothing.
         */
        default void onMisplacedIdentities(Set<NodeId> nodes) {}

        /**
         * Messages of the agents of these nodes that were rejected, because a value was outside its
         * limits; one sentence each.
         */
        default void onRejectedMessages(Map<NodeId, String> nodes) {}

        /** Everything up to an interest revision has been said. */
        void onSnapshotEnd(long revision);

        /**
         * The stream has ended.
         *
         * @param stale whether a leader with a higher epoch is attached: step down
         */
        void onClosed(boolean stale);
    }

    /** Attaches to gateways. */
    interface Connector {
        /** Attaches; events begin at once. */
        GatewayLink attach(String address, long epoch, String leader, Listener events);
    }
}
