package drover.coordinator.engine.group;

import drover.coordinator.engine.health.GroupHealthGate;
import drover.coordinator.engine.rollout.LoopDependencies;
import drover.coordinator.plan.group.ComponentRolloutSummary;
import drover.coordinator.plan.group.GroupDecisionInput;
import drover.coordinator.plan.group.GroupGateStatus;
import drover.coordinator.plan.group.GroupPlanner;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.group.GroupRequestDecision;
import drover.coordinator.plan.group.GroupRequestRules;
import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.group.GroupStep;
import drover.coordinator.plan.group.RequestToComponent;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.group.RunningGroupStage;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.OperatorRequestRules;
import drover.coordinator.plan.request.RequestDecision;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.Commit.DecidedRequest;
import drover.coordinator.store.group.LeaderGroupStore;
import drover.coordinator.store.group.LeaderGroupStore.GroupCommit;
import drover.coordinator.store.group.LeaderGroupStore.LoadedGroup;
import drover.coordinator.store.group.LeaderGroupStore.PendingGroupRequest;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.sql.UnreadableRow;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes through every group that has not ended: load, decide, commit, as a part of the leader's
 * round. Keeps nothing but open gates, so that a new leader goes on where the rows say. What it
 * asks of components is written with the step that asks it.
 */
