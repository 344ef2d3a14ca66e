package drover.coordinator.plan.explain;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Says which nodes of a plan would be left alone if nothing changed before their turn. What a node
 * runs was judged already; this is about what may be gone by then. Pure.
 */
public final class SkipForecast {
    private SkipForecast() {}

    /**
     * Why a node would be left alone.
     *
     * @param mayChange false when it is left alone whatever happens
     */
    public record Skip(NodeId node, SkipReason reason, String sentence, boolean mayChange) {}

    /** What a node ran when its agent last said so. */
    public record ReportedProgram(String version, String digest, String config) {}

    /**
     * Every skip, in the order of the nodes.
     *
     * @param guards what the control plane knows of nodes; one that is missing never had work
     * @param offline nodes without a connected agent
     * @param running what nodes run now; one that is missing is taken to run what it ran
     * @param drift sentences about the program of nodes that report drift now
     */
    public static java.util.List<Skip> actualAndForecastSkips(
            Rollout rollout,
            Map<NodeId, NodeAttemptsAndReservation> guards,
            Set<NodeId> offline,
            Map<NodeId, ReportedProgram> running,
            Map<NodeId, String> drift) {
        Function<NodeUpgrade, Optional<Skip>> skip =
                node ->
                        switch (node.state()) {
                            case NodeState.Skipped(SkipReason reason, String detail, var since) ->
                                    Optional.of(new Skip(node.id(), reason, detail, false));
                            case NodeState.Pending pending ->
                                    findNodeSkip(
                                                    rollout,
                                                    node.id(),
                                                    guards.getOrDefault(
                                                            node.id(),
                                                            NodeAttemptsAndReservation.FRESH),
                                                    offline)
                                            .or(() -> findProgramSkip(rollout, node, running))
                                            .or(() -> findDriftSkip(rollout, node.id(), drift));
                            default -> Optional.empty(); // its turn has come
                        };
        return rollout.nodes().values().stream()
                .map(skip)
                .flatMap(Optional::stream)
                .collect(Collectors.toList());
    }

    private static Optional<Skip> findNodeSkip(
            Rollout rollout, NodeId node, NodeAttemptsAndReservation guard, Set<NodeId> offline) {
        if (rollout.state().isFinal()) {
            return Optional.empty();
        }
        if (guard.failedRollback()) {
            return toSkip(
                    node,
                    SkipReason.FAILED_ROLLBACK,
                    "An earlier upgrade could not be undone; look at the node and clear it.");
        }
        RolloutId taken = guard.otherReservingRollout(rollout.id());
        if (taken != null) {
            return toSkip(
                    node, SkipReason.OTHER_ROLLOUT, "Rollout " + taken + " has work open on it.");
        }
        return offline.contains(node)
                ? toSkip(
                        node,
                        SkipReason.OFFLINE,
                        "Its agent is not connected; its turn is put off, and it is skipped when everything else is done.")
                : Optional.empty();
    }

    /** As it is judged when its turn comes: what it runs is neither what it ran nor the target. */
    private static Optional<Skip> findProgramSkip(
            Rollout rollout, NodeUpgrade node, Map<NodeId, ReportedProgram> running) {
        NodeTarget target = node.target();
        ReportedProgram ran = running.get(node.id());
        if (rollout.state().isFinal() || ran == null) {
            return Optional.empty();
        }
        if (target.isTargetDigest(rollout.spec(), ran.digest())
                && ran.config().equals(target.targetConfig().value())) {
            return toSkip(node.id(), SkipReason.ALREADY_THERE, "It runs the target already.");
        }
        if (!ran.digest().equals(target.sourceDigest().value())) {
            return toSkip(
                    node.id(),
                    SkipReason.DRIFTED,
                    "It runs " + ran.version() + ", not what it ran at the creation.");
        }
        return ran.config().equals(target.sourceConfig().value())
                ? Optional.empty()
                : toSkip(
                        node.id(),
                        SkipReason.DRIFTED,
                        "Its configuration is not what it was at the creation.");
    }

    /** The agent refuses the work while its program is not what was installed. */
    private static Optional<Skip> findDriftSkip(
            Rollout rollout, NodeId node, Map<NodeId, String> drift) {
        String sentence = drift.get(node);
        return rollout.state().isFinal() || sentence == null
                ? Optional.empty()
                : toSkip(node, SkipReason.DRIFTED, sentence);
    }

    private static Optional<Skip> toSkip(NodeId node, SkipReason reason, String sentence) {
        return Optional.of(new Skip(node, reason, sentence, true));
    }
}
