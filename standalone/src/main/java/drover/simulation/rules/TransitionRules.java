package drover.simulation.rules;

import drover.coordinator.plan.model.Counters;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.rollout.HistoryEntry;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A10, A17: counters, and legal state transitions, as literals. The planner declares them with its
 * types, the database with a trigger; this is the third, independent list.
 */
final class TransitionRules {
    /** Rows about what an agent does within an attempt; no state machine of the planner. */
    private static final String PHASE = "phase";

    /**
     * States that a node may pass within one step: the first status of an attempt may already be
     * its last. The history has one row then.
     */
    private static final Set<String> PASSED = Set.of("upgrading", "settling");

    private static final Map<String, Set<String>> ROLLOUT =
            Map.ofEntries(
                    from("pending", "running cancelled failed"),
                    from(
                            "running",
                            "awaiting_approval cancelling completed failed paused rolling_back"),
                    from("awaiting_approval", "running paused cancelling rolling_back"),
                    from("paused", "running awaiting_approval cancelling rolling_back"),
                    from("cancelling", "cancelled rolling_back"),
                    from("rolling_back", "rolled_back failed paused"),
                    from("completed", "rolling_back"),
                    from("failed", "rolling_back"),
                    from("cancelled", "rolling_back"));

    private static final Map<String, Set<String>> BATCH =
            Map.ofEntries(
                    from("pending", "dispatching settling promoted"),
                    from("dispatching", "settling observing promoted awaiting_approval"),
                    from("settling", "dispatching observing promoted awaiting_approval"),
                    from("observing", "dispatching settling promoted awaiting_approval"),
                    from("awaiting_approval", "approved dispatching settling"),
                    from("approved", "promoted dispatching settling awaiting_approval"));

    private static final Map<String, Set<String>> NODE =
            Map.ofEntries(
                    from("pending", "assigned held skipped"),
                    from("held", "pending skipped"),
                    from("assigned", "pending upgrading unreachable"),
                    from("upgrading", "settling failed failed_rollback unreachable"),
                    from(
                            "settling",
                            "observed succeeded failed failed_rollback restoring unreachable"),
                    from("observed", "settling succeeded failed failed_rollback restoring"),
                    from("succeeded", "unhealthy failed failed_rollback restoring unreachable"),
                    from(
                            "unhealthy",
                            "succeeded pending skipped failed failed_rollback restoring"
                                    + " unreachable"),
                    from("restoring", "restored rolled_back failed failed_rollback unreachable"),
                    from("restored", "rolled_back"),
                    from("failed", "pending skipped"),
                    from("failed_rollback", "pending skipped"),
                    from("skipped", "pending restoring"),
                    from(
                            "unreachable",
                            "pending skipped upgrading settling failed failed_rollback"
                                    + " restoring"));

    private final SafetyInvariants safety;

    TransitionRules(SafetyInvariants safety) {
        this.safety = safety;
    }

    private static Map.Entry<String, Set<String>> from(String state, String to) {
        return Map.entry(state, Arrays.stream(to.split(" ")).collect(Collectors.toSet()));
    }

    void committed(Commit commit) {
        counters(commit.after());
        commit.history().stream()
                .filter(row -> !isPhase(row))
                .filter(row -> !row.from().equals(row.to()))
                .forEach(
                        row ->
                                safety.require(
                                        isLegal(row),
                                        "A17: "
                                                + row.subject()
                                                + " "
                                                + row.node()
                                                + " moves from "
                                                + row.from()
                                                + " to "
                                                + row.to()));
    }

    /** A10: the counters that operators see agree with the states of the nodes. */
    private void counters(Rollout rollout) {
        Counters shown = rollout.counters();
        Collection<NodeUpgrade> nodes = rollout.nodes().values();
        int failed = (int) nodes.stream().filter(StateFacts::isFailure).count();
        int succeeded = in(nodes, NodeState.Succeeded.class);
        int skipped = in(nodes, NodeState.Skipped.class);
        int rolledBack = in(nodes, NodeState.RolledBack.class);
        int pending = nodes.size() - failed - succeeded - skipped - rolledBack;
        Counters counted =
                new Counters(nodes.size(), succeeded, failed, pending, skipped, rolledBack);
        safety.require(
                shown.equals(counted),
                "A10: the counters show " + shown + ", the nodes are " + counted);
    }

    private static int in(Collection<NodeUpgrade> nodes, Class<? extends NodeState> state) {
        return (int) nodes.stream().filter(node -> state.isInstance(node.state())).count();
    }

    /** Whether the row is about what an agent does within an attempt. */
    static boolean isPhase(HistoryEntry row) {
        return row.subject().equals(PHASE);
    }

    /** Whether the state machine of the row's subject has this transition. */
    static boolean isLegal(HistoryEntry row) {
        return isLegal(row.subject(), row.from(), row.to());
    }

    private static boolean isDirect(Map<String, Set<String>> moves, String from, String to) {
        return moves.getOrDefault(from, Set.of()).contains(to);
    }

    static boolean isLegal(String subject, String from, String to) {
        Map<String, Set<String>> moves =
                switch (subject) {
                    case "rollout" -> ROLLOUT;
                    case "node" -> NODE;
                    default -> BATCH;
                };
        return isDirect(moves, from, to)
                || (subject.equals("node")
                        && PASSED.stream()
                                .anyMatch(
                                        state ->
                                                isDirect(moves, from, state)
                                                        && isDirect(moves, state, to)));
    }
}
