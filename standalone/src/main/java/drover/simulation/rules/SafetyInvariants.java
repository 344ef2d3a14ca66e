package drover.simulation.rules;

import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.group.LeaderGroupStore.GroupCommit;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.evaluator.assess.ProgramObservation;
import drover.evaluator.assess.ProgramWatchSpec;
import drover.evaluator.assess.Verdict;
import drover.evaluator.assess.VerdictReport;
import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodeId;
import drover.opsagent.disk.Disk;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.Processes;
import drover.simulation.world.SimulatedCoordinator;
import drover.simulation.world.SimulatedMachine;
import drover.simulation.world.SimulatedProgramDefinition;
import drover.simulation.world.SimulatedWorld;
import drover.simulation.world.WorldObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What must hold after every event, seen from outside: it knows what truly is on the nodes, what
 * was committed, and what was said. The ids are those of the invariants.
 */
public final class SafetyInvariants implements WorldObserver {
    private final SimulatedWorld world;
    private final ObservationRecorder observations;
    private final List<String> violations = new ArrayList<>();
    private final Map<NodeId, ReportedStatus> lastReported = new HashMap<>();
    private final Set<NodeId> unpersisted = new HashSet<>();
    private final Map<NodeId, Long> allotted = new HashMap<>();
    private final Map<NodeId, Long> open = new HashMap<>();
    private final Set<String> healthy = new HashSet<>();
    private final DispatchGateInvariants gates;
    private final RolloutRequestInvariants requests;
    private final CommittedOutcomeInvariants proofs;
    private final HistoryChainInvariants story;
    private final TransitionInvariants moves;
    private final SendAfterCommitInvariants sends;
    private final VisibilityRequiredInvariants visibility;
    private final GroupInvariants groups;
    private final ComponentInvariants components;
    private final IncidentLifecycleInvariants incidents;
    private final RetirementInvariants retirements;
    private final NodeHealthInvariants health;
    private long epoch;

    /**
     * What an agent told last.
     *
     * @param forgettable whether it may not have been kept, so that the agent does not know it
     */
    private record ReportedStatus(
            long attempt, long sequence, AttemptOutcome outcome, boolean forgettable) {}

    public SafetyInvariants(SimulatedWorld world) {
        this.world = world;
        this.observations = new ObservationRecorder(world);
        this.gates = new DispatchGateInvariants(this, world.time::now);
        this.requests = new RolloutRequestInvariants(world, this, gates);
        this.proofs = new CommittedOutcomeInvariants(world, this);
        this.story = new HistoryChainInvariants(world, this);
        this.moves = new TransitionInvariants(this);
        this.sends = new SendAfterCommitInvariants(world, this);
        this.visibility = new VisibilityRequiredInvariants(world, this);
        this.groups = new GroupInvariants(world, this);
        this.components = new ComponentInvariants(world, this, requests, visibility);
        this.incidents = new IncidentLifecycleInvariants(world, this);
        this.retirements = new RetirementInvariants(world, this);
        this.health = new NodeHealthInvariants(world, this);
    }

    /** Everything that did not hold. */
    public List<String> violations() {
        return List.copyOf(violations);
    }

    @Override
    public void violationFound(String what) {
        violations.add(what);
    }

    void recordViolationUnless(boolean holds, String otherwise) {
        if (!holds) {
            violations.add(otherwise);
        }
    }

    /** Whether a restore of the node failed and no operator has cleared it since (D14). */
    boolean isAwaitingClear(NodeId node) {
        return gates.isAwaitingClear(node);
    }

    /** A node whose restore failed is restored again: only after an operator cleared it (D14). */
    void recordRepeatedRestore(NodeId node, boolean awaitsClear) {
        world.counts.count("restored after a clear");
        recordViolationUnless(!awaitsClear, "D14: " + node + " is restored again without a clear");
    }

    @Override
    public void storeCalled(SimulatedCoordinator coordinator) {
        visibility.recordStoreCall(coordinator);
    }

    public RetirementInvariants retirements() {
        return retirements;
    }

