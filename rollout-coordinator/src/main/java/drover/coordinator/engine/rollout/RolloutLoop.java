package drover.coordinator.engine.rollout;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.LazyFleetSnapshot;
import drover.coordinator.engine.fleet.NodeReservationCache;
import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.plan.RolloutPlanner;
import drover.coordinator.plan.StepViolationFinder;
import drover.coordinator.plan.group.DirectComponentRequestRules;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.replay.RecordedDecisionInput;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.OperatorRequestRules;
import drover.coordinator.plan.request.RequestDecision;
import drover.coordinator.plan.step.Step;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.Commit.DecidedRequest;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.LeaderStore.PendingRequest;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
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
    private final NodeReservationCache guards;
    private final RolloutTimeouts timings;
    private final Supplier<Instant> clock;
    private final EffectRunner.PeerClient peers;
    private final NodeInterestRegistry interest;
    private final DecisionInputRecordBuilder recorder;
    private final HistoryAndAttemptsBuilder records;
    private final LoopMeter loops;
    private final LoopMeter.RolloutCommitMeter meter;
    private @Nullable RolloutWithHistoryHead loaded;
    private @Nullable EffectRunner effects;
    private @Nullable StatusesOfLastCommit tried; // null until the first step
    private boolean commitRejected; // an incident reports it

    public RolloutLoop(
            RolloutId id, long epoch, LoopDependencies parts, NodeInterestRegistry interest) {
        this.id = id;
        this.epoch = epoch;
        this.store = parts.store();
        this.mirror = parts.fleet();
        this.guards = parts.reservations();
        this.timings = parts.timings();
        this.clock = parts.clock();
        this.peers = parts.peers();
        this.interest = interest;
        this.recorder = new DecisionInputRecordBuilder(timings);
        this.records = new HistoryAndAttemptsBuilder(id, epoch, store);
        this.loops = parts.meter();
        this.meter = loops.rolloutMeter(id);
    }

    /**
     * The latest step that was about to be committed.
     *
     * @param statuses nodes whose statuses its recorded decision has
     */
    private record StatusesOfLastCommit(LazyFleetSnapshot view, Set<NodeId> statuses) {}

    /** Makes nodes visible to this leader. */
    public interface NodeInterestRegistry {
        void setNodes(java.util.Collection<NodeId> nodes);
    }

    /** What a tick ended with. */
    public sealed interface TickResult {
        /** Something changed: look again soon. */
        record TickAgain() implements TickResult {}

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
            return runRound();
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
            writeIncident(IncidentRules.commitRejectedIncident(first, id));
            commitRejected = true;
        }
    }

    /** A leader that another one has followed writes nothing, and its next commit says so. */
    private void writeIncident(IncidentChange incident) {
        boolean _ = store.incidents().write(epoch, List.of(incident), clock.get());
    }

    private TickResult runRound() {
        RolloutWithHistoryHead present = loadIfNeeded();
        if (present == null) {
            return new TickResult.Ended();
        }
        List<PendingRequest> requests = store.pendingRequests(id);
        for (PendingRequest request : requests) {
            TickResult decided = decideAndCommit(request);
            if (!(decided instanceof TickResult.TickAgain) || loaded == null) {
                return decided; // stepped down, or somebody else wrote: look again
            }
        }
        return requests.isEmpty() ? planAndCommit() : new TickResult.TickAgain();
    }

    private @Nullable RolloutWithHistoryHead loadIfNeeded() {
        if (loaded == null) {
            recorder.reset();
            loaded = store.load(id).orElse(null);
            if (loaded != null) {
                meter.recordLoaded(loaded);
                guards.load(loaded.rollout().nodes().keySet());
                interest.setNodes(loaded.rollout().nodes().keySet());
                if (effects == null) {
                    effects = new EffectRunner(store, mirror, peers, epoch, loaded.traceId());
                }
            }
        }
        return loaded;
    }

    /** A status that the database rejects must not hold up requests: none depends on one. */
    private TickResult decideAndCommit(PendingRequest request) {
        try {
            return decideAndCommit(request, mirror.snapshot());
        } catch (UnwritableValue e) {
            LOG.warn(
                    "A request is decided without statuses rolloutId={} reason={}",
                    id,
                    e.getMessage());
            return decideAndCommit(
                    request,
                    mirror.snapshot().hideStatuses(requireLoaded().rollout().nodes().keySet()));
        }
    }

    private TickResult decideAndCommit(PendingRequest request, LazyFleetSnapshot view) {
        Rollout rollout = requireLoaded().rollout();
        Instant now = clock.get();
        FleetView fleet =
                new PinnedReservationsFleetView(view, findSuperseded(rollout, request.request()));
        boolean expired =
                request.request().raisesRisk()
                        && now.isAfter(request.createdAt().plus(REQUEST_EXPIRY));
        if (expired) {
            return refuse(
                    request,
                    RefusalCode.REQUEST_EXPIRED,
                    "The request waited longer than 60 s and was dropped; send it again if it is still wanted.",
                    buildDecisionRecord(request, fleet, now, true));
        }
        Instant decideBy = request.createdAt().plus(ANSWERS_WITHIN);
        if (now.isBefore(decideBy)
                && OperatorRequestRules.shouldDeferStart(rollout, request.request(), fleet)) {
            return new TickResult.Waiting(decideBy);
        }
        Optional<RequestDecision.Refused> groups =
                DirectComponentRequestRules.findRefusal(
                        rollout.spec(), request.request(), request.actor());
        if (groups.isPresent()) {
            return refuse(
                    request,
                    groups.get().code(),
                    groups.get().sentence(),
                    buildDecisionRecord(request, fleet, now, true));
        }
        RequestDecision decision =
                OperatorRequestRules.decide(
                        rollout,
                        new OperatorRequestRules.SubmittedRequest(
                                request.request(), request.actor(), request.reason()),
                        fleet,
                        now);
        RecordedDecisionInput record = buildDecisionRecord(request, fleet, now, false);
        return switch (decision) {
            case RequestDecision.Refused(RefusalCode code, String sentence) ->
                    refuse(request, code, sentence, record);
            case RequestDecision.Applied applied -> apply(request, applied, record, fleet);
        };
    }

    /** Asked for only where it decides: few ended rollouts are ever rolled back. */
    private Set<NodeId> findSuperseded(Rollout rollout, OperatorRequest request) {
        boolean reopens = rollout.state().isFinal() && request instanceof OperatorRequest.Rollback;
        return reopens ? store.findSupersededNodes(id) : Set.of();
    }

    private RecordedDecisionInput buildDecisionRecord(
            PendingRequest request, FleetView fleet, Instant now, boolean ruledOut) {
        return recorder.buildRecord(
                requireLoaded().rollout(),
                fleet,
                now,
                new RecordedDecisionInput.RecordedRequest(
                        request.request(), request.reason(), ruledOut, request.actor()));
    }

    private TickResult apply(
            PendingRequest request,
            RequestDecision.Applied applied,
            RecordedDecisionInput record,
            FleetView fleet) {
        Commit commit =
                buildCommit(
                        applied.next(),
                        records.historyEntries(
                                applied.transitions(), record.now(), request.actor()),
                        List.of(),
                        List.of(),
                        List.of(DecidedRequest.applied(request.id())),
                        List.of(),
                        record);
        Commit.Outcome outcome = meter.measureCommit(commit, store::commit);
        if (outcome instanceof Commit.Outcome.ChainBusy) {
            return refuse(
                    request,
                    RefusalCode.CHAIN_BUSY,
                    "Another rollout is active for this chain; finish or cancel it before rolling back.",
                    buildDecisionRecord(request, fleet, record.now(), true));
        }
        return applyOutcome(commit, outcome);
    }

    private TickResult refuse(
            PendingRequest request,
            RefusalCode code,
            String sentence,
            RecordedDecisionInput record) {
        Rollout rollout = requireLoaded().rollout();
        Commit commit =
                buildCommit(
                        rollout,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(new DecidedRequest(request.id(), code.name(), sentence)),
                        List.of(),
                        record);
        return applyOutcome(commit, meter.measureCommit(commit, store::commit));
    }

    private TickResult planAndCommit() {
        try {
            return planAndCommit(Set.of());
        } catch (UnwritableValue e) {
            if (tried == null || tried.statuses().isEmpty()) {
                throw e;
            }
            return RejectedStatusIsolator.applyInParts(
                    tried.statuses(), this::planAndCommit, this::rejectStatus);
        }
    }

    /** Never written and so never acknowledged; an incident of its node reports it. */
    private void rejectStatus(NodeId node, UnwritableValue why) {
        LOG.error(
                "A status has a value that the database rejects nodeId={} rolloutId={}",
                node,
                id,
                why);
        loops.recordFailure("rollout");
        if (tried != null) {
            tried.view().receivedStatus(node).ifPresent(mirror::removeStatus);
        }
        mirror.findings()
                .addRejectedMessages(Map.of(node, "The database rejects a value of its status."));
    }

    /**
     * Plans and commits one step.
     *
     * @param ignored nodes whose statuses are not applied. If there are any, the step is committed
     *     even if it changes nothing: that shows whether the database rejects something else
     */
    private TickResult planAndCommit(Set<NodeId> ignored) {
        if (loadIfNeeded() == null) {
            return new TickResult.Ended();
        }
        Rollout before = requireLoaded().rollout();
        Instant now = clock.get();
        LazyFleetSnapshot view = mirror.snapshot().hideStatuses(ignored);
        FleetView fleet = new PinnedReservationsFleetView(view);
        Step step = RolloutPlanner.plan(before, fleet, timings, now);
        if (step.changed() || !ignored.isEmpty()) {
            List<String> violations = StepViolationFinder.findViolations(before, step, fleet);
            if (!violations.isEmpty()) {
                throw new IllegalStateException("A step would break what must hold: " + violations);
            }
            RecordedDecisionInput record = recorder.buildRecord(before, fleet, now, null);
            tried = new StatusesOfLastCommit(view, record.nodesWithStatus());
            Commit commit =
                    buildCommit(
                            step.next(),
                            records.historyEntries(before, step, now, SELF),
                            records.newAttempts(step),
                            HistoryAndAttemptsBuilder.statusUpdates(before, step.next(), view),
                            List.of(),
                            step.stalls(),
                            record);
            TickResult settled = applyOutcome(commit, meter.measureCommit(commit, store::commit));
            if (settled instanceof TickResult.TickAgain && loaded != null) {
                runEffects(step, now);
            }
            return settled;
        }
        runEffects(step, now);
        return before.state().isFinal()
                ? new TickResult.Ended()
                : new TickResult.Waiting(step.wakeAt());
    }

    private void runEffects(Step step, Instant now) {
        if (effects != null) {
            effects.run(requireLoaded().rollout(), step.effects(), now);
        }
    }

    /** Ends what was asked of others. */
    public void stop() {
        meter.recordEnd();
        if (effects != null) {
            effects.unwatchAll();
        }
    }

    private Commit buildCommit(
            Rollout after,
            List<HistoryEntry> history,
            List<Commit.NewAttempt> attempts,
            List<Commit.ReportedAttemptStatus> reports,
            List<DecidedRequest> requests,
            List<IncidentChange.Open> stalls,
            RecordedDecisionInput decision) {
        RolloutWithHistoryHead present = requireLoaded();
        return new Commit(
                epoch,
                present.rollout(),
                after.withNextRevision(),
                history,
                present.historyHead(),
                attempts,
                reports,
                requests,
                stalls,
                decision);
    }

    private TickResult applyOutcome(Commit commit, Commit.Outcome outcome) {
        return switch (outcome) {
            case Commit.Outcome.Committed(String head) -> {
                loaded =
                        new RolloutWithHistoryHead(commit.after(), head, requireLoaded().traceId());
                recorder.markCommitted();
                guards.applyCommit(id, commit);
                commit.history().forEach(row -> logTransition(row));
                if (commitRejected) {
                    writeIncident(IncidentRules.closeCommitRejected(id));
                    commitRejected = false;
                }
                yield new TickResult.TickAgain();
            }
            case Commit.Outcome.Conflict c -> {
                loaded = null; // somebody continued the history; read it again
                yield new TickResult.TickAgain();
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

    private RolloutWithHistoryHead requireLoaded() {
        if (loaded == null) {
            throw new IllegalStateException("The rollout is not loaded");
        }
        return loaded;
    }
}
