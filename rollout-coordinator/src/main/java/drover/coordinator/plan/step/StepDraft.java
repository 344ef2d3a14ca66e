package drover.coordinator.plan.step;

import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A rollout while one step of it is being worked out. Lives for one call of the planner; every
 * change that people should know of is noted as a {@link Transition} together with its reason.
 */
public final class StepDraft {
    public final FleetView fleet;
    public final RolloutTimeouts timings;
    public final Instant now;
    public final RolloutSpec spec;

    private final Rollout original;
    private final Map<NodeId, NodeUpgrade> nodes;
    private final List<Batch> batches;
    private final Map<Integer, Integer> batchSizes = new HashMap<>();
    private final List<Transition> transitions = new ArrayList<>();
    private final List<Step.AssignedAttempt> allotted = new ArrayList<>();
    private final List<IncidentChange.Open> stalls = new ArrayList<>();
    private RolloutState state;
    private int acknowledgedFailures;
    private int acceptedOffline;
    private boolean changed;
    private @Nullable TargetHealthConcerns
            targetHealth; // null until asked for since the last change of a node

    public StepDraft(Rollout rollout, FleetView fleet, RolloutTimeouts timings, Instant now) {
        this.original = rollout;
        this.fleet = fleet;
        this.timings = timings;
        this.now = now;
        this.spec = rollout.spec();
        this.nodes = new LinkedHashMap<>(rollout.nodes());
        this.batches = new ArrayList<>(rollout.batches());
        this.state = rollout.state();
        this.acknowledgedFailures = rollout.acknowledgedFailures();
        this.acceptedOffline = rollout.acceptedOffline();
        this.nodes.values().forEach(node -> batchSizes.merge(node.batch(), 1, Integer::sum));
    }

    /**
     * From assignment until the agent must have finished (C6). A program that may take long to stop
     * adds its time twice: once for the actions, once for compensation.
     */
    public Duration workTimeout() {
        return timings.work().plus(spec.extraStopTime().multipliedBy(2));
    }

    public RolloutId id() {
        return original.id();
    }

    public RolloutState state() {
        return state;
    }

    /**
     * All nodes as they are now. May be gone through while nodes are changed: a change replaces an
     * entry and never adds one, so nothing has to be copied (10,000 targets, many looks a step).
     */
    public Collection<NodeUpgrade> nodes() {
        return Collections.unmodifiableCollection(nodes.values());
    }

    /** How many nodes a batch has. */
    public int batchSize(int batch) {
        return batchSizes.getOrDefault(batch, 0);
    }

    public NodeUpgrade node(NodeId id) {
        NodeUpgrade node = nodes.get(id);
        if (node == null) {
            throw new IllegalStateException("Node " + id + " is no target");
        }
        return node;
    }

    public Stream<NodeUpgrade> nodesInBatch(int index) {
        return nodes().stream().filter(node -> node.batch() == index);
    }

    public Stream<NodeUpgrade> nodesInFlight() {
        return nodes().stream().filter(node -> node.state().isInFlight());
    }

    /** Further nodes that may be in flight in a batch; negative if nodes returned unexpectedly. */
    public int inFlightCapacity(Batch batch) {
        long counted =
                nodes().stream()
                        .filter(
                                node ->
                                        node.state().isInFlight()
                                                || node.isReconnectedAtWork(fleet.node(node.id())))
                        .count();
        return maxInFlight(batch) - (int) counted;
    }

    public List<Batch> batches() {
        return batches;
    }

    /** Most nodes that may be in flight at once while this batch is (A21). */
    public int maxInFlight(Batch batch) {
        return Math.min(spec.maxInFlight(), spec.strategy().maxInFlight(batch, nodes.size()));
    }

    /** Most nodes that a rollback restores at once (A21). */
    public int maxRestoring() {
        return Math.min(spec.maxInFlight(), spec.strategy().batchSize());
    }

