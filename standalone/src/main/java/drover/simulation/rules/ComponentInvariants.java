package drover.simulation.rules;

import drover.coordinator.plan.group.ComponentRolloutSummary;
import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.group.RequestToComponent;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.group.RunningGroupStage;
import drover.coordinator.plan.model.FailureAction;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.group.LeaderGroupStore.GroupCommit;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What must hold of the components of a group: one at work at a time, in their order, back in the
 * reverse of it, and moved by what the group asked alone (A2, A3, R4).
 */
final class ComponentInvariants {
    /** What the group alone asks of its components. */
    private static final List<Class<? extends OperatorRequest>> COURSE =
            List.of(
                    OperatorRequest.Start.class,
                    OperatorRequest.Resume.class,
                    OperatorRequest.Cancel.class,
                    OperatorRequest.Rollback.class);

    /** A pause reaches the component with the next rounds of the leader. */
    private static final Duration REPORTED = Duration.ofSeconds(30);

    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private final RolloutRequestInvariants requests;
    private final VisibilityRequiredInvariants visibility;

    ComponentInvariants(
            SimulatedWorld world,
            SafetyInvariants safety,
            RolloutRequestInvariants requests,
            VisibilityRequiredInvariants visibility) {
        this.world = world;
        this.safety = safety;
        this.requests = requests;
        this.visibility = visibility;
    }

    /** A step of the group is written: what it asks is asked from now on. */
    void checkComponentRequests(GroupCommit commit) {
        String actor = StateClassification.actorOf(commit.after().id().value());
        for (RequestToComponent steering : commit.componentRequests()) {
            RolloutId rollout = commit.after().component(steering.component()).rollout();
            world.store.pendingRequests(rollout).stream()
                    .filter(request -> request.actor().equals(actor))
                    .forEach(
                            request ->
                                    requests.recordRequest(request.id(), request.request(), actor));
            if (steering.request() instanceof OperatorRequest.Rollback) {
                requireReverseOrder(commit.after(), steering.component());
            }
        }
    }

    /** Those that were begun later are back (A3). */
    private void requireReverseOrder(RolloutGroup group, int index) {
        List<ComponentRolloutSummary> components = loadComponents(group);
        for (int later = index + 1; later < components.size(); later++) {
            ComponentRolloutSummary component = components.get(later);
            safety.recordViolationUnless(
                    !component.started() || component.state() instanceof RolloutState.RolledBack,
                    "A3: component "
                            + (index + 1)
                            + " goes back while component "
                            + (later + 1)
                            + " is "
                            + component.state());
        }
    }

    private List<ComponentRolloutSummary> loadComponents(RolloutGroup group) {
        return world.store.groups().load(group.id()).orElseThrow().components();
    }

    /** A step of a rollout is written. */
    void checkCommit(Commit commit) {
        Rollout after = commit.after();
        RolloutId owner =
                world.store
                        .findChainOwner(after.spec().chain())
                        .orElse(new RolloutId(after.id().value()));
        String claimant = StateClassification.chainOwner(after);
        safety.recordViolationUnless(
                StateClassification.hasEnded(after) || owner.value().equals(claimant),
                "A2: " + after.state() + ", and the chain is another's");
        if (StateClassification.isInGroup(after)) {
            checkComponent(commit, loadGroup(after));
        }
    }

    private RolloutGroup loadGroup(Rollout component) {
        GroupId id = new GroupId(component.spec().membership().group());
        return world.store.groups().load(id).orElseThrow().group();
    }

    private void checkComponent(Commit commit, RolloutGroup group) {
        long open =
                loadComponents(group).stream()
                        .filter(one -> !StateClassification.hasEnded(one.state()))
                        .filter(one -> !(one.state() instanceof RolloutState.Pending))
                        .count();
        safety.recordViolationUnless(open <= 1, "A3: " + open + " components are at work at once");
        String actor = StateClassification.actorOf(group.id().value());
        COURSE.forEach(
                request ->
                        safety.recordViolationUnless(
                                Set.of("", actor)
                                        .contains(requests.actorOfAppliedRequest(commit, request)),
                                "R4: a component does what somebody asked of it past its group: "
                                        + request.getSimpleName()));
        if (group.state() instanceof GroupState.Paused paused && startsNewWork(commit)) {
            requireNoWorkInPause(paused);
        }
        if (!commit.before().state().getClass().equals(commit.after().state().getClass())) {
            checkStateChange(commit, group);
        }
    }

