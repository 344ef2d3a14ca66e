package drover.coordinator.store.rollout;

import drover.coordinator.plan.model.CurrentDesiredProgram;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What people read; any replica answers. All methods throw {@link StoreUnavailable}. */
public interface RolloutViews {
    /** A rollout with all its nodes. */
    Optional<RolloutWithMetadata> find(RolloutId id);

    /**
     * Which rollouts are listed; an empty text for all.
     *
     * @param chain only those of this chain
     * @param status only those with this status
     * @param strategy only those with this strategy
     * @param group only the components of this group, a UUID
     * @param node only those that have this node as a target
     * @param trace only the one with this trace id
     */
    record Filter(
            String chain, String status, String strategy, String group, String node, String trace) {
        /** No restriction. */
        public static final Filter ALL = new Filter("", "", "", "", "", "");
    }

    /**
     * Rollouts without their nodes, newest first. One that a later version wrote does not stand in
     * the way of the others.
     *
     * @param after continues after this rollout; null from the newest
     */
    List<ListedRollout> list(Filter only, @Nullable RolloutId after, int limit);

    /**
     * Some nodes of a rollout in the order of their batches and ids, and nothing else of it: the
     * cost follows the page.
     *
     * @param after continues after this node; empty from the first
     * @param limit at most this many nodes
     * @return empty where there is no such rollout
     */
    Optional<NodePage> findNodePage(RolloutId id, String after, int limit);

    /**
     * One page of nodes.
     *
     * @param rollout the rollout without its nodes
     * @param known whether {@code after} is empty or a node of the rollout; otherwise no nodes are
     *     given
     */
    record NodePage(Rollout rollout, boolean known, List<NodeWithReport> nodes) {
        public NodePage {
            nodes = List.copyOf(nodes);
        }
    }

    /** A node with the last report of its agent. */
    record NodeWithReport(NodeUpgrade node, LastAgentReport report) {}

    /** History of a rollout, newest first. */
    List<NumberedHistoryEntry> history(RolloutId id, int limit);

    /** The same up to a past moment. */
    List<NumberedHistoryEntry> history(RolloutId id, Instant until, int limit);

    /** The last move of a rollout, of each of its batches and of each of its nodes up to then. */
    List<NumberedHistoryEntry> findLastTransitions(RolloutId id, Instant until);

    /**
     * Everything that is kept of a node up to a moment.
     *
     * @param history at most this many of its moves
     */
    NodeHistory nodeHistory(String node, Instant until, int history);

    /**
     * What rollouts want a node to run, the latest of each program that touches it or still will;
     * one look at the index of a node's rollouts (seed 003).
     */
    List<CurrentDesiredProgram> findDesiredPrograms(NodeId node);

    /** Which agents the latest rollout of agents wants nodes to have (seed 001). */
    DesiredAgents findDesiredAgents(Collection<NodeId> nodes);

    /**
     * Which agents nodes shall have; a node that no rollout of agents had to do with is missing.
     *
     * @param unread nodes of which a later version wrote it; they do not stand in the way of others
     */
    record DesiredAgents(Map<NodeId, Version> versions, Set<NodeId> unread) {}

    /** A rollout with its facts. */
    record RolloutWithMetadata(Rollout rollout, RolloutMetadata facts) {}

    /** Who did something last, and when. */
    record ActorAndTime(String by, Instant at) {}

    /**
     * What stands beside the state of a rollout.
     *
     * @param forced who overrode the failure threshold; null when nobody did
     * @param approved who approved the canary; null when nobody did (invariant A9)
     * @param prunedAt when its history was pruned; null while it is whole
     */
    record RolloutMetadata(
            String traceId,
            String createdBy,
            Instant createdAt,
            @Nullable Instant startedAt,
            @Nullable Instant finishedAt,
            @Nullable ActorAndTime forced,
            @Nullable ActorAndTime approved,
            @Nullable Instant prunedAt) {}

    /** One of a list. */
    sealed interface ListedRollout {
        /** Which. */
        RolloutId id();

        /** What stands beside its state. */
        RolloutMetadata facts();
    }

    /**
     * A rollout of which this version cannot read more than its columns.
     *
     * @param status its word, which this version may not have
     */
    record UnreadableRollout(
            RolloutId id,
            String chain,
            String binary,
            String targetVersion,
            String status,
            drover.coordinator.plan.model.NodeCounters counters,
            RolloutMetadata facts)
            implements ListedRollout {}

    /**
     * A rollout with counters and batches, nodes left out.
     *
     * @param notRollbackable how many of its nodes nothing could bring back
     */
    record Summary(
            Rollout rollout,
            drover.coordinator.plan.model.NodeCounters counters,
            int notRollbackable,
            RolloutMetadata facts)
            implements ListedRollout {
        @Override
        public RolloutId id() {
            return rollout.id();
        }
    }

    /** The last report of a node. */
    @SuppressWarnings("ArrayRecordComponent") // parsed at the door, never compared
    record LastAgentReport(String node, byte[] bytes, Instant updatedAt) {}

    /** A row of history. */
    record NumberedHistoryEntry(long seq, RolloutId rollout, HistoryEntry entry) {}
}
