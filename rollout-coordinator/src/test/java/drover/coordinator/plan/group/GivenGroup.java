package drover.coordinator.plan.group;

import drover.coordinator.plan.group.RequestToComponent.Status;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.ChainProfileId;
import drover.model.GroupId;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** A group over components that do what they are asked, as rollouts do, or fail as a test says. */
final class GivenGroup {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    static final Duration EXPIRY = Duration.ofHours(24);
    static final int SIZE = 3;

    final List<RolloutState> components = new ArrayList<>();
    final List<Boolean> started = new ArrayList<>();
    final Map<String, Status> steerings = new HashMap<>();

    /** What was asked of components, in order, such as {@code 0 Start}. */
    final List<String> requested = new ArrayList<>();

    final List<Transition> history = new ArrayList<>();
    RolloutGroup group;
    GroupGateStatus gate = new GroupGateStatus.Open(3);
    Optional<RequestDecision.Refused> resumption = Optional.empty();
    String superseded = "";
    int unhealthyRestored;
    Instant now = START;

    GivenGroup(int size, GroupFailurePolicy policy) {
        group =
                new RolloutGroup(
                        new GroupId("g-1"),
                        1,
                        new GroupSpec(
                                new ChainProfileId("demo"),
                                policy,
                                "rolling",
                                IntStream.range(0, size).mapToObj(GivenGroup::component).toList()),
                        new GroupState.Pending(START),
                        0,
                        Set.of());
        for (int i = 0; i < size; i++) {
            components.add(new RolloutState.Pending(START));
            started.add(false);
        }
    }

    /** Of three components, started, and every one before this one completed. */
    static GivenGroup at(int component, GroupFailurePolicy policy) {
        GivenGroup given = new GivenGroup(SIZE, policy);
        given.request(new GroupRequest.Start());
        given.settle();
        for (int i = 0; i < component; i++) {
            given.complete(i);
            given.settle();
        }
        return given;
    }

    static GroupComponent component(int index) {
        return new GroupComponent(
                index,
                new BinaryName("program-" + (index + 1)),
                new Version("v2"),
                "",
                new RolloutId("r-" + (index + 1)),
                Duration.ofSeconds(10),
                3);
    }

    GivenGroup in(GroupState state) {
        group =
                new RolloutGroup(
                        group.id(),
                        group.revision(),
                        group.spec(),
                        state,
                        group.step() + 1,
                        group.skipped());
        return this;
    }

    GroupDecisionInput view() {
        List<ComponentRolloutSummary> views = new ArrayList<>();
        for (int i = 0; i < components.size(); i++) {
            views.add(new ComponentRolloutSummary(components.get(i), started.get(i)));
        }
        return new GroupDecisionInput(views, steerings, gate, resumption, superseded);
    }

    GroupRequestDecision request(GroupRequest request) {
        GroupRequestDecision decision = GroupRequestRules.decide(group, request, "", view(), now);
        if (decision instanceof GroupRequestDecision.Applied applied) {
            group = applied.next();
            history.addAll(applied.transitions());
            applied.componentRequests().forEach(this::write);
        }
        return decision;
    }

    /** One step; false when there was nothing to do. */
    boolean plan() {
        GroupStep step = GroupPlanner.plan(group, view(), EXPIRY, now);
        group = step.next();
        history.addAll(step.transitions());
        step.componentRequests().forEach(this::write);
        return step.hasChanges();
    }

    private void write(RequestToComponent steering) {
        requested.add(steering.component() + " " + steering.request().getClass().getSimpleName());
        if (steerings.put(steering.idempotencyKey(), new Status.Pending()) != null) {
            throw new AssertionError("asked twice: " + steering.idempotencyKey());
        }
        pending.add(steering);
    }

    private final List<RequestToComponent> pending = new ArrayList<>();

    /** Components do what was asked of them. */
    void obey() {
        for (RequestToComponent steering : List.copyOf(pending)) {
            pending.remove(steering);
            steerings.put(steering.idempotencyKey(), obey(steering));
        }
    }

    /** What was asked waits too long. */
    void expire() {
        pending.forEach(
                steering ->
                        steerings.put(
                                steering.idempotencyKey(),
                                new Status.Refused(
                                        RefusalCode.REQUEST_EXPIRED, "It waited too long.")));
        pending.clear();
    }

    private Status obey(RequestToComponent steering) {
        RolloutState state = components.get(steering.component());
        Optional<RolloutState> next = next(state, steering.request());
        if (next.isEmpty()) {
            return new Status.Refused(RefusalCode.TOO_LATE, "It cannot do that now.");
        }
        components.set(steering.component(), next.get());
        if (steering.request() instanceof OperatorRequest.Start) {
            started.set(steering.component(), true);
        }
        return new Status.Applied();
    }

    private Optional<RolloutState> next(RolloutState state, OperatorRequest request) {
        if (request instanceof OperatorRequest.Start
                && state instanceof RolloutState.Pending pending) {
            return Optional.of(pending.start(now));
        }
        if (request instanceof OperatorRequest.Pause
                && state instanceof RolloutState.Pausable running) {
            return Optional.of(running.pause(PauseReason.OPERATOR, now));
        }
        if (request instanceof OperatorRequest.Resume(int acknowledged)
                && state instanceof RolloutState.Paused paused) {
            boolean refused =
                    paused.reason() == PauseReason.RESTORED_UNHEALTHY
                            && acknowledged != unhealthyRestored;
            return refused ? Optional.empty() : Optional.of(paused.resume(now));
        }
        boolean goesBack =
                state instanceof RolloutState.RollingBack
                        || GroupRollbackAdvancer.isPausedInRollback(state);
        if (request instanceof OperatorRequest.Cancel && !state.isFinal() && !goesBack) {
            return Optional.of(new RolloutState.Cancelled(now)); // nothing is in flight here
        }
        boolean reversible = !(state instanceof RolloutState.Pending) && !goesBack;
        return request instanceof OperatorRequest.Rollback && reversible
                ? Optional.of(new RolloutState.RollingBack(now))
                : Optional.empty();
    }

    /** Plans and obeys until nothing moves; components at work stay at work. */
    void settle() {
        for (int i = 0; i < 100; i++) { // far more than any of these groups needs
            boolean moved = plan();
            boolean obeyed = !pending.isEmpty();
            obey();
            if (!moved && !obeyed) {
                return;
            }
        }
        throw new AssertionError("It never settles: " + group.state());
    }

    void complete(int component) {
        components.set(component, new RolloutState.Completed(now));
    }

    void fail(int component) {
        components.set(
                component, new RolloutState.Running(now).pause(PauseReason.FAILURE_THRESHOLD, now));
    }

    void rolledBack(int component) {
        components.set(component, new RolloutState.RolledBack(now));
    }

    void rollbackIncomplete(int component) {
        components.set(
                component, new RolloutState.Failed(RolloutFailureReason.ROLLBACK_INCOMPLETE, now));
    }

    static GroupGateStatus shut() {
        return new GroupGateStatus.Closed(new Cause("SYNC_STALLED", "Node n-1: it stalls."));
    }

    String status() {
        return GroupStateNames.of(group.state());
    }

    String because() {
        return history.getLast().because().code();
    }
}
