package drover.coordinator.engine.rollout;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.FleetSnapshot;
import drover.coordinator.engine.fleet.NodeReservations;
import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.plan.PlanInvariants;
import drover.coordinator.plan.RolloutPlanner;
import drover.coordinator.plan.group.GroupMemberRules;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.Timings;
import drover.coordinator.plan.replay.RecordedDecision;
import drover.coordinator.plan.request.Decision;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.OperatorRequests;
import drover.coordinator.plan.step.Step;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.Commit.DecidedRequest;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.LeaderStore.Loaded;
import drover.coordinator.store.leader.LeaderStore.PendingRequest;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.sql.UnwritableValue;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One rollout's loop: load once, observe, plan, commit, act. Takes no input; whoever wakes it
 * changes nothing but the time. The thread, the waiting and the clock are outside, so that other
 * drivers run the same code.
 */
public final class RolloutLoop {
    private static final Logger LOG = LoggerFactory.getLogger(RolloutLoop.class);

    /** Requests towards more risk are dropped after this long: whoever asked has looked away. */
    private static final Duration REQUEST_EXPIRY = Duration.ofSeconds(60);

    /** For the answers of gateways; without them a request is decided by what is known. */
    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(10);

    private static final String SELF = "drover";

    private final RolloutId id;
    private final long epoch;
    private final LeaderStore store;
    private final FleetCache mirror;
    private final NodeReservations guards;
    private final Timings timings;
    private final Supplier<Instant> clock;
    private final EffectRunner.Peers peers;
    private final Interest interest;
    private final DecisionRecorder recorder;
    private final CommitBuilder records;
    private final LoopMeter loops;
    private final LoopMeter.OfRollout meter;
    private @Nullable Loaded loaded;
    private @Nullable EffectRunner effects;
    private @Nullable Tried tried; // null until the first step
    private boolean commitRejected; // an incident reports it

    public RolloutLoop(RolloutId id, long epoch, TermContext parts, Interest interest) {
        this.id = id;
        this.epoch = epoch;
        this.store = parts.store();
        this.mirror = parts.fleet();
        this.guards = parts.reservations();
        this.timings = parts.timings();
        this.clock = parts.clock();
        this.peers = parts.peers();
        this.interest = interest;
        this.recorder = new DecisionRecorder(timings);
        this.records = new CommitBuilder(id, epoch, store);
        this.loops = parts.meter();
        this.meter = loops.rollout(id);
    }

    /**
     * The latest step that was about to be committed.
     *
     * @param statuses nodes whose statuses its recorded decision has
     */
    private record Tried(FleetSnapshot view, Set<NodeId> statuses) {}

    /** Makes nodes visible to this leader. */
    public interface Interest {
        void add(java.util.Collection<NodeId> nodes);
    }

    /** What a tick ended with. */
    public sealed interface TickResult {
        /** Something changed: look again soon. */
        record Changed() implements TickResult {}

        /**
         * Nothing to do for now.
         *
         * @param wakeAt when to look again; null when only a nudge is waited for
         */
        record Waiting(@Nullable Instant wakeAt) implements TickResult {}

        /** The rollout has ended and has no undecided request. */
        record Ended() implements TickResult {}

        /** Another leader has taken over. */
        record SteppedDown() implements TickResult {}
    }

    /**
     * One round. After a failure of the database the rollout is loaded again, which also settles an
     * ambiguous commit (B8).
     */
    public TickResult tick() {
        try {
            return round();
        } catch (UnwritableValue e) {
            reportRejectedCommit();
            loaded = null;
            throw e;
        } catch (RuntimeException e) {
            loaded = null; // the database away, or a bug: what is in memory is not to be trusted
            throw e;
        }
    }

    /** The rejected value is not part of a status: an operator must read the log. */
    private void reportRejectedCommit() {
        if (loaded != null) {
            NodeId first = loaded.rollout().nodes().keySet().iterator().next();
            write(IncidentRules.commitRejected(first, id));
            commitRejected = true;
        }
    }

    /** A leader that another one has followed writes nothing, and its next commit says so. */
    private void write(IncidentChange incident) {
        boolean _ = store.incidents().write(epoch, List.of(incident), clock.get());
    }

    private TickResult round() {
        Loaded present = loaded();
        if (present == null) {
            return new TickResult.Ended();
        }
        List<PendingRequest> requests = store.pendingRequests(id);
        for (PendingRequest request : requests) {
            TickResult decided = decide(request);
            if (!(decided instanceof TickResult.Changed) || loaded == null) {
                return decided; // stepped down, or somebody else wrote: look again
            }
        }
        return requests.isEmpty() ? plan() : new TickResult.Changed();
    }