    /** What clients and nodes saw. */
    public ObservationRecorder observations() {
        return observations;
    }

    /** Whether failures do not stop the rollout. */
    boolean isForced(Rollout rollout) {
        return gates.isForced(rollout);
    }

    /** Whether no later leader has written anything. */
    boolean isLatestEpoch(long by) {
        return by == epoch;
    }

    @Override
    public void rolloutRequested(SimulatedWorld.OperatorRequestRecord requested) {
        observations.recordAndPollRequest(requested);
        requests.recordRequest(requested.id(), requested.request(), requested.actor());
    }

    @Override
    public void groupRequested(UUID id, GroupRequest request, String actor) {
        groups.recordRequest(id, request, actor);
    }

    @Override
    public void retirementRequested(NodeId node, UUID request) {
        retirements.recordRequest(node, request);
    }

    @Override
    public void deliverySent(MessageToNode delivery) {
        sends.checkDelivery(delivery);
    }

    @Override
    public void acknowledgementSent(StatusAcknowledgementToAgent acknowledgement) {
        sends.checkAcknowledgement(acknowledgement);
    }

    /** Whether an attempt of the node is not closed. */
    boolean hasOpenAttempt(NodeId node) {
        return open.containsKey(node);
    }

    /** An agent publishes a status: it never takes back what it said (C2, C3, C9). */
    @Override
    public void statusPublished(NodeId node, AttemptStatus status) {
        observations.recordStatus(node, status);
        long attempt = status.journal().attempt();
        AttemptOutcome outcome =
                status.isTerminal()
                        ? status.journal().ending().outcome()
                        : AttemptOutcome.IN_PROGRESS;
        if (status.journal().ending().reason() == ReasonCode.DISK_ERROR) {
            unpersisted.add(node);
        } else {
            unpersisted.remove(node);
        }
        recordViolationUnless(
                status.journal().ending().reason() != ReasonCode.NO_BACKUP,
                "D8: node " + node + " is asked for a backup that is gone, attempt " + attempt);
        ReportedStatus before = lastReported.get(node);
        ReportedStatus now = new ReportedStatus(attempt, status.sequence(), outcome, false);
        lastReported.put(node, now);
        if (before == null) {
            return;
        }
        recordViolationUnless(
                attempt >= before.attempt(),
                "C4: node " + node + " went back from " + before + " to " + now);
        if (attempt == before.attempt() && before.outcome().isTerminal() && !before.forgettable()) {
            String id = before.outcome() == AttemptOutcome.WITHDRAWN ? "A12" : "C2";
            recordViolationUnless(
                    outcome == before.outcome(),
                    id + ": node " + node + " went on from " + before + " to " + now);
        }
        if (attempt > before.attempt()) {
            recordViolationUnless(
                    before.outcome().isTerminal(),
                    "C5: node " + node + " began " + now + " while at " + before);
        }
    }

    /**
     * An agent starts. What it told because the disk took no journal may not have outlived it: the
     * one end that is taken up again, while the leader keeps the node marked until it is cleared.
     */
    @Override
    public void agentStarted(NodeId node) {
        if (unpersisted.remove(node)) {
            lastReported.computeIfPresent(
                    node,
                    (_, last) ->
                            new ReportedStatus(
                                    last.attempt(), last.sequence(), last.outcome(), true));
        }
    }

    /** A program is started (D3), and it is the only one (D4). */
    @Override
    public void programStarted(
            NodeId node,
            SimulatedProgramDefinition product,
            Processes.LaunchRequest order,
            Disk disk,
            long others) {
        Digest program = disk.digest(order.program());
        Digest config = disk.digest(SimulatedMachine.pathOf(product.configPath()));
        String launch = String.valueOf(order.environment().get("VERSION"));
        boolean whole =
                SimulatedProgramDefinition.versionNumbers()
                        .anyMatch(
                                number ->
                                        program.equals(product.digest(number))
                                                && config.equals(Digest.of(product.config(number)))
                                                && launch.equals(
                                                        SimulatedProgramDefinition.version(
                                                                number)));
        observations.recordProgramStart(node, product, program);
        recordViolationUnless(
                whole, "D3: node " + node + " starts a mixture, launched as " + launch);
        recordViolationUnless(others == 0, "D4: node " + node + " starts a second program");
    }

