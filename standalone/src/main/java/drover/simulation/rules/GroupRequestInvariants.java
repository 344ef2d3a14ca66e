package drover.simulation.rules;

import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.group.LeaderGroupStore.GroupCommit;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.simulation.world.SimulatedOperator;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/** What operators asked of groups and what became of it (A16, and the expiry of requests). */
final class GroupRequestInvariants {
    private static final Duration EXPIRY = Duration.ofSeconds(60);

    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private final Map<UUID, SubmittedRequest> requested = new HashMap<>();

    private record SubmittedRequest(GroupRequest request, String actor, long atNanos) {}

    GroupRequestInvariants(SimulatedWorld world, SafetyInvariants safety) {
        this.world = world;
        this.safety = safety;
    }

    void recordRequest(UUID id, GroupRequest request, String actor) {
        requested.put(id, new SubmittedRequest(request, actor, world.time.nanos()));
    }

    boolean appliesRequest(GroupCommit commit, Class<? extends GroupRequest> kind) {
        return commit.requests().stream()
                .filter(decided -> decided.refusalCode().isEmpty())
                .map(decided -> requested.get(decided.id()))
                .anyMatch(what -> what != null && kind.isInstance(what.request()));
    }

    void checkCommit(GroupCommit commit) {
        commit.requests().forEach(decided -> checkDecision(commit, decided));
        commit.history().forEach(row -> checkActor(commit, row));
    }

    private void checkDecision(GroupCommit commit, Commit.DecidedRequest decided) {
        SubmittedRequest what = requested.get(decided.id());
        if (what == null) {
            safety.violationFound("Nobody asked of the group for " + decided.id());
            return;
        }
        boolean applied = decided.refusalCode().isEmpty();
        boolean expired = decided.refusalCode().equals("REQUEST_EXPIRED");
        world.counts.count(
                (applied ? "applied group " : expired ? "expired group " : "refused group ")
                        + what.request().getClass().getSimpleName().toLowerCase(Locale.ROOT));
        Duration age = Duration.ofNanos(world.time.nanos() - what.atNanos());
        boolean old = age.compareTo(EXPIRY) > 0;
        boolean right =
                (StateClassification.isDroppedWhenLate(what.request()) && old)
                        ? !applied
                        : !expired;
        safety.recordViolationUnless(
                right,
                "A request "
                        + what.request()
                        + " of "
                        + age.toSeconds()
                        + " s is "
                        + (expired ? "dropped" : "applied")
                        + " while the group is "
                        + commit.before().state());
        boolean alone =
                applied
                        && what.request() instanceof GroupRequest.Start
                        && what.actor().equals(SimulatedWorld.CREATOR)
                        && needsTwoPersons(commit);
        safety.recordViolationUnless(!alone, "A16: the group is started by its creator alone");
    }

    private boolean needsTwoPersons(GroupCommit commit) {
        return world.store.rollouts().stream()
                .filter(one -> one.spec().membership().group().equals(commit.after().id().value()))
                .anyMatch(SimulatedOperator::needsTwoPersons);
    }

    /** Nothing is told as a person's deed that nobody asked for. */
    private void checkActor(GroupCommit commit, HistoryEntry row) {
        boolean own = row.actor().equals("drover");
        boolean theirs =
                commit.requests().stream()
                        .map(decided -> requested.get(decided.id()))
                        .anyMatch(what -> what != null && what.actor().equals(row.actor()));
        safety.recordViolationUnless(own != theirs, "G1: the group's history names " + row.actor());
    }
}