    private @Nullable Loaded loaded() {
        if (loaded == null) {
            recorder.reset();
            loaded = store.load(id).orElse(null);
            if (loaded != null) {
                meter.loaded(loaded);
                guards.load(loaded.rollout().nodes().keySet());
                interest.add(loaded.rollout().nodes().keySet());
                if (effects == null) {
                    effects = new EffectRunner(store, mirror, peers, epoch, loaded.traceId());
                }
            }
        }
        return loaded;
    }

    /** A status that the database rejects must not hold up requests: none depends on one. */
    private TickResult decide(PendingRequest request) {
        try {
            return decide(request, mirror.view());
        } catch (UnwritableValue e) {
            LOG.warn(
                    "A request is decided without statuses rolloutId={} reason={}",
                    id,
                    e.getMessage());
            return decide(request, mirror.view().without(required().rollout().nodes().keySet()));
        }
    }

    private TickResult decide(PendingRequest request, FleetSnapshot view) {
        Rollout rollout = required().rollout();
        Instant now = clock.get();
        FleetView fleet = new PinnedFleetView(view, superseded(rollout, request.request()));
        boolean expired =
                request.request().raisesRisk()
                        && now.isAfter(request.createdAt().plus(REQUEST_EXPIRY));
        if (expired) {
            return refuse(
                    request,
                    RefusalCode.REQUEST_EXPIRED,
                    "The request waited longer than 60 s and was dropped; send it again if it is still wanted.",
                    recorded(request, fleet, now, true));
        }
        Instant decideBy = request.createdAt().plus(ANSWERS_WITHIN);
        if (now.isBefore(decideBy)
                && OperatorRequests.isAwaited(rollout, request.request(), fleet)) {
            return new TickResult.Waiting(decideBy);
        }
        Optional<Decision.Refused> groups =
                GroupMemberRules.refusal(rollout.spec(), request.request(), request.actor());
        if (groups.isPresent()) {
            return refuse(
                    request,
                    groups.get().code(),
                    groups.get().sentence(),
                    recorded(request, fleet, now, true));
        }
        Decision decision =
                OperatorRequests.decide(
                        rollout,
                        new OperatorRequests.SubmittedRequest(
                                request.request(), request.actor(), request.reason()),
                        fleet,
                        now);
        RecordedDecision record = recorded(request, fleet, now, false);
        return switch (decision) {
            case Decision.Refused(RefusalCode code, String sentence) ->
                    refuse(request, code, sentence, record);
            case Decision.Applied applied -> apply(request, applied, record, fleet);
        };
    }

    /** Asked for only where it decides: few ended rollouts are ever rolled back. */
    private Set<NodeId> superseded(Rollout rollout, OperatorRequest request) {
        boolean reopens = rollout.state().isFinal() && request instanceof OperatorRequest.Rollback;
        return reopens ? store.superseded(id) : Set.of();
    }

    private RecordedDecision recorded(
            PendingRequest request, FleetView fleet, Instant now, boolean ruledOut) {
        return recorder.record(
                required().rollout(),
                fleet,
                now,
                new RecordedDecision.RecordedRequest(
                        request.request(), request.reason(), ruledOut, request.actor()));
    }

    private TickResult apply(
            PendingRequest request,
            Decision.Applied applied,
            RecordedDecision record,
            FleetView fleet) {
        Commit commit =
                commit(
                        applied.next(),
                        records.historyEntries(
                                applied.transitions(), record.now(), request.actor()),
                        List.of(),
                        List.of(),
                        List.of(DecidedRequest.applied(request.id())),
                        List.of(),
                        record);
        Commit.Outcome outcome = meter.commit(commit, store::commit);
        if (outcome instanceof Commit.Outcome.ChainBusy) {
            return refuse(
                    request,
                    RefusalCode.CHAIN_BUSY,
                    "Another rollout is active for this chain; finish or cancel it before rolling back.",
                    recorded(request, fleet, record.now(), true));
        }
        return settle(commit, outcome);
    }

    private TickResult refuse(
            PendingRequest request, RefusalCode code, String sentence, RecordedDecision record) {
        Rollout rollout = required().rollout();
        Commit commit =
                commit(
                        rollout,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(new DecidedRequest(request.id(), code.name(), sentence)),
                        List.of(),
                        record);
        return settle(commit, meter.commit(commit, store::commit));
    }

