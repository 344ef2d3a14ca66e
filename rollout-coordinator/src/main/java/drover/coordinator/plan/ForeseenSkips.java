package drover.coordinator.plan;

import drover.coordinator.plan.FleetView.NodeGuard;
import drover.model.NodeId;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Says which nodes of a plan would be left alone if nothing changed before their turn. What a node
 * runs was judged already; this is about what may be gone by then. Pure.
 */
public final class ForeseenSkips {
    private ForeseenSkips() {}

    /**
     * Why a node would be left alone.
     *
     * @param mayChange false when it is left alone whatever happens
     */
    public record Skip(NodeId node, SkipReason reason, String sentence, boolean mayChange) {}

    /**
     * Every skip, in the order of the nodes.
     *
     * @param guards what the control plane knows of nodes; one that is missing never had work
     * @param offline nodes without a connected agent
     */
    public static java.util.List<Skip> of(
            Rollout rollout, Map<NodeId, NodeGuard> guards, Set<NodeId> offline) {
        Function<NodeUpgrade, Optional<Skip>> skip =
                node ->
                        switch (node.state()) {
                            case NodeState.Skipped(SkipReason reason, String detail, var since) ->
                                    Optional.of(new Skip(node.id(), reason, detail, false));
                            case NodeState.Pending pending ->
                                    pending(
                                            rollout,
                                            node.id(),
                                            guards.getOrDefault(node.id(), NodeGuard.FRESH),
                                            offline);
                            default -> Optional.empty(); // its turn has come
                        };
        return rollout.nodes().values().stream()
                .map(skip)
                .flatMap(Optional::stream)
                .collect(Collectors.toList());
    }

    private static Optional<Skip> pending(
            Rollout rollout, NodeId node, NodeGuard guard, Set<NodeId> offline) {
        if (rollout.state().isFinal()) {
            return Optional.empty();
        }
        if (guard.failedRollback()) {
            return foreseen(
                    node,
                    SkipReason.FAILED_ROLLBACK,
                    "An earlier upgrade could not be undone; look at the node and clear it.");
        }
        if (guard.openFor() != null && !guard.openFor().equals(rollout.id())) {
            return foreseen(
                    node,
                    SkipReason.OTHER_ROLLOUT,
                    "Rollout " + guard.openFor() + " has work open on it.");
        }
        return offline.contains(node)
                ? foreseen(
                        node,
                        SkipReason.OFFLINE,
                        "Its agent is not connected; its turn is put off, and it is skipped when everything else is done.")
                : Optional.empty();
    }

    private static Optional<Skip> foreseen(NodeId node, SkipReason reason, String sentence) {
        return Optional.of(new Skip(node, reason, sentence, true));
    }
}