public final class GroupLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupLoop.class);

    /** As for rollouts: whoever asked has looked away. */
    private static final Duration REQUEST_EXPIRY = Duration.ofSeconds(60);

    /** Steps of one group in a round: from a request to what it asks of a component, and more. */
    private static final int MOST_STEPS = 8;

    private static final String SELF = "drover";

    private final long epoch;
    private final LoopDependencies parts;
    private final LeaderGroupStore ledger;
    private final GroupHealthGate gates;
    private final Consumer<RolloutId> wakeup;
    private final Set<GroupId> atGates = new HashSet<>();
    private List<String> gateways = List.of();

    /**
     * @param wakeup wakes the loop of a component that was asked something
     */
    public GroupLoop(
            long epoch, LoopDependencies parts, GroupHealthGate gates, Consumer<RolloutId> wakeup) {
        this.epoch = epoch;
        this.parts = parts;
        this.ledger = parts.store().groups();
        this.gates = gates;
        this.wakeup = wakeup;
    }

    /**
     * One round; false when another leader has taken over.
     *
     * @param from gateways that heartbeats come from
     */
    public boolean tickUnlessStale(List<String> from) {
        gateways = from;
        atGates.clear();
        for (GroupId group : ledger.findActiveOrRequested()) {
            if (!tickOrSkip(group)) {
                return false;
            }
        }
        gates.retainGroups(atGates);
        return true;
    }

    /** A group that a later version wrote is left alone, and no other for it. */
    private boolean tickOrSkip(GroupId group) {
        try {
            return tickUnlessStale(group);
        } catch (UnreadableRow e) {
            LOG.warn(
                    "A group cannot be read; this leader leaves it alone groupId={} reason={}",
                    group,
                    e.getMessage());
            return true;
        }
    }

    private boolean tickUnlessStale(GroupId id) {
        for (int i = 0; i < MOST_STEPS; i++) {
            Optional<LoadedGroup> loaded = ledger.load(id);
            if (loaded.isEmpty()) {
                return true;
            }
            List<PendingGroupRequest> requests = ledger.pendingRequests(id);
            Optional<Commit.Outcome> outcome =
                    requests.isEmpty()
                            ? planAndCommit(loaded.get())
                            : Optional.of(decideAndCommit(loaded.get(), requests.getFirst()));
            if (outcome.isEmpty()) {
                return true; // nothing to do for now
            }
            if (outcome.get() instanceof Commit.Outcome.StaleEpoch) {
                return false;
            }
            if (!(outcome.get() instanceof Commit.Outcome.Committed)) {
                return true; // somebody else wrote: the next round looks again
            }
        }
        return true;
    }

    /** Empty when there is nothing to do. */
    private Optional<Commit.Outcome> planAndCommit(LoadedGroup loaded) {
        Instant now = parts.clock().get();
        GroupDecisionInput view = toDecisionInput(loaded, checkGate(loaded), Optional.empty(), "");
        GroupStep step =
                GroupPlanner.plan(loaded.group(), view, parts.timings().pendingExpiry(), now);
        if (!step.hasChanges()) {
            return Optional.empty();
        }
        return Optional.of(
                commit(
                        loaded,
                        step.next(),
                        step.transitions(),
                        step.componentRequests(),
                        now,
                        SELF,
                        List.of()));
    }

    private static GroupDecisionInput toDecisionInput(
            LoadedGroup loaded,
            GroupGateStatus gate,
            Optional<RequestDecision.Refused> resumption,
            String superseded) {
        return new GroupDecisionInput(
                loaded.components(), loaded.requestStatuses(), gate, resumption, superseded);
    }

    /** Only a group at a gate is looked at. */
    private GroupGateStatus checkGate(LoadedGroup loaded) {
        RolloutGroup group = loaded.group();
        if (group.state() instanceof GroupState.Running running
                && running.stage() == RunningGroupStage.GATE) {
            atGates.add(group.id());
            Set<NodeId> nodes = ledger.findGateNodes(group.id(), running.component());
            return gates.check(
                    group.id(),
                    new GroupHealthGate.GateIdentity(
                            group.component(running.component()), running.since()),
                    new GroupHealthGate.GateScope(nodes, gateways),
                    reachableLongEnough());
        }
        return new GroupGateStatus.Waiting(parts.clock().get(), "It is at no gate.");
    }

    /** Whether a node is connected, and has been for as long as it takes to be heard. */
    private Predicate<NodeId> reachableLongEnough() {
        FleetView fleet = parts.fleet().snapshot();
        Instant before = parts.clock().get().minus(GroupHealthGate.SWITCH_AFTER);
        return node -> {
            Instant since = fleet.observableSince(node);
            return fleet.node(node) instanceof NodeView.Present
                    && (since == null || !since.isAfter(before));
        };
    }

    private Commit.Outcome decideAndCommit(LoadedGroup loaded, PendingGroupRequest request) {
        Instant now = parts.clock().get();
        boolean expired =
                request.request().raisesRisk()
                        && now.isAfter(request.createdAt().plus(REQUEST_EXPIRY));
        if (expired) {
            return refuse(
                    loaded,
                    request,
                    RefusalCode.REQUEST_EXPIRED,
                    "The request waited longer than 60 s and was dropped; send it again if it is"
                            + " still wanted.");
        }
        GroupDecisionInput view =
                toDecisionInput(
                        loaded,
                        new GroupGateStatus.Waiting(now, "It is not asked now."),
                        findResumeRefusal(loaded, request, now),
                        findSupersededSentence(loaded, request));
        Optional<GroupRequestDecision.Refused> alone =
                GroupRequestRules.findCreatorRefusal(request.request(), request.actor(), view);
        GroupRequestDecision decided =
                GroupRequestRules.decide(
                        loaded.group(), request.request(), request.reason(), view, now);
        return switch (decided instanceof GroupRequestDecision.Applied && alone.isPresent()
                ? alone.get()
                : decided) {
            case GroupRequestDecision.Refused(RefusalCode code, String sentence) ->
                    refuse(loaded, request, code, sentence);
            case GroupRequestDecision.Applied applied -> apply(loaded, request, applied, now);
        };
    }

    /** Asks the rules of rollouts what the paused component would say to a resume. */
    private Optional<RequestDecision.Refused> findResumeRefusal(
            LoadedGroup loaded, PendingGroupRequest request, Instant now) {
        if (!(request.request() instanceof GroupRequest.Resume(int acknowledged))) {
            return Optional.empty();
        }
        for (int i = 0; i < loaded.components().size(); i++) {
            ComponentRolloutSummary component = loaded.components().get(i);
            if (component.state() instanceof drover.coordinator.plan.model.RolloutState.Paused) {
                return parts.store()
                        .load(loaded.group().component(i).rollout())
                        .flatMap(
                                rollout ->
                                        OperatorRequestRules.decide(
                                                                rollout.rollout(),
                                                                new OperatorRequestRules
                                                                        .SubmittedRequest(
                                                                        new OperatorRequest.Resume(
                                                                                acknowledged),
                                                                        request.actor(),
                                                                        ""),
                                                                parts.fleet().snapshot(),
                                                                now)
                                                        instanceof RequestDecision.Refused refused
                                                ? Optional.of(refused)
                                                : Optional.empty());
            }
        }
        return Optional.empty();
    }

    private String findSupersededSentence(LoadedGroup loaded, PendingGroupRequest request) {
        boolean reopens =
                request.request() instanceof GroupRequest.Rollback
                        && loaded.group().state().isFinal();
        return reopens
                ? ledger.findSupersededNodes(loaded.group().id()).stream()
                        .sorted()
                        .findFirst()
                        .map(
                                node ->
                                        "A program of node "
                                                + node
                                                + " has been changed by a later rollout; roll that"
                                                + " one back first.")
                        .orElse("")
                : "";
    }

    private Commit.Outcome apply(
            LoadedGroup loaded,
            PendingGroupRequest request,
            GroupRequestDecision.Applied applied,
            Instant now) {
        Commit.Outcome outcome =
                commit(
                        loaded,
                        applied.next(),
                        applied.transitions(),
                        applied.componentRequests(),
                        now,
                        request.actor(),
                        List.of(DecidedRequest.applied(request.id())));
        return outcome instanceof Commit.Outcome.ChainBusy
                ? refuse(
                        loaded,
                        request,
                        RefusalCode.CHAIN_BUSY,
                        "Another rollout is active for this chain; finish or cancel it before"
                                + " rolling back.")
                : outcome;
    }

    private Commit.Outcome refuse(
            LoadedGroup loaded, PendingGroupRequest request, RefusalCode code, String sentence) {
        return commit(
                loaded,
                loaded.group(),
                List.of(),
                List.of(),
                parts.clock().get(),
                request.actor(),
                List.of(new DecidedRequest(request.id(), code.name(), sentence)));
    }

    private Commit.Outcome commit(
            LoadedGroup loaded,
            RolloutGroup next,
            List<Transition> transitions,
            List<RequestToComponent> steerings,
            Instant now,
            String actor,
            List<DecidedRequest> requests) {
        Commit.Outcome outcome =
                ledger.commit(
                        new GroupCommit(
                                epoch,
                                loaded.group(),
                                next.withNextRevision(),
                                transitions.stream()
                                        .map(t -> HistoryEntry.of(t, now, epoch, actor))
                                        .toList(),
                                loaded.historyHead(),
                                steerings,
                                requests));
        if (outcome instanceof Commit.Outcome.Committed) {
            transitions.forEach(transition -> logTransition(next.id(), transition, actor));
            steerings.forEach(
                    steering -> wakeup.accept(next.component(steering.component()).rollout()));
        }
        return outcome;
    }

    /** A state change, its history row and its log line come from this one place: the commit. */
    private static void logTransition(GroupId id, Transition transition, String actor) {
        LOG.info(
                "A group moved groupId={} from={} to={} reason={} actor={}",
                id,
                transition.from(),
                transition.to(),
                transition.because().code(),
                actor);
    }

    @Override
    public void close() {
        gates.close();
    }
}