    /** An agent hears that a status is committed (C10). */
    @Override
    public void acknowledgementReceived(NodeId node, long attempt, long sequence) {
        observations.recordAcknowledgement(node, attempt, sequence);
        recordViolationUnless(
                world.store.lastSequence(node, attempt) >= sequence,
                "C10: node " + node + " is acknowledged " + attempt + "/" + sequence);
    }

    /** A verdict is told: healthy is only what shows it (F1, F2, F3, F4). */
    @Override
    public void verdictReported(VerdictReport judgement) {
        health.recordVerdict(judgement);
        if (!(judgement.verdict() instanceof Verdict.Healthy)) {
            return;
        }
        if (!(judgement.watch() instanceof ProgramWatchSpec watch)) {
            groups.recordHealthy(judgement.watch().node());
            return;
        }
        healthy.add(watch.node() + "/" + watch.attempt());
        recordViolationUnless(judgement.signal().isPresent(), "F3: healthy without data");
        judgement.signal().ifPresent(signal -> checkHealthyVerdict(watch, signal));
    }

    private void checkHealthyVerdict(ProgramWatchSpec watch, ProgramObservation signal) {
        recordViolationUnless(
                signal.runningDigest().equals(watch.digest().value()),
                "F2: healthy although another program runs on " + watch.node());
        boolean config =
                watch.configDigest()
                        .filter(wanted -> !wanted.value().equals(signal.configDigest()))
                        .isEmpty();
        recordViolationUnless(
                config, "F2: healthy although the configuration differs on " + watch.node());
        recordViolationUnless(
                signal.runId().equals(watch.runId()) || signal.restarts() > 0,
                "F1: healthy by a run from before the attempt on " + watch.node());
        recordViolationUnless(
                signal.restarts() < watch.policy().crashLoopRestarts(),
                "F4: healthy although it fell " + signal.restarts() + " times on " + watch.node());
        recordViolationUnless(
                signal.healthyFor().compareTo(watch.hold()) >= 0
                        && signal.upFor().compareTo(watch.hold()) >= 0,
                "F3: healthy before the hold is over on " + watch.node());
    }

    @Override
    public void onRejected(Commit commit, RuntimeException why) {
        violationFound("The tables refuse a commit: " + why + " " + why.getCause());
    }

    @Override
    public void onStatusAfterRolloutEnd(Commit.ReportedAttemptStatus report) {
        world.time.log(report.node() + " late: " + report.attempt() + " " + report.outcome());
        if (report.terminal()) {
            open.remove(report.node(), report.attempt());
        }
        if (report.failedRollback()) {
            gates.recordFailedRestore(report.node());
        }
        incidents.checkLateStatus(report);
    }

    @Override
    public void onCleared(NodeId node) {
        world.time.log(node + " is cleared");
        world.counts.count("cleared");
        open.remove(node);
        gates.recordCleared(node);
        incidents.checkCleared(node);
    }

    @Override
    public void onRejected(GroupCommit commit, RuntimeException why) {
        violationFound("The tables refuse a step of a group: " + why + " " + why.getCause());
    }

    @Override
    public void onCommit(GroupCommit commit) {
        checkAndAdvanceEpoch(commit.epoch());
        components.checkComponentRequests(
                commit); // first: what it asks must be known when it is decided
        groups.checkCommit(commit);
    }

    /** Whatever is written, is written by the latest leader (B1, B3). */
    private void checkAndAdvanceEpoch(long by) {
        recordViolationUnless(by >= epoch, "B1: epoch " + by + " wrote after " + epoch);
        epoch = Math.max(epoch, by);
    }