    /** The rollout as it is now, uncommitted. */
    public Rollout rollout() {
        if (!changed) {
            return original;
        }
        return new Rollout(
                original.id(),
                original.revision(),
                spec,
                state,
                acknowledgedFailures,
                acceptedOffline,
                original.forced(),
                batches,
                nodes);
    }

    List<Transition> transitions() {
        return transitions;
    }

    List<Step.AssignedAttempt> attempts() {
        return allotted;
    }

    /**
     * Whether deadlines may be judged: the fleet has been in full view for long enough (rule R3).
     */
    public boolean canJudgeDeadlines() {
        Instant since = fleet.completeViewSince();
        return since != null && !now.isBefore(since.plus(timings.blindGrace()));
    }

    public boolean isPast(Instant deadline) {
        return !now.isBefore(deadline);
    }

    /** Whether the node has been gone for long enough to say so. */
    public boolean isOfflineBeyondGrace(NodeId id) {
        return fleet.node(id) instanceof NodeView.Absent(Instant since)
                && isPast(since.plus(timings.offlineGrace()));
    }

    public void moveRollout(RolloutState next, Cause because) {
        transitions.add(
                new Transition(
                        "rollout",
                        null,
                        StateNameFormatter.of(state),
                        StateNameFormatter.of(next),
                        because));
        state = next;
        changed = true;
    }

    /** Changes what an operator accepted, without a move. */
    public void putState(RolloutState next) {
        state = next;
        changed = true;
    }

    public void moveBatch(Batch batch, BatchPhase phase, Cause because) {
        if (batch.phase() == phase) {
            return;
        }
        transitions.add(
                new Transition(
                        "batch " + (batch.index() + 1),
                        null,
                        StateNameFormatter.of(batch.phase()),
                        StateNameFormatter.of(phase),
                        because));
        batches.set(batch.index(), batch.withPhase(phase, now));
        changed = true;
    }

    /** Moves a node to another state and notes why. */
    public void moveNode(NodeUpgrade node, NodeState next, Cause because) {
        String from = StateNameFormatter.of(node(node.id()).state());
        transitions.add(
                new Transition("node", node.id(), from, StateNameFormatter.of(next), because));
        putNode(node.withState(next));
    }

    /** Changes what is known of a node without a move. */
    public void putNode(NodeUpgrade node) {
        NodeUpgrade was = node(node.id());
        if (was.batch() != node.batch()) {
            batchSizes.merge(was.batch(), -1, Integer::sum);
            batchSizes.merge(node.batch(), 1, Integer::sum);
        }
        nodes.put(node.id(), node);
        targetHealth = null;
        changed = true;
    }

    /** The health of all targets: evaluated once, however many gates of a step ask for it. */
    public TargetHealthConcerns targetHealthConcerns() {
        if (targetHealth == null) {
            targetHealth = TargetHealthConcerns.of(rollout(), fleet);
        }
        return targetHealth;
    }

    /** Whether a node stands elsewhere than before this step. */
    public boolean hasChangedState(NodeUpgrade node) {
        NodeUpgrade was = original.nodes().get(node.id());
        return was == null || !was.state().equals(node.state());
    }

    /** Puts a node into another batch and notes why. */
    public void moveToBatch(NodeUpgrade node, int batch, Cause because) {
        putNodeWithCause(node.withBatch(batch), because);
    }

    /** Changes what is known of a node in a way that people should know of, without a move. */
    public void putNodeWithCause(NodeUpgrade node, Cause because) {
        String status = StateNameFormatter.of(node.state());
        transitions.add(new Transition("node", node.id(), status, status, because));
        putNode(node);
    }

    /** Tells whoever is on call that it stands still because of a node (invariant A18). */
    public void openStalledIncident(NodeId node, Cause because) {
        stalls.add(IncidentRules.stalledIncident(node, original.id(), because));
    }

    /** Opens an incident of a node that is unhealthy although no state of its own says so. */
    public void openUnhealthyIncident(NodeId node, Cause because) {
        stalls.add(IncidentRules.unhealthyIncident(node, original.id(), because));
    }