    private TickResult plan() {
        try {
            return plan(Set.of());
        } catch (UnwritableValue e) {
            if (tried == null || tried.statuses().isEmpty()) {
                throw e;
            }
            return StatusIsolation.run(tried.statuses(), this::plan, this::reject);
        }
    }

    /** Never written and so never acknowledged; an incident of its node reports it. */
    private void reject(NodeId node, UnwritableValue why) {
        LOG.error(
                "A status has a value that the database rejects nodeId={} rolloutId={}",
                node,
                id,
                why);
        loops.failed("rollout");
        if (tried != null) {
            tried.view().receivedStatus(node).ifPresent(mirror::forget);
        }
        mirror.findings().rejected(Map.of(node, "The database rejects a value of its status."));
    }

    /**
     * Plans and commits one step.
     *
     * @param ignored nodes whose statuses are not applied. If there are any, the step is committed
     *     even if it changes nothing: that shows whether the database rejects something else
     */
    private TickResult plan(Set<NodeId> ignored) {
        if (loaded() == null) {
            return new TickResult.Ended();
        }
        Rollout before = required().rollout();
        Instant now = clock.get();
        FleetSnapshot view = mirror.view().without(ignored);
        FleetView fleet = new PinnedFleetView(view);
        Step step = RolloutPlanner.plan(before, fleet, timings, now);
        if (step.changed() || !ignored.isEmpty()) {
            List<String> violations = PlanInvariants.violations(before, step, fleet);
            if (!violations.isEmpty()) {
                throw new IllegalStateException("A step would break what must hold: " + violations);
            }
            RecordedDecision record = recorder.record(before, fleet, now, null);
            tried = new Tried(view, record.nodesWithStatus());
            Commit commit =
                    commit(
                            step.next(),
                            records.historyEntries(before, step, now, SELF),
                            records.attempts(step),
                            CommitBuilder.statusUpdates(before, step.next(), view),
                            List.of(),
                            step.stalls(),
                            record);
            TickResult settled = settle(commit, meter.commit(commit, store::commit));
            if (settled instanceof TickResult.Changed && loaded != null) {
                act(step, now);
            }
            return settled;
        }
        act(step, now);
        return before.state().isFinal()
                ? new TickResult.Ended()
                : new TickResult.Waiting(step.wakeAt());
    }

    private void act(Step step, Instant now) {
        if (effects != null) {
            effects.run(required().rollout(), step.effects(), now);
        }
    }

    /** Ends what was asked of others. */
    public void stop() {
        meter.ended();
        if (effects != null) {
            effects.stop();
        }
    }

    private Commit commit(
            Rollout after,
            List<HistoryEntry> history,
            List<Commit.NewAttempt> attempts,
            List<Commit.StatusUpdate> reports,
            List<DecidedRequest> requests,
            List<IncidentChange.Open> stalls,
            RecordedDecision decision) {
        Loaded present = required();
        return new Commit(
                epoch,
                present.rollout(),
                after.committed(),
                history,
                present.historyHead(),
                attempts,
                reports,
                requests,
                stalls,
                decision);
    }

    private TickResult settle(Commit commit, Commit.Outcome outcome) {
        return switch (outcome) {
            case Commit.Outcome.Committed(String head) -> {
                loaded = new Loaded(commit.after(), head, required().traceId());
                recorder.committed();
                guards.committed(id, commit);
                commit.history().forEach(row -> logTransition(row));
                if (commitRejected) {
                    write(IncidentRules.commitAccepted(id));
                    commitRejected = false;
                }
                yield new TickResult.Changed();
            }
            case Commit.Outcome.Conflict c -> {
                loaded = null; // somebody continued the history; read it again
                yield new TickResult.Changed();
            }
            case Commit.Outcome.StaleEpoch s -> new TickResult.SteppedDown();
            case Commit.Outcome.ChainBusy b ->
                    throw new IllegalStateException("Only a request can reopen an ended rollout");
        };
    }

    /** A state change, its history row and its log line come from this one place: the commit. */
    private void logTransition(HistoryEntry row) {
        LOG.info(
                "{} moved rolloutId={} nodeId={} from={} to={} reason={} actor={}",
                row.subject(),
                id,
                row.node(),
                row.from(),
                row.to(),
                row.because().code(),
                row.actor());
    }

    private Loaded required() {
        if (loaded == null) {
            throw new IllegalStateException("The rollout is not loaded");
        }
        return loaded;
    }
}
