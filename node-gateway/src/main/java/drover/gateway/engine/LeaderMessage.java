package drover.gateway.engine;

import drover.gateway.session.NodeHealth;
import drover.gateway.session.NoticedFinding;
import drover.gateway.session.Presence;
import drover.gateway.session.Relayed;
import drover.gateway.session.StandbyAgent;
import drover.gateway.session.StatusSlot;
import drover.model.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the gateway tells the leading coordinator. */
public sealed interface LeaderMessage {
    /** The leader is attached. */
    record Opened(long highestEpoch) implements LeaderMessage {}

    /** Nodes of interest that are connected. */
    record Present(Map<NodeId, Presence> sessions) implements LeaderMessage {
        public Present {
            sessions = Map.copyOf(sessions);
        }
    }

    /** Nodes of interest that are not connected here. */
    record Gone(List<NodeId> nodes) implements LeaderMessage {
        public Gone {
            nodes = List.copyOf(nodes);
        }
    }

    /** Latest statuses. */
    record Statuses(Map<NodeId, StatusSlot> statuses) implements LeaderMessage {
        public Statuses {
            statuses = Map.copyOf(statuses);
        }
    }

    /** All that the agents of these nodes notice now. */
    record Noticed(Map<NodeId, List<NoticedFinding>> findings) implements LeaderMessage {
        public Noticed {
            findings = Map.copyOf(findings);
        }
    }

    /** Health of the programs of these nodes, by their latest heartbeats. */
    record Conditions(Map<NodeId, Map<String, NodeHealth>> nodes) implements LeaderMessage {
        public Conditions {
            nodes = Map.copyOf(nodes);
        }
    }

    /** The second agents of these nodes; {@link StandbyAgent#NONE} where it is gone. */
    record Standbys(Map<NodeId, StandbyAgent> standbys) implements LeaderMessage {
        public Standbys {
            standbys = Map.copyOf(standbys);
        }
    }

    /** What preflights found. */
    record Preflights(Map<NodeId, Relayed> reports) implements LeaderMessage {
        public Preflights {
            reports = Map.copyOf(reports);
        }
    }

    /** All nodes that are locked, since their identity was in use at two places. */
    record Locked(Set<NodeId> nodes) implements LeaderMessage {
        public Locked {
            nodes = Set.copyOf(nodes);
        }
    }

    /** All nodes whose credential was shown lately by an agent that takes itself for another. */
    record Misplaced(Set<NodeId> nodes) implements LeaderMessage {
        public Misplaced {
            nodes = Set.copyOf(nodes);
        }
    }

    /** All that was asked for up to this revision has been said. */
    record SnapshotEnd(long revision) implements LeaderMessage {}
}