    /** Gives a node the next attempt number (rule R1: one counter per node). */
    public long assignAttempt(NodeUpgrade node, long restoreOf) {
        long attempt = fleet.reservation(node.id()).lastAttempt() + 1;
        allotted.add(new Step.AssignedAttempt(node.id(), attempt, restoreOf));
        putNode(node.withAttempt(attempt, restoreOf == 0));
        return attempt;
    }

    /** Why a restore that starts or resumes now is made: during a rollback, it is part of it. */
    public NodeState.RestorePurpose restorePurpose() {
        return RolloutState.resumedState(state) instanceof RolloutState.RollingBack
                ? NodeState.RestorePurpose.ROLLBACK
                : NodeState.RestorePurpose.FAILED_GATE;
    }

    /** Whether another rollout is at work on the node: there is one attempt at a time (A4). */
    public boolean isReservedByOther(NodeUpgrade node) {
        return fleet.reservation(node.id()).otherReservingRollout(id()) != null;
    }

    /** Whether the machine that the rollout modified was retired since. */
    public boolean isOnRetiredMachine(NodeUpgrade node) {
        return node.isOnRetiredMachine(fleet.reservation(node.id()));
    }

    /**
     * Starts to restore a node because it is unhealthy on the target. If its machine was retired
     * since, nothing can be restored and the node is unreachable.
     */
    public void restoreUnhealthy(NodeUpgrade node, Cause cause) {
        if (isOnRetiredMachine(node)) {
            moveNode(node, toUnreachable(node.state()), NodeUpgrade.RETIRED);
            return;
        }
        NodeState.RestorePurpose why = restorePurpose();
        long attempt = assignAttempt(node, node.installedBy());
        NodeUpgrade allottedNode = node(node.id());
        NodeState next =
                switch (node.state()) {
                    case NodeState.Settling settling -> settling.restore(attempt, why, cause, now);
                    case NodeState.Observed observed -> observed.restore(attempt, why, cause, now);
                    case NodeState.Unhealthy unhealthy -> unhealthy.restore(attempt, why, now);
                    default ->
                            throw new IllegalStateException(
                                    "Nothing is installed that could be unwell");
                };
        moveNode(allottedNode, next, cause);
    }

    private NodeState toUnreachable(NodeState state) {
        return switch (state) {
            case NodeState.Settling settling -> settling.markUnreachable(NodeUpgrade.RETIRED, now);
            case NodeState.Observed observed ->
                    observed.returnToSettling(now).markUnreachable(NodeUpgrade.RETIRED, now);
            default -> throw new IllegalStateException("No health is awaited: " + state);
        };
    }

    /** A batch that a node may join now: the one in flight, or a new one when all have passed. */
    public int findOrAppendBatch() {
        for (Batch batch : batches) {
            if (batch.phase() != BatchPhase.PROMOTED) {
                return batch.index();
            }
        }
        return appendBatch();
    }

    /** Adds a batch at the end. */
    public int appendBatch() {
        int index = batches.size();
        batches.add(new Batch(index, false, BatchPhase.PENDING, now));
        changed = true;
        return index;
    }

    /** Withdraws the commands of assigned nodes that have not started (invariant A12). */
    public void withdrawAssigned() {
        nodesInFlight()
                .forEach(
                        node -> {
                            if (node.state() instanceof NodeState.Assigned assigned
                                    && !assigned.withdrawing()) {
                                putNode(node.withState(assigned.withdraw()));
                            }
                        });
    }

    public void acknowledgeFailures(int failures) {
        acknowledgedFailures = failures;
        changed = true;
    }

    public void acceptOffline(int count) {
        acceptedOffline = count;
        changed = true;
    }

    public Step toStep(Set<Effect> effects, @Nullable Instant wakeAt) {
        return new Step(changed, rollout(), transitions, allotted, stalls, effects, wakeAt);
    }
}
