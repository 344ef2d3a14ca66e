package drover.simulation.rules;

import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.model.RolloutId;
import drover.simulation.world.SimulatedWorld;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The history tells every move, once, in a chain that only grows (G1, G2). */
final class HistoryChainInvariants {
    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private final Map<RolloutId, VerifiedHistory> chains = new HashMap<>();

    private record VerifiedHistory(int rows, String head, List<HistoryEntry> entries) {}

    HistoryChainInvariants(SimulatedWorld world, SafetyInvariants safety) {
        this.world = world;
        this.safety = safety;
    }

    void checkCommit(Commit commit) {
        Rollout before = commit.before();
        Rollout after = commit.after();
        List<HistoryEntry> rows = commit.history();
        requireContinuous(
                rows,
                "rollout",
                "",
                StateNameFormatter.of(before.state()),
                StateNameFormatter.of(after.state()));
        after.batches()
                .forEach(
                        batch -> {
                            boolean fresh = batch.index() >= before.batches().size();
                            BatchPhase was =
                                    fresh
                                            ? BatchPhase.PENDING
                                            : before.batches().get(batch.index()).phase();
                            requireContinuous(
                                    rows,
                                    "batch " + (batch.index() + 1),
                                    "",
                                    StateNameFormatter.of(was),
                                    StateNameFormatter.of(batch.phase()));
                        });
        after.nodes()
                .forEach(
                        (id, node) ->
                                requireContinuous(
                                        rows,
                                        "node",
                                        id.value(),
                                        StateNameFormatter.of(
                                                Objects.requireNonNull(before.nodes().get(id))
                                                        .state()),
                                        StateNameFormatter.of(node.state())));
        rows.forEach(row -> requireComplete(commit, row));
        checkHashChain(after.id());
    }

    /** The rows of one subject lead from where it stood to where it stands. */
    private void requireContinuous(
            List<HistoryEntry> rows, String subject, String node, String was, String becomes) {
        String at = was;
        for (HistoryEntry row : rows) {
            if (row.subject().equals(subject) && row.node().equals(node)) {
                safety.recordViolationUnless(
                        row.from().equals(at),
                        "G1: "
                                + subject
                                + " "
                                + node
                                + " moves from "
                                + row.from()
                                + ", not "
                                + at);
                at = row.to();
            }
        }
        safety.recordViolationUnless(
                at.equals(becomes),
                "G1: " + subject + " " + node + " is " + becomes + ", its history says " + at);
    }

    private void requireComplete(Commit commit, HistoryEntry row) {
        boolean complete =
                row.epoch() == commit.epoch()
                        && !row.actor().isBlank()
                        && !row.because().code().isBlank()
                        && !row.because().sentence().isBlank();
        safety.recordViolationUnless(complete, "G1: a row without epoch, actor or reason: " + row);
    }

    private void checkHashChain(RolloutId id) {
        List<HistoryEntry> rows = world.store.history(id);
        VerifiedHistory known =
                chains.getOrDefault(id, new VerifiedHistory(0, HistoryEntry.GENESIS, List.of()));
        boolean kept =
                rows.size() >= known.rows()
                        && rows.subList(0, known.rows()).equals(known.entries());
        safety.recordViolationUnless(kept, "G2: the history of " + id + " was rewritten");
        String head = known.head();
        for (HistoryEntry row : rows.subList(Math.min(known.rows(), rows.size()), rows.size())) {
            head = row.hashAfter(head);
        }
        chains.put(id, new VerifiedHistory(rows.size(), head, rows));
        safety.recordViolationUnless(
                head.equals(world.store.load(id).orElseThrow().historyHead()),
                "G2: the head of the history of " + id + " is not that of its rows");
    }
}
