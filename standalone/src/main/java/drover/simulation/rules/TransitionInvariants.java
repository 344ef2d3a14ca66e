package drover.simulation.rules;

import drover.coordinator.plan.model.NodeCounters;
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
final class TransitionInvariants {
    /** Rows about what an agent does within an attempt; no state machine of the planner. */
    private static final String PHASE = "phase";

    /**
     * States that a node may pass within one step: the first status of an attempt may already be
     * its last. The history has one row then.
     */
    private static final Set<String> PASSED = Set.of("upgrading", "settling");

    private static final Map<String, Set<String>> ROLLOUT =
            Map.ofEntries(
                    transitionsFrom("pending", "running cancelled failed"),
                    transitionsFrom(
                            "running",
                            "awaiting_approval cancelling completed failed paused rolling_back"),
                    transitionsFrom("awaiting_approval", "running paused cancelling rolling_back"),
                    transitionsFrom("paused", "running awaiting_approval cancelling rolling_back"),
                    transitionsFrom("cancelling", "cancelled rolling_back"),
                    transitionsFrom("rolling_back", "rolled_back failed paused"),
                    transitionsFrom("completed", "rolling_back"),
                    transitionsFrom("failed", "rolling_back"),
                    transitionsFrom("cancelled", "rolling_back"));

    private static final Map<String, Set<String>> BATCH =
            Map.ofEntries(
                    transitionsFrom("pending", "dispatching settling promoted"),
                    transitionsFrom("dispatching", "settling observing promoted awaiting_approval"),
                    transitionsFrom("settling", "dispatching observing promoted awaiting_approval"),
                    transitionsFrom("observing", "dispatching settling promoted awaiting_approval"),
                    transitionsFrom("awaiting_approval", "approved dispatching settling"),
                    transitionsFrom("approved", "promoted dispatching settling awaiting_approval"));

    private static final Map<String, Set<String>> NODE =
            Map.ofEntries(
                    transitionsFrom("pending", "assigned held restoring skipped"),
                    transitionsFrom("held", "pending restoring skipped"),
                    transitionsFrom("assigned", "pending upgrading unreachable"),
                    transitionsFrom("upgrading", "settling failed failed_rollback unreachable"),
                    transitionsFrom(
                            "settling",
                            "observed succeeded skipped failed failed_rollback restoring"
                                    + " unreachable"),
                    transitionsFrom(
                            "observed",
                            "settling succeeded skipped failed failed_rollback restoring"),
                    transitionsFrom(
                            "succeeded",
                            "unhealthy skipped failed failed_rollback restoring unreachable"),
                    transitionsFrom(
                            "unhealthy",
                            "succeeded pending skipped failed failed_rollback restoring"
                                    + " unreachable"),
                    transitionsFrom(
                            "restoring", "restored rolled_back failed failed_rollback unreachable"),
                    transitionsFrom("restored", "rolled_back"),
                    transitionsFrom("failed", "pending restoring skipped"),
                    transitionsFrom("failed_rollback", "pending restoring skipped"),
                    transitionsFrom(
                            "skipped", "pending restoring settling succeeded failed_rollback"),
                    transitionsFrom(
                            "unreachable",
                            "pending skipped upgrading settling failed failed_rollback"
                                    + " restoring"));

    private final SafetyInvariants safety;

    TransitionInvariants(SafetyInvariants safety) {
        this.safety = safety;
    }

    private static Map.Entry<String, Set<String>> transitionsFrom(String state, String to) {
        return Map.entry(state, Arrays.stream(to.split(" ")).collect(Collectors.toSet()));
    }

    void checkCommit(Commit commit) {
        checkCounters(commit.after());
        commit.history().stream()
                .filter(row -> !isAttemptPhase(row))
                .filter(row -> !row.from().equals(row.to()))
                .forEach(
                        row ->
                                safety.recordViolationUnless(
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
    private void checkCounters(Rollout rollout) {
        NodeCounters shown = rollout.counters();
        Collection<NodeUpgrade> nodes = rollout.nodes().values();
        int failed = (int) nodes.stream().filter(StateClassification::isFailure).count();
        int succeeded = countInState(nodes, NodeState.Succeeded.class);
        int skipped = countInState(nodes, NodeState.Skipped.class);
        int rolledBack = countInState(nodes, NodeState.RolledBack.class);
        int pending = nodes.size() - failed - succeeded - skipped - rolledBack;
        NodeCounters counted =
                new NodeCounters(nodes.size(), succeeded, failed, pending, skipped, rolledBack);
        safety.recordViolationUnless(
                shown.equals(counted),
                "A10: the counters show " + shown + ", the nodes are " + counted);
    }

    private static int countInState(
            Collection<NodeUpgrade> nodes, Class<? extends NodeState> state) {
        return (int) nodes.stream().filter(node -> state.isInstance(node.state())).count();
    }

    /** Whether the row is about what an agent does within an attempt. */
    static boolean isAttemptPhase(HistoryEntry row) {
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
