package drover.simulation.rules;

import drover.coordinator.plan.group.GroupStateNames;
import drover.coordinator.store.group.LeaderGroupStore.GroupCommit;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.model.GroupId;
import drover.simulation.world.SimulatedWorld;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The history of a group tells every move, once, in a chain that only grows (G1, G2). */
final class GroupHistoryInvariants {
    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private final Map<GroupId, List<HistoryEntry>> entries = new HashMap<>();

    GroupHistoryInvariants(SimulatedWorld world, SafetyInvariants safety) {
        this.world = world;
        this.safety = safety;
    }

    void checkCommit(GroupCommit commit) {
        String at = GroupStateNames.of(commit.before().state());
        for (HistoryEntry row : commit.history()) {
            safety.recordViolationUnless(
                    row.from().equals(at), "G1: the group moves from " + row + " at " + at);
            boolean whole =
                    row.epoch() == commit.epoch()
                            && !row.actor().isBlank()
                            && !row.because().code().isBlank()
                            && !row.because().sentence().isBlank();
            safety.recordViolationUnless(whole, "G1: a row without epoch, actor or reason: " + row);
            at = row.to();
        }
        String is = GroupStateNames.of(commit.after().state());
        safety.recordViolationUnless(
                at.equals(is), "G1: the group is " + is + ", its history says " + at);
        boolean unchanged = commit.history().isEmpty();
        safety.recordViolationUnless(
                !unchanged || commit.after().state().equals(commit.before().state()),
                "G1: the group moves to " + commit.after().state() + ", and nothing tells of it");
        checkHashChain(commit.after().id());
    }

    private void checkHashChain(GroupId id) {
        List<HistoryEntry> rows = world.store.groups().history(id);
        List<HistoryEntry> known = entries.getOrDefault(id, List.of());
        boolean kept = rows.size() >= known.size() && rows.subList(0, known.size()).equals(known);
        safety.recordViolationUnless(kept, "G2: the history of group " + id + " was rewritten");
        String head = HistoryEntry.GENESIS;
        for (HistoryEntry row : rows) {
            head = row.hashAfter(head);
        }
        entries.put(id, rows);
        safety.recordViolationUnless(
                head.equals(world.store.groups().load(id).orElseThrow().historyHead()),
                "G2: the head of the history of group " + id + " is not that of its rows");
    }
}