    /** A node that began is judged in a pause too, and brought back when it is not well (A12). */
    private static boolean startsNewWork(Commit commit) {
        return commit.attempts().stream()
                .anyMatch(
                        attempt ->
                                attempt.restoreOf() == 0 || startsRollback(commit, attempt.node()));
    }

    private static boolean startsRollback(Commit commit, NodeId node) {
        return commit.history().stream()
                .filter(row -> row.node().equals(node.value()))
                .anyMatch(row -> row.because().code().equals("ROLLBACK"));
    }

    /** Nothing is begun below a paused group, once its leader had the time to say so (A12). */
    private void requireNoWorkInPause(GroupState.Paused paused) {
        boolean longAgo =
                Duration.between(paused.since(), world.time.now()).compareTo(REPORTED) > 0
                        && visibility.visibilityDuration().compareTo(REPORTED) > 0;
        safety.recordViolationUnless(
                !longAgo, "A12: a component dispatches, its group is " + paused);
    }

    private void checkStateChange(Commit commit, RolloutGroup group) {
        switch (commit.before().state()) {
            case RolloutState.Pending pending -> {
                boolean starts = commit.after().state() instanceof RolloutState.Running;
                checkComponentRequests(
                        commit,
                        starts ? OperatorRequest.Start.class : OperatorRequest.Cancel.class);
                if (starts) {
                    requireStartInOrder(commit.after(), group);
                }
            }
            case RolloutState.Ended ended -> {
                checkComponentRequests(commit, OperatorRequest.Rollback.class);
                safety.recordViolationUnless(
                        !StateClassification.hasEnded(group.state()),
                        "A2: a component is reopened in an ended group");
            }
            case RolloutState.Cancelling cancelling -> {} // asked for before, or it just ends
            case RolloutState.RollingBack back -> {}
            default -> {
                boolean byItself =
                        commit.after().spec().conduct().onFailure() == FailureAction.ROLLBACK;
                boolean resumes =
                        commit.before().state() instanceof RolloutState.Paused paused
                                && paused.from() instanceof RolloutState.RollingBack;
                if (commit.after().state() instanceof RolloutState.Cancelling) {
                    checkComponentRequests(commit, OperatorRequest.Cancel.class);
                } else if (commit.after().state() instanceof RolloutState.RollingBack
                        && !byItself) {
                    checkComponentRequests(
                            commit,
                            resumes
                                    ? OperatorRequest.Resume.class
                                    : OperatorRequest.Rollback.class);
                }
            }
        }
    }

    private void checkComponentRequests(Commit commit, Class<? extends OperatorRequest> request) {
        safety.recordViolationUnless(
                !requests.actorOfAppliedRequest(commit, request).isEmpty(),
                "R4: a component moves from "
                        + commit.before().state()
                        + " to "
                        + commit.after().state()
                        + ", and its group did not ask");
    }

    /** Only the one that the group is at begins, behind those that are done with (A3). */
    private void requireStartInOrder(Rollout component, RolloutGroup group) {
        int index = component.spec().membership().index();
        List<ComponentRolloutSummary> components = loadComponents(group);
        for (int earlier = 0; earlier < index; earlier++) {
            boolean done =
                    components.get(earlier).state() instanceof RolloutState.Completed
                            || group.skipped().contains(earlier);
            safety.recordViolationUnless(
                    done,
                    "A3: component "
                            + (index + 1)
                            + " begins before "
                            + (earlier + 1)
                            + " is done");
        }
        GroupState at =
                group.state() instanceof GroupState.Paused paused ? paused.from() : group.state();
        boolean behind =
                at instanceof GroupState.Running running
                        && running.stage() == RunningGroupStage.GATE
                        && running.component() < index;
        safety.recordViolationUnless(
                !behind, "A3: component " + (index + 1) + " begins before its gate is open");
    }
}
