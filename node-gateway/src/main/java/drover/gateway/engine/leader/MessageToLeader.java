package drover.gateway.engine.leader;

import drover.gateway.session.AgentFinding;
import drover.gateway.session.ConnectedExecutor;
import drover.gateway.session.LatestStatus;
import drover.gateway.session.NodeHealth;
import drover.gateway.session.OpaqueMessage;
import drover.gateway.session.StandbyAgent;
import drover.model.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the gateway tells the leading coordinator. */
public sealed interface MessageToLeader {
    /** The leader is attached. */
    record AttachedWithHighestEpoch(long highestEpoch) implements MessageToLeader {}

    /** Nodes of interest that are connected. */
    record ConnectedNodesUpdate(Map<NodeId, ConnectedExecutor> sessions)
            implements MessageToLeader {
        public ConnectedNodesUpdate {
            sessions = Map.copyOf(sessions);
        }
    }

    /** Nodes of interest that are not connected here. */
    record NotConnectedNodes(List<NodeId> nodes) implements MessageToLeader {
        public NotConnectedNodes {
            nodes = List.copyOf(nodes);
        }
    }

    /** Latest statuses. */
    record Statuses(Map<NodeId, LatestStatus> statuses) implements MessageToLeader {
        public Statuses {
            statuses = Map.copyOf(statuses);
        }
    }

    /** All that the agents of these nodes notice now. */
    record Findings(Map<NodeId, List<AgentFinding>> findings) implements MessageToLeader {
        public Findings {
            findings = Map.copyOf(findings);
        }
    }

    /** Health of the programs of these nodes, by their latest heartbeats. */
    record ProgramHealthByNode(Map<NodeId, Map<String, NodeHealth>> nodes)
            implements MessageToLeader {
        public ProgramHealthByNode {
            nodes = Map.copyOf(nodes);
        }
    }

    /** The second agents of these nodes; {@link StandbyAgent#NONE} where it is gone. */
    record Standbys(Map<NodeId, StandbyAgent> standbys) implements MessageToLeader {
        public Standbys {
            standbys = Map.copyOf(standbys);
        }
    }

    /** What preflights found. */
    record PreflightReports(Map<NodeId, OpaqueMessage> reports) implements MessageToLeader {
        public PreflightReports {
            reports = Map.copyOf(reports);
        }
    }

    /** All nodes that are locked, since their identity was in use at two places. */
    record NodesWithDuplicateIdentity(Set<NodeId> nodes) implements MessageToLeader {
        public NodesWithDuplicateIdentity {
            nodes = Set.copyOf(nodes);
        }
    }

    /** All nodes whose credential was shown lately by an agent that takes itself for another. */
    record IdentityMismatches(Set<NodeId> nodes) implements MessageToLeader {
        public IdentityMismatches {
            nodes = Set.copyOf(nodes);
        }
    }

    /** All that was asked for up to this revision has been said. */
    record SnapshotEnd(long revision) implements MessageToLeader {}
}