    @Override
    public void onCommit(Commit commit) {
        checkAndAdvanceEpoch(commit.epoch());
        observations.recordCommit(commit);
        commit.history().stream()
                .filter(row -> !TransitionInvariants.isAttemptPhase(row))
                .forEach(row -> logTransition(commit, row));
        commit.statuses().stream()
                .filter(Commit.ReportedAttemptStatus::terminal)
                .forEach(report -> open.remove(report.node(), report.attempt()));
        commit.attempts().forEach(attempt -> checkNewAttempt(commit, attempt));
        commit.after().nodes().values().forEach(node -> requireUpgradedIfSucceeded(commit, node));
        gates.checkCommit(commit);
        requests.checkCommit(commit);
        proofs.checkCommit(commit);
        story.checkCommit(commit);
        moves.checkCommit(commit);
        visibility.checkCommit(commit);
        components.checkCommit(commit);
        incidents.checkCommit(commit);
        health.checkCommit(commit);
        commit.attempts().forEach(attempt -> retirements.requireNotRetired(attempt.node()));
        commit.statuses().stream()
                .filter(Commit.ReportedAttemptStatus::failedRollback)
                .forEach(report -> gates.recordFailedRestore(report.node()));
    }

    private void logTransition(Commit commit, HistoryEntry row) {
        RolloutSpec spec = commit.after().spec();
        String of = StateClassification.isInGroup(commit.after()) ? spec.binary() + ": " : "";
        String who = of + (row.node().isEmpty() ? row.subject() : row.node());
        world.time.log(
                who
                        + " "
                        + row.from()
                        + " -> "
                        + row.to()
                        + " ("
                        + row.because().code()
                        + ", epoch "
                        + commit.epoch()
                        + ")");
    }

    private void checkNewAttempt(Commit commit, Commit.NewAttempt attempt) {
        NodeId node = attempt.node();
        long before = allotted.getOrDefault(node, 0L);
        recordViolationUnless(
                attempt.attempt() > before,
                "R1: node " + node + " is given " + attempt.attempt() + " after " + before);
        Long held = open.put(node, attempt.attempt());
        recordViolationUnless(
                held == null, "A4: node " + node + " is given work while " + held + " is open");
        allotted.put(node, attempt.attempt());
        if (attempt.restoreOf() == 0) {
            checkDispatch(commit, node);
        }
    }

    /** Work towards the target is given out (A5, A8, A12). */
    private void checkDispatch(Commit commit, NodeId node) {
        Rollout before = commit.before();
        boolean runs =
                before.state() instanceof RolloutState.Running
                        || before.state() instanceof RolloutState.AwaitingApproval;
        recordViolationUnless(
                runs,
                "A12: node "
                        + node
                        + " is dispatched while "
                        + StateNameFormatter.of(before.state()));
        NodeUpgrade upgrade = commit.after().nodes().get(node);
        if (upgrade == null) {
            violationFound("A8: node " + node + " is no target");
            return;
        }
        boolean earlier =
                commit.after().nodes().values().stream()
                        .anyMatch(
                                other ->
                                        other.batch() < upgrade.batch()
                                                && (StateClassification.isInFlight(other)
                                                        || other.state()
                                                                instanceof NodeState.Pending));
        recordViolationUnless(!earlier, "A5: node " + node + " is dispatched before its turn");
    }

    /** A node counts as upgraded only when it is (A11, F3). */
    private void requireUpgradedIfSucceeded(Commit commit, NodeUpgrade node) {
        NodeUpgrade was = commit.before().nodes().get(node.id());
        boolean fresh =
                node.state() instanceof NodeState.Succeeded
                        && !(was != null && was.state() instanceof NodeState.Succeeded);
        if (!fresh) {
            return;
        }
        int target =
                SimulatedProgramDefinition.number(commit.after().spec().targetVersion().value());
        recordViolationUnless(
                world.installedVersion(commit.after(), node.id()) == target,
                "A11: node " + node.id() + " counts as upgraded and is not");
        boolean unchecked = StateClassification.skipsValidation(commit.after().spec().strategy());
        recordViolationUnless(
                unchecked || healthy.contains(node.id() + "/" + node.attempt()),
                "F3: node " + node.id() + " succeeded though nobody found it healthy");
    }
}
